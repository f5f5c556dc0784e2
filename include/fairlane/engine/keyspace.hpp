#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "fairlane/engine/database.hpp"

namespace fairlane::engine {

/// All databases of the server and what they share.
class Keyspace {
 public:
  explicit Keyspace(std::size_t databases);

  Shared& shared() noexcept { return shared_; }
  const Shared& shared() const noexcept { return shared_; }
  std::size_t count() const noexcept { return databases_.size(); }
  Database& at(DbIndex index) noexcept { return *databases_[index]; }
  const Database& at(DbIndex index) const noexcept { return *databases_[index]; }

  /// The nearest deadline of any key, in milliseconds since 1970.
  std::optional<std::int64_t> nearest_deadline() const noexcept;
  /// Removes up to `most` keys that are due at shared().now; returns how many.
  std::size_t expire_due(std::size_t most);
  std::size_t keys() const noexcept;

 private:
  Shared shared_;
  std::vector<std::unique_ptr<Database>> databases_;
};

}  // namespace fairlane::engine
