#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

/// What FUNCTION DUMP gives and FUNCTION RESTORE takes: the code of libraries in the format of Redis' snapshots, the
/// version of that format, and a CRC-64 of both. See the comments in the source.
namespace fairlane::command {

std::string dump_libraries(std::span<const std::string_view> codes);

/// Returns an error, or nothing.
std::string read_libraries(std::string_view payload, std::vector<std::string>& codes);

}  // namespace fairlane::command
