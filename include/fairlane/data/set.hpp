#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "fairlane/base/random.hpp"
#include "fairlane/data/packed.hpp"
#include "fairlane/data/table.hpp"
#include "fairlane/data/tagged_pointer.hpp"

namespace fairlane::data {

class Intset;

namespace detail {

/// A member in one allocation: this header, then its bytes.
struct SetEntry {
  std::uint32_t length;

  const char* bytes() const noexcept { return reinterpret_cast<const char*>(this + 1); }
  char* bytes() noexcept { return reinterpret_cast<char*>(this + 1); }
  std::string_view member() const noexcept { return {bytes(), length}; }
};

struct SetTraits {
  using Entry = SetEntry;
  static std::string_view key(const SetEntry& entry) noexcept { return entry.member(); }
  static void destroy(SetEntry* entry) noexcept;
};

struct SetTable {
  Table<SetTraits> entries;
  std::size_t entry_bytes = 0;
};

}  // namespace detail

/// A set of distinct texts, in eight bytes: null when empty. While all members are integers in their canonical form it
/// is a sorted array of them (the "intset" of OBJECT ENCODING); else a packed block while small, and a table from then
/// on (both "hashtable"). It only ever goes from left to right through these, unless it was empty in between.
///
/// All views that it hands out are good until its next change, and no argument may be such a view. Costs: intset O(log
/// n) to find, O(n) to change; packed O(n), where n is small; table O(1).
class Set {
 public:
  struct Limits {
    std::uint32_t max_intset_entries = 512;
    std::uint32_t max_packed_entries = 64;  // not Redis': how long a search through the block may take
    std::uint32_t max_packed_value = 64;
  };
  /// Where a member that is kept as an integer is written out.
  using Scratch = std::array<char, 24>;

  Set() noexcept = default;
  Set(Set&& other) noexcept : where_(std::exchange(other.where_, {})) {}
  Set& operator=(Set&& other) noexcept {
    Set taken(std::move(other));
    std::swap(where_, taken.where_);
    return *this;
  }
  Set(const Set&) = delete;
  Set& operator=(const Set&) = delete;
  ~Set() { clear(); }

  std::size_t size() const noexcept;
  bool empty() const noexcept { return where_.null(); }
  bool is_intset() const noexcept { return !where_.null() && where_.kind() == Kind::intset; }
  /// Bytes of each integer, 2, 4 or 8; only when is_intset().
  std::size_t integer_width() const noexcept;

  bool contains(std::string_view member) const noexcept;

  /// True when the member is new, false when it was there.
  bool add(std::string_view member, const Limits& limits);
  bool erase(std::string_view member);
  void clear() noexcept;

  /// visit(member) for all: an intset in ascending order, a block in the order of insertion. The view is good during
  /// the visit. No changes meanwhile.
  template <class Visit>
  void for_each(Visit&& visit) const {
    if (where_.null()) return;
    if (where_.kind() == Kind::table) {
      table().entries.for_each([&](const detail::SetEntry& entry) { visit(entry.member()); });
    } else if (where_.kind() == Kind::packed) {
      const char* const end = packed().end();
      for (const char* at = packed().begin(); at != end;) {
        const Packed::Text member = Packed::read(at);
        visit(member.text);
        at = member.next;
      }
    } else {
      Scratch scratch;
      const std::size_t count = size();
      for (std::size_t index = 0; index < count; ++index) visit(integer_at(index, scratch));
    }
  }

  /// SSCAN: visits about `count` members, all at once unless a table, and returns the next cursor, 0 at the end. A
  /// member that stays from beginning to end is visited, perhaps twice.
  template <class Visit>
  std::uint64_t scan(std::uint64_t cursor, std::size_t count, Visit&& visit) const {
    if (where_.null()) return 0;
    if (where_.kind() == Kind::table) {
      return table().entries.scan_some(cursor, count, [&](const detail::SetEntry& entry) { visit(entry.member()); });
    }
    for_each(visit);
    return 0;
  }

  /// Any member, each as likely; the set is not empty. An integer is written to `scratch`.
  std::string_view random(base::Random& random, Scratch& scratch) const noexcept;

  /// Removes and returns any member; the set is not empty.
  std::string pop(base::Random& random);

  /// The same without a copy: visit(member) sees it before it goes.
  template <class Visit>
  void take_random(base::Random& random, Visit&& visit) {
    Scratch scratch;
    const std::string_view member = this->random(random, scratch);
    visit(member);
    erase(member);  // reads the bytes before it lets them go
  }

  /// Bytes that it owns.
  std::size_t memory() const noexcept;

  Set clone() const;

 private:
  enum class Kind : std::uint8_t { packed, table, intset };

  Packed& packed() const noexcept { return *where_.as<Packed>(Kind::packed); }
  detail::SetTable& table() const noexcept { return *where_.as<detail::SetTable>(Kind::table); }
  Intset& intset() const noexcept { return *where_.as<Intset>(Kind::intset); }
  std::string_view integer_at(std::size_t index, Scratch& scratch) const noexcept;
  const char* find_packed(std::string_view member) const noexcept;
  bool add_text(std::string_view member, const Limits& limits);
  bool add_table(std::string_view member);
  void become_packed(std::size_t room);
  void become_table();

  TaggedPointer<Kind> where_;
};

static_assert(sizeof(Set) == 8);

}  // namespace fairlane::data
