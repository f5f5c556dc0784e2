#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace fairlane::base {

/// The SHA-1 digest (FIPS 180-4) of some bytes. It names scripts and compares data sets; it protects nothing.
using Sha1Digest = std::array<unsigned char, 20>;
Sha1Digest sha1(std::string_view bytes) noexcept;

/// A digest as 40 hexadecimal digits in lower case.
std::string hex(const Sha1Digest& digest);
std::string sha1_hex(std::string_view bytes);

}  // namespace fairlane::base
