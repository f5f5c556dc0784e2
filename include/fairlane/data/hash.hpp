#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "fairlane/base/random.hpp"
#include "fairlane/data/packed.hpp"
#include "fairlane/data/table.hpp"
#include "fairlane/data/tagged_pointer.hpp"

namespace fairlane::data {

namespace detail {

/// A field and its value in one allocation: this header, then the bytes of both.
struct HashEntry {
  std::uint32_t field_length;
  std::uint32_t value_length;

  const char* bytes() const noexcept { return reinterpret_cast<const char*>(this + 1); }
  char* bytes() noexcept { return reinterpret_cast<char*>(this + 1); }
  std::string_view field() const noexcept { return {bytes(), field_length}; }
  std::string_view value() const noexcept { return {bytes() + field_length, value_length}; }
};

struct HashTraits {
  using Entry = HashEntry;
  static std::string_view key(const HashEntry& entry) noexcept { return entry.field(); }
  static void destroy(HashEntry* entry) noexcept;
};

struct HashTable {
  Table<HashTraits> entries;
  std::size_t entry_bytes = 0;
};

}  // namespace detail

/// A map of fields to values, in eight bytes: null when empty, a packed block while small, a table from then on. Small
/// is what Limits say, and OBJECT ENCODING follows: a table never becomes a block again, unless it was empty in
/// between.
///
/// All views that it hands out are good until its next change, and no argument may be such a view. Costs: O(n) while
/// packed, where n is small; O(1) as a table, bar cloning and clearing.
///
/// Deadlines of single fields (HEXPIRE) have their place: a further kind of the handle says that there are any, so that
/// hashes without them pay nothing; such a block keeps triples of field, value and eight bytes of deadline, and an
/// entry of such a table eight bytes behind the value. The nearest deadline goes into the engine's expiry index.
class Hash {
 public:
  struct Limits {
    std::uint32_t max_packed_entries = 512;
    std::uint32_t max_packed_value = 64;  // bytes of a field or a value
  };
  enum class Put : std::uint8_t { inserted, updated };
  using Pair = std::pair<std::string_view, std::string_view>;

  Hash() noexcept = default;
  Hash(Hash&& other) noexcept : where_(std::exchange(other.where_, {})) {}
  Hash& operator=(Hash&& other) noexcept {
    Hash taken(std::move(other));
    std::swap(where_, taken.where_);
    return *this;
  }
  Hash(const Hash&) = delete;
  Hash& operator=(const Hash&) = delete;
  ~Hash() { clear(); }

  std::size_t size() const noexcept {
    if (where_.null()) return 0;
    return is_table() ? table().entries.size() : packed().count();
  }
  bool empty() const noexcept { return where_.null(); }
  bool is_table() const noexcept { return where_.kind() == Kind::table; }

  std::optional<std::string_view> find(std::string_view field) const noexcept;

  /// Sets a field. A value of the same length is written in place.
  Put put(std::string_view field, std::string_view value, const Limits& limits);

  /// Sets field after field of f1 v1 f2 v2 ... and returns how many were inserted. An empty hash allocates once.
  std::size_t put_all(std::span<const std::string_view> fields_and_values, const Limits& limits);

  bool erase(std::string_view field);
  void clear() noexcept;

  /// visit(field, value) for all; in the order of insertion while packed. No changes meanwhile.
  template <class Visit>
  void for_each(Visit&& visit) const {
    if (where_.null()) return;
    if (is_table()) {
      table().entries.for_each([&](const detail::HashEntry& entry) { visit(entry.field(), entry.value()); });
      return;
    }
    const char* const end = packed().end();
    for (const char* at = packed().begin(); at != end;) {
      const Packed::Text field = Packed::read(at);
      const Packed::Text value = Packed::read(field.next);
      visit(field.text, value.text);
      at = value.next;
    }
  }

  /// HSCAN: visits about `count` pairs, all at once while packed, and returns the next cursor, 0 at the end. A pair
  /// that stays from beginning to end is visited, perhaps twice.
  template <class Visit>
  std::uint64_t scan(std::uint64_t cursor, std::size_t count, Visit&& visit) const {
    if (where_.null()) return 0;
    if (is_table()) {
      return table().entries.scan_some(cursor, count,
                                       [&](const detail::HashEntry& entry) { visit(entry.field(), entry.value()); });
    }
    for_each(visit);
    return 0;
  }

  /// Any pair, each as likely; the hash is not empty.
  Pair random(base::Random& random) const noexcept;

  /// The pair at a place in the order of insertion, O(index). The hash is packed and index below its size.
  Pair at(std::size_t index) const noexcept;

  /// Bytes that it owns.
  std::size_t memory() const noexcept;

  Hash clone() const;

 private:
  enum class Kind : std::uint8_t { packed, table };

  Packed& packed() const noexcept { return *where_.as<Packed>(Kind::packed); }
  detail::HashTable& table() const noexcept { return *where_.as<detail::HashTable>(Kind::table); }
  const char* find_packed(std::string_view field) const noexcept;
  Put put_packed(std::string_view field, std::string_view value);
  Put put_table(std::string_view field, std::string_view value);
  bool fits(std::string_view field, std::string_view value, const Limits& limits) const noexcept;
  void become_table();

  TaggedPointer<Kind> where_;
};

static_assert(sizeof(Hash) == 8);

}  // namespace fairlane::data
