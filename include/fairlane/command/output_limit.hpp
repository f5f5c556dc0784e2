#pragma once

#include "fairlane/base/clock.hpp"
#include "fairlane/command/session.hpp"
#include "fairlane/command/settings.hpp"

namespace fairlane::command {

/// What client-output-buffer-limit says about the bytes that wait to be sent to one client.
class OutputLimits {
 public:
  explicit OutputLimits(const Settings& settings) noexcept : settings_(settings) {}

  /// Is there so much that the client has to be closed, whatever the time?
  bool exceeded(const Session& session) const noexcept;
  /// Has there been much for too long? Keeps in the session since when. To be called now and then while output waits,
  /// and once when it was sent.
  bool exceeded_for_long(Session& session, base::Steady now) const noexcept;

 private:
  const OutputLimit& limit_of(const Session& session) const noexcept;

  const Settings& settings_;
};

}  // namespace fairlane::command
