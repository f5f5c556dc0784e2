#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "fairlane/base/random.hpp"

namespace fairlane::data {

namespace ordered {
struct Chunk;
}

/// Members with a score, ordered by score and then by member bytes (memcmp, the shorter first).
///
/// A score is any double but NaN; -0 and 0 are equal, and each member keeps the one it was given. A member is any bytes
/// up to 512 MB. The object is one pointer; an empty set owns nothing.
///
/// While all scores are equal the set is *uniform*: 16 bytes a member, no index by member, so that adding behind the
/// last member and taking the first are O(1) and everything else is O(log n). The put that brings a second score
/// rebuilds the set once, O(n), with 24-byte slots and, above a few hundred members, an index by member: then score()
/// is O(1) and changes are O(log n). A set returns to uniform when it becomes empty.
///
/// One thread. Views and cursors are valid until the set changes.
class SortedSet {
 public:
  struct Item {
    std::string_view member;
    double score;
  };

  enum class Put : std::uint8_t { inserted, moved, unchanged };

  /// Up to where redis-server keeps a set in its packed encoding. Only large() depends on it.
  struct Limits {
    std::uint32_t max_packed_entries = 128;
    std::uint32_t max_packed_value = 64;
  };

  /// A place in the order. Cheap to copy; any change of the set invalidates it.
  class Cursor {
   public:
    Cursor() noexcept = default;
    /// False before the first and behind the last member; nothing else may be asked then.
    bool valid() const noexcept { return chunk_ != nullptr; }
    Item item() const noexcept;
    void next() noexcept;
    void prev() noexcept;

   private:
    friend class SortedSet;
    Cursor(const ordered::Chunk* chunk, std::size_t index, bool scored, double score) noexcept
        : chunk_(chunk), score_(score), index_(static_cast<std::uint32_t>(index)), scored_(scored) {}

    const ordered::Chunk* chunk_ = nullptr;
    double score_ = 0;
    std::uint32_t index_ = 0;
    bool scored_ = false;
  };

  SortedSet() noexcept = default;
  SortedSet(SortedSet&& other) noexcept : state_(std::exchange(other.state_, 0)) {}
  SortedSet& operator=(SortedSet&& other) noexcept {
    if (this != &other) {
      clear();
      state_ = std::exchange(other.state_, 0);
    }
    return *this;
  }
  SortedSet(const SortedSet&) = delete;
  SortedSet& operator=(const SortedSet&) = delete;
  ~SortedSet() {
    if (state_ != 0) clear();
  }
  /// The same members, scores and large(); O(n).
  SortedSet clone() const;

  std::size_t size() const noexcept;
  bool empty() const noexcept { return state_ == 0; }

  /// Adds the member or gives it this score. O(1) for a uniform set when the member sorts behind the last one, else
  /// O(log n).
  Put put(std::string_view member, double score, const Limits& limits);
  Put put(std::string_view member, double score) { return put(member, score, Limits{}); }
  /// Whether the member was there. O(log n).
  bool erase(std::string_view member);
  std::optional<double> score(std::string_view member) const;
  /// Members before this one. O(log n).
  std::optional<std::size_t> rank(std::string_view member) const;

  Cursor first() const noexcept;
  Cursor last() const noexcept;
  /// Invalid when there are not so many members. O(log n).
  Cursor at_rank(std::size_t rank) const noexcept;
  /// Members before the cursor's. The cursor is valid. O(log n).
  std::size_t rank_of(const Cursor& cursor) const noexcept;
  /// The first member with score >= bound, or > bound when exclusive. O(log n).
  Cursor seek_score(double bound, bool exclusive) const noexcept;
  /// The last member with score <= bound, or < bound when exclusive. O(log n).
  Cursor seek_score_back(double bound, bool exclusive) const noexcept;
  /// The first member >= bound, or > bound when exclusive; O(log n). Meant for sets of one score. With several scores
  /// the answer is what redis-server finds by comparing members alone: while the set is not large(), the first on a
  /// walk from the front; else where the way down the skip list ends.
  Cursor seek_member(std::string_view bound, bool exclusive) const noexcept;
  /// The last member <= bound, or < bound when exclusive. With several scores, as above: the first on a walk from the
  /// back, or the one before where the way down ends.
  Cursor seek_member_back(std::string_view bound, bool exclusive) const noexcept;
  /// Any member, all equally likely. The set is not empty.
  Item random(base::Random& random) const noexcept { return at_rank(random.below(size())).item(); }

  /// Takes up to `count` members from the front; visit(Item) sees each just before it goes and must not touch the set.
  /// Returns how many. O(1) a member while uniform.
  template <class F>
  std::size_t pop_min(std::size_t count, F&& visit) {
    return take_front(count, &call<std::remove_reference_t<F>>, erased(visit));
  }
  /// The same from the back, the greatest first.
  template <class F>
  std::size_t pop_max(std::size_t count, F&& visit) {
    return take_back(count, &call<std::remove_reference_t<F>>, erased(visit));
  }
  /// Removes the members with ranks first..last (inclusive, cut at the end) in order. Returns how many. O(log n) for
  /// every 60 members or so.
  template <class F>
  std::size_t erase_range(std::size_t first_rank, std::size_t last_rank, F&& visit) {
    return take_range(first_rank, last_rank, &call<std::remove_reference_t<F>>, erased(visit));
  }
  std::size_t erase_range(std::size_t first_rank, std::size_t last_rank) {
    return take_range(first_rank, last_rank, nullptr, nullptr);
  }
  void clear() noexcept;

  /// Visits about `count` members from `cursor` on (0 to begin) and returns the cursor to go on with, 0 at the end. A
  /// member present from the first to the last call is visited at least once whatever changes in between; some may be
  /// visited twice. A set that is not large(), or is short, is visited whole.
  template <class F>
  std::uint64_t scan(std::uint64_t cursor, std::size_t count, F&& visit) const {
    return scan_from(cursor, count, &call<std::remove_reference_t<F>>, erased(visit));
  }

  /// Whether redis-server would have left its packed encoding: at some put of a new member there were more than
  /// max_packed_entries, or the member was longer than max_packed_value. Stays so until the set is empty.
  bool large() const noexcept;
  /// Whether the set is in the encoding for several scores.
  bool scored() const noexcept;
  /// Bytes allocated, without the allocator's own. O(1), or one chunk's length for a short set.
  std::size_t memory() const noexcept;
  /// Aborts when an invariant is broken. O(n), for tests.
  void check() const;

 private:
  using Visit = void (*)(void* visitor, const Item& item);

  template <class F>
  static void call(void* visitor, const Item& item) {
    (*static_cast<F*>(visitor))(item);
  }
  template <class F>
  static void* erased(F& visit) noexcept {
    return const_cast<void*>(static_cast<const void*>(std::addressof(visit)));
  }
  std::size_t take_front(std::size_t count, Visit visit, void* visitor);
  std::size_t take_back(std::size_t count, Visit visit, void* visitor);
  std::size_t take_range(std::size_t first_rank, std::size_t last_rank, Visit visit, void* visitor);
  std::uint64_t scan_from(std::uint64_t cursor, std::size_t count, Visit visit, void* visitor) const;

  /// 0 when empty; else the only chunk with flags in the low bits, or the body of a longer set.
  std::uintptr_t state_ = 0;
};

}  // namespace fairlane::data
