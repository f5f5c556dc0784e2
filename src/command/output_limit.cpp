#include "fairlane/command/output_limit.hpp"

#include "command/client_info.hpp"

namespace fairlane::command {
namespace {

/// Redis keeps so much in a buffer that every client has, and limits what goes beyond it.
constexpr std::size_t kUnlimited = std::size_t{16} * 1024;

}  // namespace

const OutputLimit& OutputLimits::limit_of(const Session& session) const noexcept {
  return settings_.output_limits[static_cast<std::size_t>(class_of(session))];
}

bool OutputLimits::exceeded(const Session& session) const noexcept {
  const std::size_t unsent = session.unsent();
  if (unsent <= kUnlimited) return false;
  const std::int64_t hard = limit_of(session).hard;
  return hard != 0 && static_cast<std::int64_t>(unsent) >= hard;
}

bool OutputLimits::exceeded_for_long(Session& session, base::Steady now) const noexcept {
  const std::size_t unsent = session.unsent();
  const OutputLimit& limit = limit_of(session);
  const bool much = unsent > kUnlimited && limit.soft != 0 && static_cast<std::int64_t>(unsent) >= limit.soft;
  if (much && !session.over_soft_limit) session.over_soft_limit_since = now;
  session.over_soft_limit = much;
  return much && now - session.over_soft_limit_since > std::chrono::seconds(limit.soft_seconds);
}

}  // namespace fairlane::command
