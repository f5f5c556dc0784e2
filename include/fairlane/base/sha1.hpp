#pragma once

#include <string>
#include <string_view>

namespace fairlane::base {

/// The SHA-1 digest (FIPS 180-4) of some bytes, as 40 hexadecimal digits in lower case. It names scripts; it protects
/// nothing.
std::string sha1_hex(std::string_view bytes);

}  // namespace fairlane::base
