#pragma once

#include <cstdint>
#include <string_view>

#include "fairlane/base/hash.hpp"

namespace fairlane::engine {

/// A key and its hash, for whoever names the same key again and again and keeps both.
struct HashedKey {
  std::string_view text;
  std::uint64_t hash;

  static HashedKey of(std::string_view key) noexcept { return {key, base::hash_bytes(key)}; }
};

}  // namespace fairlane::engine
