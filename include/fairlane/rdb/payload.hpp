#pragma once

#include <optional>
#include <string>
#include <string_view>

/// What DUMP and FUNCTION DUMP give: a body, the version of the format in two bytes, and a CRC-64 of both in eight.
namespace fairlane::rdb {

/// The body with its footer.
std::string seal(std::string body);

/// The body; nothing when the version is newer than ours, or the sum is wrong.
std::optional<std::string_view> open(std::string_view payload) noexcept;

}  // namespace fairlane::rdb
