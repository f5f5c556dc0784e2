#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fairlane/command/catalog.hpp"
#include "fairlane/command/services.hpp"
#include "fairlane/command/session.hpp"

namespace fairlane::command {

/// The clients that look on (MONITOR). The executor hears of this only while there is one.
class Monitors {
 public:
  explicit Monitors(Services& services) noexcept : services_(services) {}

  /// The session sees every request from now on; does nothing when it does already.
  void add(Session& session);
  void remove(Session& session);

 private:
  void show(const Session& session, const Command& command, std::span<const std::string_view> words);

  Services& services_;
  std::vector<SessionId> sessions_;
  bool showing_ = false;
  std::string line_;  // kept for its memory
};

/// Appends a word in double quotes, with escapes for quotes, backslashes and everything invisible.
void append_quoted(std::string& text, std::string_view word);

}  // namespace fairlane::command
