#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fairlane/rdb/writer.hpp"

/// What FUNCTION DUMP gives and FUNCTION RESTORE takes: the code of libraries in the format of Redis' snapshots, sealed
/// as a payload.
namespace fairlane::command {

std::string dump_libraries(std::span<const std::string_view> codes, const rdb::WriteRules& rules);

/// Returns an error, or nothing.
std::string read_libraries(std::string_view payload, std::vector<std::string>& codes);

}  // namespace fairlane::command
