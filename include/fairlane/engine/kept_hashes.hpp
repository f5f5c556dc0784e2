#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "fairlane/engine/entry.hpp"

namespace fairlane::engine {

/// Hashes whose fields have run out while such fields stay (CLIENT PAUSE): what a reader may see of each. Nobody else
/// pays for what happens that seldom.
class KeptHashes {
 public:
  /// A copy without the fields that have run out, some but not all; good until the entry changes or time goes on.
  Entry* live_part(Entry* entry, std::int64_t now);
  /// The entry changes, moves or goes.
  void forget(const Entry* entry) noexcept {
    if (!copies_.empty()) [[unlikely]]
      copies_.erase(entry);
  }
  void clear() noexcept { copies_.clear(); }

 private:
  struct Destroy {
    void operator()(Entry* entry) const noexcept { Entry::destroy(entry); }
  };

  std::unordered_map<const Entry*, std::unique_ptr<Entry, Destroy>> copies_;
};

}  // namespace fairlane::engine
