#pragma once

#include <string>
#include <string_view>

#include "fairlane/base/hash.hpp"
#include "fairlane/engine/changes.hpp"

namespace fairlane::engine {

/// A key of a database, for the registries that remember keys which need not exist.
struct KeyId {
  DbIndex db = 0;
  std::string key;
  bool operator==(const KeyId&) const = default;
};

/// The same without owning the bytes, for look-ups.
struct KeyView {
  DbIndex db;
  std::string_view key;
};

struct KeyIdHash {
  using is_transparent = void;
  std::size_t operator()(const KeyId& id) const noexcept { return (*this)(KeyView{id.db, id.key}); }
  std::size_t operator()(const KeyView& id) const noexcept {
    return base::hash_bytes(id.key) + id.db * 0x9E3779B97F4A7C15ULL;
  }
};

struct KeyIdEqual {
  using is_transparent = void;
  bool operator()(const KeyId& a, const KeyId& b) const noexcept { return a == b; }
  bool operator()(const KeyId& a, const KeyView& b) const noexcept { return a.db == b.db && a.key == b.key; }
  bool operator()(const KeyView& a, const KeyId& b) const noexcept { return a.db == b.db && a.key == b.key; }
};

}  // namespace fairlane::engine
