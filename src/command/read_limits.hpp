#pragma once

#include "fairlane/command/settings.hpp"
#include "fairlane/rdb/value.hpp"

namespace fairlane::command {

/// Up to where values that are read stay packed, as the options say.
inline rdb::ReadLimits read_limits(const Settings& settings) noexcept {
  return {settings.set, settings.sorted_set, settings.hash};
}

}  // namespace fairlane::command
