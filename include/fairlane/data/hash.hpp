#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "fairlane/base/random.hpp"
#include "fairlane/data/packed.hpp"
#include "fairlane/data/sorted_set.hpp"
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

struct TimedHash;

}  // namespace detail

/// A map of fields to values, in eight bytes: null when empty, a packed block while small, a table from then on. Small
/// is what Limits say, and OBJECT ENCODING follows: a table never becomes a block again, unless it was empty in
/// between.
///
/// All views that it hands out are good until its next change, and no argument may be such a view. Costs: O(n) while
/// packed, where n is small; O(1) as a table, bar cloning and clearing.
///
/// Single fields may have a deadline (HEXPIRE). The hash is timed from the first one on and until it is gone: a further
/// kind of the handle leads to the hash proper and the deadlines beside it, so that all others pay nothing. Fields past
/// their deadline are there until somebody who knows the time erases them.
class Hash {
 public:
  struct Limits {
    std::uint32_t max_packed_entries = 512;
    std::uint32_t max_packed_value = 64;  // bytes of a field or a value
    std::uint32_t max_searched = 32;      // not Redis': fields of a block that is a table in name
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
  ~Hash() { release(); }

  std::size_t size() const noexcept {
    if (where_.null()) return 0;
    if (is_block()) return packed().count();
    return timed() ? plain().size() : table().entries.size();
  }
  bool empty() const noexcept { return where_.null() || (timed() && plain().empty()); }
  /// Whether OBJECT ENCODING is "hashtable" and not "listpack".
  bool is_table() const noexcept { return timed() ? plain().is_table() : where_.kind() != Kind::packed; }

  /// A field or value that is used again and again: what a search needs is found out once.
  using Text = Packed::Short;

  std::optional<std::string_view> find(std::string_view field) const noexcept {
    return is_block() ? find_in_block(Text(field)) : find_in_table(field);
  }
  std::optional<std::string_view> find(const Text& field) const noexcept {
    return is_block() ? find_in_block(field) : find_in_table(field.text());
  }

  /// A field that was looked for together with others. Good until the hash changes otherwise than through overwrite().
  struct Spot {
    std::optional<std::string_view> value;
    char* at = nullptr;  ///< where a block keeps the value
  };
  /// Several fields that are known texts at one go: a block is walked once.
  template <std::size_t N>
  std::array<Spot, N> find_each(const std::array<Text, N>& fields) const noexcept {
    std::array<Spot, N> spots;
    if (where_.null()) return spots;
    if (!is_block()) {
      for (std::size_t i = 0; i < N; ++i) spots[i].value = find_in_table(fields[i].text());
      return spots;
    }
    const char* const end = packed().end();
    for (const char* at = packed().begin(); at != end;) {
      const char* const place = Packed::skip(at);
      const Packed::Text value = Packed::read(place);
      for (std::size_t i = 0; i < N; ++i) {
        if (*at == fields[i].byte()) spots[i] = {value.text, const_cast<char*>(place)};
      }
      at = value.next;
    }
    return spots;
  }
  /// Writes a value over the one whose spot find_each() told. False, and nothing is changed, unless a block keeps it in
  /// as many bytes.
  static bool overwrite(const Spot& spot, const Text& value) noexcept {
    if (spot.at == nullptr || Packed::skip(spot.at) != spot.at + value.size()) return false;
    value.write(spot.at);
    return true;
  }

  /// Sets a field and takes its deadline away. A value of the same length is written in place.
  Put put(std::string_view field, std::string_view value, const Limits& limits) {
    return is_block() ? put_in_block(Text(field), Text(value), limits) : put_beyond(field, value, limits);
  }
  Put put(const Text& field, const Text& value, const Limits& limits) {
    return is_block() ? put_in_block(field, value, limits) : put_beyond(field.text(), value.text(), limits);
  }
  /// The same, but a deadline stays.
  Put put_keeping(std::string_view field, std::string_view value, const Limits& limits) {
    return timed() ? plain().put(field, value, limits) : put(field, value, limits);
  }

  /// Sets field after field of f1 v1 f2 v2 ... and returns how many were inserted. An empty hash allocates once.
  std::size_t put_all(std::span<const std::string_view> fields_and_values, const Limits& limits);
  std::size_t put_texts(std::span<const Text> fields_and_values, const Limits& limits);

  /// Adds to a field that holds an integer; an absent one counts as 0. The sum, or nothing when the field holds
  /// something else or the sum would leave the range. A sum of as many digits is written in place; a deadline stays.
  std::optional<std::int64_t> add(const Text& field, std::int64_t delta, const Limits& limits);
  std::optional<std::int64_t> add(std::string_view field, std::int64_t delta, const Limits& limits) {
    return add(Text(field), delta, limits);
  }

  /// Takes 1 from a field that holds a number above 1, and erases one that holds anything else.
  enum class Down : std::uint8_t { absent, counted, erased };
  Down count_down(std::string_view field, const Limits& limits);

  bool erase(std::string_view field);
  void clear() noexcept { timed() ? clear_timed() : release(); }

  /// visit(field, value) for all; in the order of insertion unless is_table(). No changes meanwhile.
  template <class Visit>
  void for_each(Visit&& visit) const {
    if (where_.null()) return;
    if (!is_block()) {
      if (timed()) return plain().for_each(visit);
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

  /// HSCAN: visits about `count` pairs, all at once unless is_table(), and returns the next cursor, 0 at the end. A
  /// pair that stays from beginning to end is visited, perhaps twice.
  template <class Visit>
  std::uint64_t scan(std::uint64_t cursor, std::size_t count, Visit&& visit) const {
    if (where_.null()) return 0;
    if (!is_block()) {
      if (timed()) return plain().scan(cursor, count, visit);
      return table().entries.scan_some(cursor, count,
                                       [&](const detail::HashEntry& entry) { visit(entry.field(), entry.value()); });
    }
    for_each(visit);
    return 0;
  }

  /// Any pair, each as likely; the hash is not empty.
  Pair random(base::Random& random) const noexcept;

  /// The pair at a place in the order of insertion, O(index). Not for is_table(); index is below the size.
  Pair at(std::size_t index) const noexcept;

  /// Bytes that it owns.
  std::size_t memory() const noexcept;

  Hash clone() const;

  // --- deadlines of single fields: milliseconds since 1970, not negative and below 2^53
  /// Has a field ever been given one?
  bool timed() const noexcept { return where_.kind() == Kind::timed; }
  /// None when the field is absent or has none. O(log n).
  std::optional<std::int64_t> deadline(std::string_view field) const;
  /// The field is there. O(log n), bar the first one.
  void set_deadline(std::string_view field, std::int64_t when);
  /// False when there was none. O(log n).
  bool clear_deadline(std::string_view field);
  std::optional<std::int64_t> nearest_deadline() const noexcept;
  /// Has every field a deadline that is not after `now`? An empty hash has none.
  bool all_due(std::int64_t now) const noexcept;
  /// Erases up to `most` fields whose deadline is not after `now`, nearest first; returns how many.
  std::size_t erase_due(std::int64_t now, std::size_t most);

  /// For an index of timed hashes: where it keeps this one. A clone is in no index.
  static constexpr std::uint32_t kNoPosition = 0xFFFFFFFF;
  std::uint32_t index_position() const noexcept;
  void set_index_position(std::uint32_t position) noexcept;

 private:
  enum class Kind : std::uint8_t { packed, outgrown, table, timed };  // outgrown: a block that is a table in name

  // A block that is a table in name is worth more than a table up to here, and up to Limits::max_searched.
  static constexpr std::size_t kOutgrownFields = 32;
  static constexpr std::size_t kOutgrownBytes = 2048;

  bool is_block() const noexcept { return where_.kind() < Kind::table; }
  Packed& packed() const noexcept { return *where_.as<Packed>(where_.kind()); }
  detail::HashTable& table() const noexcept { return *where_.as<detail::HashTable>(Kind::table); }
  std::optional<std::string_view> find_in_block(const Text& field) const noexcept;
  std::optional<std::string_view> find_in_table(std::string_view field) const noexcept;
  Put put_in_block(const Text& field, const Text& value, const Limits& limits);
  Put put_packed(const Text& field, const Text& value);
  Put put_beyond(std::string_view field, std::string_view value, const Limits& limits) {
    return timed() ? put_timed(field, value, limits) : put_table(field, value);
  }
  Put put_table(std::string_view field, std::string_view value);
  std::optional<std::int64_t> add_in_table(std::string_view field, std::int64_t delta);
  Down count_down_in_table(std::string_view field);
  void drop(detail::HashEntry* entry) noexcept;
  void replace_value(detail::HashEntry*& entry, std::string_view value);
  template <class Source>
  std::size_t put_each(std::span<const Source> fields_and_values, const Limits& limits);
  template <class Source>
  bool put_first(std::span<const Source> fields_and_values, const Limits& limits);
  bool holds(std::size_t bytes, bool outgrown, const Limits& limits) const noexcept;
  void become_table();
  void release() noexcept;

  /// The rest only when timed().
  detail::TimedHash& beside() const noexcept { return *where_.as<detail::TimedHash>(Kind::timed); }
  const Hash& plain() const noexcept;
  Hash& plain() noexcept;
  Put put_timed(std::string_view field, std::string_view value, const Limits& limits);
  Down count_down_timed(std::string_view field, const Limits& limits);
  bool erase_timed(std::string_view field);
  void clear_timed() noexcept;
  Hash clone_timed() const;

  TaggedPointer<Kind> where_;
};

struct detail::TimedHash {
  Hash plain;           // the fields and values; not timed itself
  SortedSet deadlines;  // fields by deadline, of which a double keeps every bit; none that `plain` lacks
  std::uint32_t index_position = Hash::kNoPosition;
};

inline const Hash& Hash::plain() const noexcept { return beside().plain; }
inline Hash& Hash::plain() noexcept { return beside().plain; }

static_assert(sizeof(Hash) == 8);

}  // namespace fairlane::data
