#pragma once

#include <string_view>

namespace fairlane::command {

/// The Redis version whose behaviour the server has. Clients choose what they send by it (HELLO, INFO, --version).
inline constexpr std::string_view kRedisVersion = "7.0.15";
/// The same, a byte for each part.
inline constexpr int kRedisVersionNumber = 0x07000f;

/// Its own.
inline constexpr std::string_view kFairlaneVersion = "0.1.0";

}  // namespace fairlane::command
