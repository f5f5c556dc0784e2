#include "command/zset_range.hpp"

#include <algorithm>

#include "fairlane/base/number.hpp"

namespace fairlane::command {
namespace {

using data::SortedSet;
using Kind = MemberBound::Kind;

std::optional<MemberBound> parse_member_bound(std::string_view text) noexcept {
  if (text.empty()) return std::nullopt;
  // Redis takes the text for a C string here: what follows a NUL is not looked at.
  const bool alone = text.size() == 1 || text[1] == '\0';
  switch (text.front()) {
    case '-':
      return alone ? std::optional(MemberBound{Kind::lowest, true}) : std::nullopt;
    case '+':
      return alone ? std::optional(MemberBound{Kind::highest, true}) : std::nullopt;
    case '(':
      return MemberBound{Kind::member, true, text.substr(1)};
    case '[':
      return MemberBound{Kind::member, false, text.substr(1)};
    default:
      return std::nullopt;
  }
}

/// Among several scores members are in no order, and Redis then asks the two outermost ones whether to look at all.
bool worth_a_look(const SortedSet& set, const MemberRange& range) noexcept {
  if (!set.scored()) return !set.empty();
  return range.above_low(set.last().item()) && range.below_high(set.first().item());
}

template <class Range>
RankRange::Span span_between(const SortedSet& set, const Range& range) noexcept {
  const SortedSet::Cursor first = first_in(set, range);
  const SortedSet::Cursor last = last_in(set, range);
  if (!first.valid() || !last.valid()) return {};
  const std::size_t begin = set.rank_of(first);
  return {begin, set.rank_of(last) + 1 - begin};
}

}  // namespace

RankRange::Span RankRange::in(std::size_t size) const noexcept {
  const auto length = static_cast<std::int64_t>(size);
  const std::int64_t first = std::max<std::int64_t>(start < 0 ? start + length : start, 0);
  const std::int64_t last = std::min(stop < 0 ? stop + length : stop, length - 1);
  if (first > last) return {};
  return {static_cast<std::size_t>(first), static_cast<std::size_t>(last - first + 1)};
}

bool MemberRange::above_low(const SortedSet::Item& item) const noexcept {
  if (low.kind != Kind::member) return low.kind == Kind::lowest;
  return low.exclusive ? item.member > low.member : item.member >= low.member;
}

bool MemberRange::below_high(const SortedSet::Item& item) const noexcept {
  if (high.kind != Kind::member) return high.kind == Kind::highest;
  return high.exclusive ? item.member < high.member : item.member <= high.member;
}

std::optional<ScoreRange> parse_score_range(std::string_view low, std::string_view high) {
  ScoreRange range;
  range.low_exclusive = low.starts_with('(');
  range.high_exclusive = high.starts_with('(');
  const auto from = base::parse_range_end(low.substr(range.low_exclusive ? 1 : 0));
  const auto to = base::parse_range_end(high.substr(range.high_exclusive ? 1 : 0));
  if (!from || !to) return std::nullopt;
  range.low = *from;
  range.high = *to;
  return range;
}

std::optional<MemberRange> parse_member_range(std::string_view low, std::string_view high) noexcept {
  const auto from = parse_member_bound(low);
  const auto to = parse_member_bound(high);
  if (!from || !to) return std::nullopt;
  return MemberRange{*from, *to};
}

SortedSet::Cursor first_in(const SortedSet& set, const ScoreRange& range) noexcept {
  const SortedSet::Cursor at = set.seek_score(range.low, range.low_exclusive);
  return at.valid() && range.below_high(at.item()) ? at : SortedSet::Cursor();
}

SortedSet::Cursor last_in(const SortedSet& set, const ScoreRange& range) noexcept {
  const SortedSet::Cursor at = set.seek_score_back(range.high, range.high_exclusive);
  return at.valid() && range.above_low(at.item()) ? at : SortedSet::Cursor();
}

SortedSet::Cursor first_in(const SortedSet& set, const MemberRange& range) noexcept {
  if (range.low.kind == Kind::highest || !worth_a_look(set, range)) return {};
  const SortedSet::Cursor at =
      range.low.kind == Kind::lowest ? set.first() : set.seek_member(range.low.member, range.low.exclusive);
  return at.valid() && range.below_high(at.item()) ? at : SortedSet::Cursor();
}

SortedSet::Cursor last_in(const SortedSet& set, const MemberRange& range) noexcept {
  if (range.high.kind == Kind::lowest || !worth_a_look(set, range)) return {};
  const SortedSet::Cursor at =
      range.high.kind == Kind::highest ? set.last() : set.seek_member_back(range.high.member, range.high.exclusive);
  return at.valid() && range.above_low(at.item()) ? at : SortedSet::Cursor();
}

RankRange::Span span_of(const SortedSet& set, const ScoreRange& range) noexcept { return span_between(set, range); }

RankRange::Span span_of(const SortedSet& set, const MemberRange& range) noexcept {
  if (!set.scored()) return span_between(set, range);
  const SortedSet::Cursor first = first_in(set, range);
  if (!first.valid()) return {};
  const auto ignore = [](const SortedSet::Item&) {};
  return {set.rank_of(first), visit_range(set, range, Direction::forward, {}, ignore)};
}

void advance(const SortedSet& set, SortedSet::Cursor& cursor, Direction direction, std::int64_t members) noexcept {
  const std::size_t rank = set.rank_of(cursor);
  const std::size_t room = direction == Direction::forward ? set.size() - 1 - rank : rank;
  const auto distance = static_cast<std::size_t>(members);
  if (distance > room) {
    cursor = {};
  } else {
    cursor = set.at_rank(direction == Direction::forward ? rank + distance : rank - distance);
  }
}

}  // namespace fairlane::command
