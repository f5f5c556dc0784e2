#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "command/acl/permissions.hpp"
#include "fairlane/base/clock.hpp"
#include "fairlane/command/services.hpp"

namespace fairlane::command {

/// What clients were refused, the latest first (ACL LOG).
class Denials {
 public:
  enum class Place : std::uint8_t { toplevel, multi, lua };
  struct Entry {
    std::uint64_t count;
    Refused reason;
    Place place;
    std::string object;  ///< the command, key or channel; for a failed login the command that was to do it
    std::string user;
    base::Wall latest;
    std::string client;  ///< its line of CLIENT LIST
  };

  explicit Denials(Services& services) noexcept : services_(services) {}

  /// Equals among the latest few are counted together when they are a minute apart at most.
  void note(const Session& session, std::span<const std::string_view> words, Entry entry);
  void clear() noexcept { entries_.clear(); }
  const std::deque<Entry>& entries() const noexcept { return entries_; }

 private:
  Services& services_;
  std::deque<Entry> entries_;
};

}  // namespace fairlane::command
