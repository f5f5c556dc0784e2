#pragma once

#include <array>
#include <cstdio>
#include <string>

#include "testkit/lane_drills.hpp"

/// What the drills share to write their rows.
namespace fairlane::testkit {

/// As printf writes it.
template <class... Values>
std::string text(const char* format, Values... values) {
  std::array<char, 160> line{};
  std::snprintf(line.data(), line.size(), format, values...);
  return line.data();
}

inline Verdict judged(bool pass) noexcept { return pass ? Verdict::pass : Verdict::fail; }

}  // namespace fairlane::testkit
