#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fairlane::server {

/// Everything that can be read from a descriptor.
std::string read_all(int descriptor);
/// The file's bytes; nothing, with errno set, when it cannot be opened.
std::optional<std::string> read_file(const std::string& path);
/// Writes a file of these bytes and puts it in the place of the former one, so that there is always a whole one. False,
/// with errno set, when that failed; then the former one is still there.
bool replace_file(const std::string& path, std::string_view text);

}  // namespace fairlane::server
