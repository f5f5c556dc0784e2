#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "fairlane/data/sorted_set.hpp"

/// The three ways to name a part of a sorted set: by position, by score and by member.
namespace fairlane::command {

enum class Direction : bool { forward, backward };

/// Which members of a range are wanted: none for a negative offset, all that are left for a negative limit.
struct Window {
  std::int64_t offset = 0;
  std::int64_t limit = -1;
};

/// Positions from `start` to `stop`; negative ones count from the end.
struct RankRange {
  std::int64_t start = 0;
  std::int64_t stop = -1;

  struct Span {
    std::size_t first = 0;
    std::size_t count = 0;
  };
  /// The positions that a set of this size has, cut at both ends.
  Span in(std::size_t size) const noexcept;
};

struct ScoreRange {
  double low = 0;
  double high = 0;
  bool low_exclusive = false;
  bool high_exclusive = false;

  bool above_low(const data::SortedSet::Item& item) const noexcept {
    return low_exclusive ? item.score > low : item.score >= low;
  }
  bool below_high(const data::SortedSet::Item& item) const noexcept {
    return high_exclusive ? item.score < high : item.score <= high;
  }
};

/// One end of a range of members: "-", "+", "[member" or "(member".
struct MemberBound {
  enum class Kind : std::uint8_t { lowest, member, highest };
  Kind kind = Kind::lowest;
  bool exclusive = false;
  std::string_view member = {};
};

struct MemberRange {
  MemberBound low;
  MemberBound high;

  bool above_low(const data::SortedSet::Item& item) const noexcept;
  bool below_high(const data::SortedSet::Item& item) const noexcept;
};

/// "5", "(5", "-inf"; nothing when an end is no number.
std::optional<ScoreRange> parse_score_range(std::string_view low, std::string_view high);
/// Nothing when an end has none of the four forms. The range keeps views of both texts.
std::optional<MemberRange> parse_member_range(std::string_view low, std::string_view high) noexcept;

/// The first and the last member of a set in a range, invalid when there is none. O(log n). Where a set has several
/// scores and members are asked for, what redis-server finds (SortedSet::seek_member).
data::SortedSet::Cursor first_in(const data::SortedSet& set, const ScoreRange& range) noexcept;
data::SortedSet::Cursor last_in(const data::SortedSet& set, const ScoreRange& range) noexcept;
data::SortedSet::Cursor first_in(const data::SortedSet& set, const MemberRange& range) noexcept;
data::SortedSet::Cursor last_in(const data::SortedSet& set, const MemberRange& range) noexcept;

/// The positions of all members in a range; O(log n), but O(n) for a range of members over several scores.
RankRange::Span span_of(const data::SortedSet& set, const ScoreRange& range) noexcept;
RankRange::Span span_of(const data::SortedSet& set, const MemberRange& range) noexcept;

/// Moves a cursor by so many members; invalid when there are not so many. O(log n).
void advance(const data::SortedSet& set, data::SortedSet::Cursor& cursor, Direction direction,
             std::int64_t members) noexcept;

inline void step(data::SortedSet::Cursor& cursor, Direction direction) noexcept {
  if (direction == Direction::forward) {
    cursor.next();
  } else {
    cursor.prev();
  }
}

/// visit(item) for the members in a range, from its low end or back from its high one, as far as the window shows them;
/// returns how many. O(log n) and as many steps.
template <class Range, class Visit>
std::size_t visit_range(const data::SortedSet& set, const Range& range, Direction direction, const Window& window,
                        Visit&& visit) {
  if (window.offset < 0) return 0;
  const bool forward = direction == Direction::forward;
  data::SortedSet::Cursor at = forward ? first_in(set, range) : last_in(set, range);
  if (window.offset > 0 && at.valid()) advance(set, at, direction, window.offset);
  std::size_t visited = 0;
  // A negative limit is as good as the greatest number.
  for (const auto limit = static_cast<std::uint64_t>(window.limit); at.valid() && visited != limit; ++visited) {
    const data::SortedSet::Item item = at.item();
    if (!(forward ? range.below_high(item) : range.above_low(item))) break;
    visit(item);
    step(at, direction);
  }
  return visited;
}

/// The same by position, counted from the end that the direction begins with; the window does not matter.
template <class Visit>
std::size_t visit_range(const data::SortedSet& set, const RankRange& range, Direction direction, const Window&,
                        Visit&& visit) {
  const RankRange::Span span = range.in(set.size());
  if (span.count == 0) return 0;
  data::SortedSet::Cursor at = set.at_rank(direction == Direction::forward ? span.first : set.size() - 1 - span.first);
  for (std::size_t i = 0; i < span.count; ++i) {
    visit(at.item());
    step(at, direction);
  }
  return span.count;
}

}  // namespace fairlane::command
