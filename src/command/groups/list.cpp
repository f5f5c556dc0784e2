// list.cpp - lists: their ends, their elements by index and by value, moving elements between them.
#include <algorithm>

#include "command/arity.hpp"
#include "command/groups.hpp"
#include "command/list_ends.hpp"
#include "fairlane/command/context.hpp"

namespace fairlane::command {
namespace {

using data::List;

// --- the ends

void push_all(Context& ctx, engine::Edit<List>& list, std::span<const std::string_view> values, ListEnd end) {
  if (end == ListEnd::left) {
    for (const std::string_view value : values) list->push_front(value);
  } else {
    for (const std::string_view value : values) list->push_back(value);
  }
  ctx.reply.integer(static_cast<std::int64_t>(list->size()));
  list.commit(push_event(end));
}

Outcome push(Context& ctx, Args& args, ListEnd end) {
  auto list = ctx.keys.upsert<List>(args.text());
  if (list.wrong_type()) return ctx.fail(errors::kWrongType);
  push_all(ctx, list, args.rest(), end);
  return Outcome::done;
}

Outcome push_existing(Context& ctx, Args& args, ListEnd end) {
  auto list = ctx.keys.edit<List>(args.text());
  if (list.wrong_type()) return ctx.fail(errors::kWrongType);
  if (list.absent()) {
    ctx.reply.integer(0);
  } else {
    push_all(ctx, list, args.rest(), end);
  }
  return Outcome::done;
}

Outcome lpush(Context& ctx, Args& args) { return push(ctx, args, ListEnd::left); }
Outcome rpush(Context& ctx, Args& args) { return push(ctx, args, ListEnd::right); }
Outcome lpushx(Context& ctx, Args& args) { return push_existing(ctx, args, ListEnd::left); }
Outcome rpushx(Context& ctx, Args& args) { return push_existing(ctx, args, ListEnd::right); }

Outcome pop(Context& ctx, Args& args, ListEnd end) {
  const std::string_view key = args.text();
  if (args.left() > 1) return wrong_arity(ctx);
  const bool counted = args.more();
  const std::int64_t count = counted ? args.integer_in(0, INT64_MAX, errors::kNotPositive, errors::kNotPositive) : 1;
  if (!args.ok()) return ctx.fail(args.error());
  auto list = ctx.keys.edit<List>(key);
  if (list.wrong_type()) return ctx.fail(errors::kWrongType);
  if (list.absent()) {
    counted ? ctx.reply.null_array() : ctx.reply.null();
  } else if (!counted) {
    pop_element(ctx.reply, list, end);
  } else if (count == 0) {
    ctx.reply.array(0);
  } else {
    pop_elements(ctx.reply, list, end, count);
  }
  return Outcome::done;
}

Outcome lpop(Context& ctx, Args& args) { return pop(ctx, args, ListEnd::left); }
Outcome rpop(Context& ctx, Args& args) { return pop(ctx, args, ListEnd::right); }

Outcome lmpop(Context& ctx, Args& args) {
  const ListPop pop = parse_list_pop(args);
  if (!args.ok()) return ctx.fail(args.error());
  const Outcome outcome = pop_from_first(ctx, pop);
  if (outcome != Outcome::wait) return outcome;
  ctx.reply.null_array();
  return Outcome::done;
}

Outcome move(Context& ctx, const ListMove& move) {
  auto list = ctx.keys.edit<List>(move.source);
  if (list.wrong_type()) return ctx.fail(errors::kWrongType);
  if (!list.absent()) return move_element(ctx, list, move);
  ctx.reply.null();
  return Outcome::done;
}

Outcome lmove(Context& ctx, Args& args) {
  const std::string_view source = args.text();
  const std::string_view destination = args.text();
  const ListEnd from = list_end(args);
  const ListEnd to = list_end(args);
  if (!args.ok()) return ctx.fail(args.error());
  return move(ctx, {source, destination, from, to});
}

Outcome rpoplpush(Context& ctx, Args& args) {
  const std::string_view source = args.text();
  return move(ctx, {source, args.text(), ListEnd::right, ListEnd::left});
}

// --- by index

Outcome llen(Context& ctx, Args& args) {
  const auto list = ctx.keys.find<List>(args.text());
  if (list.wrong_type()) return ctx.fail(errors::kWrongType);
  ctx.reply.integer(list.absent() ? 0 : static_cast<std::int64_t>(list->size()));
  return Outcome::done;
}

Outcome lindex(Context& ctx, Args& args) {
  const auto list = ctx.keys.find<List>(args.text());
  if (list.wrong_type()) return ctx.fail(errors::kWrongType);
  if (list.absent()) {
    ctx.reply.null();
    return Outcome::done;
  }
  const std::int64_t index = args.integer();
  if (!args.ok()) return ctx.fail(args.error());
  const auto value = list->at(index);
  value ? ctx.reply.bulk(*value) : ctx.reply.null();
  return Outcome::done;
}

Outcome lrange(Context& ctx, Args& args) {
  const std::string_view key = args.text();
  std::int64_t first = args.integer();
  std::int64_t last = args.integer();
  if (!args.ok()) return ctx.fail(args.error());
  const auto list = ctx.keys.find<List>(key);
  if (list.wrong_type()) return ctx.fail(errors::kWrongType);
  const std::int64_t size = list.absent() ? 0 : static_cast<std::int64_t>(list->size());
  if (first < 0) first = std::max<std::int64_t>(first + size, 0);
  if (last < 0) last += size;
  last = std::min(last, size - 1);
  if (first > last) {
    ctx.reply.array(0);
    return Outcome::done;
  }
  const auto count = static_cast<std::size_t>(last - first + 1);
  ctx.reply.array(count);
  list->for_each(static_cast<std::size_t>(first), count, [&](std::string_view value) { ctx.reply.bulk(value); });
  return Outcome::done;
}

Outcome lset(Context& ctx, Args& args) {
  auto list = ctx.keys.edit<List>(args.text());
  if (list.absent()) return ctx.fail(errors::kNoSuchKey);
  if (list.wrong_type()) return ctx.fail(errors::kWrongType);
  const std::int64_t index = args.integer();
  if (!args.ok()) return ctx.fail(args.error());
  if (!list->set(index, args.text())) return ctx.fail(errors::kIndexRange);
  ctx.reply.ok();
  list.commit(engine::events::kLSet);
  return Outcome::done;
}

Outcome ltrim(Context& ctx, Args& args) {
  const std::string_view key = args.text();
  const std::int64_t first = args.integer();
  const std::int64_t last = args.integer();
  if (!args.ok()) return ctx.fail(args.error());
  auto list = ctx.keys.edit<List>(key);
  if (list.wrong_type()) return ctx.fail(errors::kWrongType);
  ctx.reply.ok();
  if (list.absent()) return Outcome::done;
  list->trim(first, last);
  list.commit(engine::events::kLTrim);
  return Outcome::done;
}

// --- by value

Outcome linsert(Context& ctx, Args& args) {
  const std::string_view key = args.text();
  const bool before = args.option("BEFORE");
  if (!before && !args.option("AFTER")) return ctx.fail(errors::kSyntax);
  const std::string_view pivot = args.text();
  const std::string_view value = args.text();
  auto list = ctx.keys.edit<List>(key);
  if (list.wrong_type()) return ctx.fail(errors::kWrongType);
  if (list.absent()) {
    ctx.reply.integer(0);
  } else if (before ? list->insert_before(pivot, value) : list->insert_after(pivot, value)) {
    ctx.reply.integer(static_cast<std::int64_t>(list->size()));
    list.commit(engine::events::kLInsert);
  } else {
    ctx.reply.integer(-1);
  }
  return Outcome::done;
}

Outcome lrem(Context& ctx, Args& args) {
  const std::string_view key = args.text();
  const std::int64_t count = args.integer();
  if (!args.ok()) return ctx.fail(args.error());
  auto list = ctx.keys.edit<List>(key);
  if (list.wrong_type()) return ctx.fail(errors::kWrongType);
  std::size_t removed = 0;
  if (!list.absent()) {
    const std::size_t limit = count < 0 ? 0 - static_cast<std::size_t>(count) : static_cast<std::size_t>(count);
    removed =
        list->erase_matching(args.text(), limit, count < 0 ? data::Direction::backward : data::Direction::forward);
  }
  ctx.reply.integer(static_cast<std::int64_t>(removed));
  if (removed != 0) list.commit(engine::events::kLRem);
  return Outcome::done;
}

/// What LPOS looks for.
struct Search {
  std::string_view value;
  data::Direction direction = data::Direction::forward;
  std::uint64_t skipped = 0;            // matches before the first that is answered
  bool counted = false;                 // answers an array
  std::uint64_t most = 1;               // matches answered
  std::uint64_t compared = UINT64_MAX;  // elements looked at
};

void read_rank(Args& args, Search& search, std::int64_t& rank) {
  rank = args.integer();
  if (args.ok() && rank == 0) {
    args.fail(
        "ERR RANK can't be zero: use 1 to start from the first match, 2 from the second ... or use negative to start "
        "from the end of the list");
  }
  search.direction = rank < 0 ? data::Direction::backward : data::Direction::forward;
  // The smallest rank has no counterpart among the positive numbers; Redis starts from the end for it.
  search.skipped = rank == INT64_MIN ? 0 : static_cast<std::uint64_t>(rank < 0 ? -rank : rank) - 1;
}

Search parse_search(Args& args) {
  Search search{.value = args.text()};
  std::int64_t rank = 1;
  while (args.more()) {
    if (args.option_with("RANK", 1)) {
      read_rank(args, search, rank);
    } else if (args.option_with("COUNT", 1)) {
      constexpr std::string_view kNegative = "ERR COUNT can't be negative";
      search.counted = true;
      search.most = static_cast<std::uint64_t>(args.integer_in(0, INT64_MAX, kNegative, kNegative));
    } else if (args.option_with("MAXLEN", 1)) {
      constexpr std::string_view kNegative = "ERR MAXLEN can't be negative";
      search.compared = static_cast<std::uint64_t>(args.integer_in(0, INT64_MAX, kNegative, kNegative));
    } else {
      args.fail(errors::kSyntax);
    }
  }
  if (search.most == 0 || (search.counted && rank == INT64_MIN)) search.most = UINT64_MAX;
  if (search.compared == 0) search.compared = UINT64_MAX;
  return search;
}

/// Calls found(index) for the matches to be answered; returns how many these were.
template <class Found>
std::size_t find_all(const List& list, const Search& search, Found&& found) {
  const bool forward = search.direction == data::Direction::forward;
  const std::uint64_t looks = std::min<std::uint64_t>(search.compared, list.size());
  std::uint64_t matches = 0;
  std::size_t answered = 0;
  data::ListCursor cursor = list.cursor_at(forward ? 0 : -1);
  for (std::uint64_t i = 0; i < looks; ++i) {
    if (cursor.value() == search.value && ++matches > search.skipped) {
      found(static_cast<std::int64_t>(forward ? i : list.size() - 1 - i));
      if (++answered == search.most) break;
    }
    forward ? cursor.next() : cursor.prev();
  }
  return answered;
}

Outcome lpos(Context& ctx, Args& args) {
  const std::string_view key = args.text();
  const Search search = parse_search(args);
  if (!args.ok()) return ctx.fail(args.error());
  const auto list = ctx.keys.find<List>(key);
  if (list.wrong_type()) return ctx.fail(errors::kWrongType);
  const protocol::Reply::Place place = ctx.reply.open();
  std::size_t answered = 0;
  if (!list.absent()) {
    answered = find_all(*list, search, [&](std::int64_t index) { ctx.reply.integer(index); });
  }
  if (search.counted) {
    ctx.reply.close_array(place, answered);
  } else if (answered == 0) {
    ctx.reply.null();
  }
  return Outcome::done;
}

constexpr Keys kGrown = key_at(1, Use::rw | Use::insert);
constexpr Keys kPopped = key_at(1, Use::rw | Use::access | Use::del);
constexpr Keys kShrunk = key_at(1, Use::rw | Use::del);
constexpr Keys kRead = key_at(1, Use::ro | Use::access);
constexpr Keys kMoved = kPopped.and_(key_at(2, Use::rw | Use::insert));

constexpr Spec kSpecs[] = {
    {.syntax = "LPUSH key element [element ...]",
     .handler = lpush,
     .flags = Flag::write | Flag::denyoom | Flag::fast,
     .keys = kGrown,
     .group = Group::list,
     .docs = {.summary = "Puts elements before the first of a list, one after the other; makes the list.",
              .complexity = "O(1) an element",
              .since = "1.0.0"}},
    {.syntax = "RPUSH key element [element ...]",
     .handler = rpush,
     .flags = Flag::write | Flag::denyoom | Flag::fast,
     .keys = kGrown,
     .group = Group::list,
     .docs = {.summary = "Puts elements behind the last of a list; makes the list.",
              .complexity = "O(1) an element",
              .since = "1.0.0"}},
    {.syntax = "LPUSHX key element [element ...]",
     .handler = lpushx,
     .flags = Flag::write | Flag::denyoom | Flag::fast,
     .keys = kGrown,
     .group = Group::list,
     .docs = {.summary = "Puts elements before the first of a list that exists.",
              .complexity = "O(1) an element",
              .since = "2.2.0"}},
    {.syntax = "RPUSHX key element [element ...]",
     .handler = rpushx,
     .flags = Flag::write | Flag::denyoom | Flag::fast,
     .keys = kGrown,
     .group = Group::list,
     .docs = {.summary = "Puts elements behind the last of a list that exists.",
              .complexity = "O(1) an element",
              .since = "2.2.0"}},
    {.syntax = "LPOP key [count:integer]",
     .handler = lpop,
     .flags = Flag::write | Flag::fast,
     .keys = kPopped,
     .group = Group::list,
     .docs = {.summary = "Takes the first elements of a list.",
              .complexity = "O(N), N elements taken",
              .since = "1.0.0"}},
    {.syntax = "RPOP key [count:integer]",
     .handler = rpop,
     .flags = Flag::write | Flag::fast,
     .keys = kPopped,
     .group = Group::list,
     .docs = {.summary = "Takes the last elements of a list, the last one first.",
              .complexity = "O(N), N elements taken",
              .since = "1.0.0"}},
    {.syntax = "LMPOP numkeys:integer key [key ...] LEFT | RIGHT [COUNT count:integer]",
     .handler = lmpop,
     .flags = Flag::write | Flag::movablekeys,
     .keys = keys_counted_at(1, Use::rw | Use::access | Use::del),
     .group = Group::list,
     .docs = {.summary = "Takes elements from one end of the first of several lists that has any.",
              .complexity = "O(N+M), N keys and M elements taken",
              .since = "7.0.0"}},
    {.syntax = "LMOVE source:key destination:key LEFT | RIGHT LEFT | RIGHT",
     .handler = lmove,
     .flags = Flag::write | Flag::denyoom,
     .keys = kMoved,
     .group = Group::list,
     .docs = {.summary = "Moves an element from one end of a list to an end of the same or another list.",
              .complexity = "O(1)",
              .since = "6.2.0"}},
    {.syntax = "RPOPLPUSH source:key destination:key",
     .handler = rpoplpush,
     .flags = Flag::write | Flag::denyoom,
     .keys = kMoved,
     .group = Group::list,
     .docs = {.summary = "Moves the last element of a list before the first of the same or another list.",
              .complexity = "O(1)",
              .since = "1.2.0",
              .deprecated_since = "6.2.0",
              .replaced_by = "`LMOVE` with the `RIGHT` and `LEFT` arguments"}},
    {.syntax = "LLEN key",
     .handler = llen,
     .flags = Flag::readonly | Flag::fast,
     .keys = key_at(1, Use::ro),
     .group = Group::list,
     .docs = {.summary = "Counts the elements of a list.", .complexity = "O(1)", .since = "1.0.0"}},
    {.syntax = "LINDEX key index:integer",
     .handler = lindex,
     .flags = Flag::readonly,
     .keys = kRead,
     .group = Group::list,
     .docs = {.summary = "Returns the element at an index, counted from the end when negative.",
              .complexity = "O(1) at both ends, O(N) between them",
              .since = "1.0.0"}},
    {.syntax = "LRANGE key start:integer stop:integer",
     .handler = lrange,
     .flags = Flag::readonly,
     .keys = kRead,
     .group = Group::list,
     .docs = {.summary = "Returns the elements between two indexes, both included.",
              .complexity = "O(S+N), S the distance of the start from the nearer end and N elements returned",
              .since = "1.0.0"}},
    {.syntax = "LSET key index:integer element",
     .handler = lset,
     .flags = Flag::write | Flag::denyoom,
     .keys = key_at(1, Use::rw | Use::update),
     .group = Group::list,
     .docs = {.summary = "Replaces the element at an index.",
              .complexity = "O(1) at both ends, O(N) between them",
              .since = "1.0.0"}},
    {.syntax = "LTRIM key start:integer stop:integer",
     .handler = ltrim,
     .flags = Flag::write,
     .keys = kShrunk,
     .group = Group::list,
     .docs = {.summary = "Keeps the elements between two indexes and removes the others.",
              .complexity = "O(N), N elements removed",
              .since = "1.0.0"}},
    {.syntax = "LINSERT key BEFORE | AFTER pivot element",
     .handler = linsert,
     .flags = Flag::write | Flag::denyoom,
     .keys = kGrown,
     .group = Group::list,
     .docs = {.summary = "Puts an element next to the first one that equals the pivot.",
              .complexity = "O(N), N elements up to the pivot",
              .since = "2.2.0"}},
    {.syntax = "LREM key count:integer element",
     .handler = lrem,
     .flags = Flag::write,
     .keys = kShrunk,
     .group = Group::list,
     .docs = {.summary = "Removes the first elements that equal a value, the last ones for a negative count, or all.",
              .complexity = "O(N+M), N elements in the list and M removed",
              .since = "1.0.0"}},
    {.syntax = "LPOS key element [RANK rank:integer] [COUNT num-matches:integer] [MAXLEN len:integer]",
     .handler = lpos,
     .flags = Flag::readonly,
     .keys = kRead,
     .group = Group::list,
     .docs = {.summary = "Returns the indexes of the elements that equal a value.",
              .complexity = "O(N), N elements looked at",
              .since = "6.0.6"}},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> list_commands() { return kSpecs; }

}  // namespace fairlane::command
