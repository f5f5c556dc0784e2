#pragma once

#include <string>
#include <string_view>

namespace fairlane::base {

/// The SHA-256 digest (FIPS 180-4) of some bytes, as 64 hexadecimal digits in lower case.
std::string sha256_hex(std::string_view bytes);

}  // namespace fairlane::base
