#pragma once

#include <cstdint>
#include <string_view>

#include "fairlane/base/hash.hpp"

namespace fairlane::engine {

class Entry;

/// A key and its hash, for whoever names the same key again and again and keeps both.
struct HashedKey {
  std::string_view text;
  std::uint64_t hash;

  static HashedKey of(std::string_view key) noexcept { return {key, base::hash_bytes(key)}; }
};

/// Where a database found the entry of a key, or that there is none.
struct KeyPlace {
  static constexpr std::uint64_t kUnknown = UINT64_MAX;

  Entry* entry = nullptr;
  std::uint64_t version = kUnknown;  ///< the entry is this one while the database says the same, see KeyVersions
};

/// The same with the place kept: while the key neither comes nor goes it is found without looking for it.
struct RememberedKey : HashedKey {
  RememberedKey(std::string_view key, std::uint64_t key_hash, KeyPlace& at) noexcept
      : HashedKey{key, key_hash}, place(&at) {}

  KeyPlace* place;
};

}  // namespace fairlane::engine
