// string_range.cpp - parts of strings: APPEND, STRLEN, GETRANGE, SETRANGE.
#include <algorithm>
#include <cstring>

#include "command/groups.hpp"
#include "fairlane/command/context.hpp"
#include "fairlane/command/services.hpp"
#include "fairlane/command/settings.hpp"

namespace fairlane::command {
namespace {

namespace events = engine::events;

/// Would a string of this length be longer than a client may send?
bool too_long(const Context& ctx, std::uint64_t length) {
  return length > static_cast<std::uint64_t>(ctx.services.settings.limits.max_bulk_length);
}

Outcome append(Context& ctx, Args& args) {
  auto value = ctx.keys.edit_string(args.text());
  if (value.wrong_type()) return ctx.fail(errors::kWrongType);
  const std::string_view tail = args.text();
  const std::size_t old_size = value.size();
  if (value.absent()) {
    value.assign(tail);
  } else {
    if (too_long(ctx, old_size + tail.size())) return ctx.fail(errors::kStringTooLong);
    char* bytes = value.resize(old_size + tail.size());
    if (!tail.empty()) std::memcpy(bytes + old_size, tail.data(), tail.size());
  }
  value.commit(events::kAppend);
  ctx.reply.integer(static_cast<std::int64_t>(old_size + tail.size()));
  return Outcome::done;
}

Outcome strlen(Context& ctx, Args& args) {
  const auto value = ctx.keys.find_string(args.text());
  if (value.wrong_type()) return ctx.fail(errors::kWrongType);
  ctx.reply.integer(value.absent() ? 0 : static_cast<std::int64_t>(value.size()));
  return Outcome::done;
}

/// The part of a text between two places, both included; negative places count from the end, -1 being the last.
std::string_view part(std::string_view text, std::int64_t first, std::int64_t last) {
  const auto size = static_cast<std::int64_t>(text.size());
  // Before places are moved into the text: -1 to -100 is nothing, even when both lie before the beginning.
  if (first < 0 && last < 0 && first > last) return {};
  if (first < 0) first = std::max<std::int64_t>(first + size, 0);
  if (last < 0) last = std::max<std::int64_t>(last + size, 0);
  last = std::min(last, size - 1);
  if (first > last) return {};
  return text.substr(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first + 1));
}

Outcome getrange(Context& ctx, Args& args) {
  const std::string_view key = args.text();
  const std::int64_t first = args.integer();
  const std::int64_t last = args.integer();
  if (!args.ok()) return ctx.fail(args.error());
  const auto value = ctx.keys.find_string(key);
  if (value.wrong_type()) return ctx.fail(errors::kWrongType);
  engine::Scratch scratch;
  ctx.reply.bulk(value.absent() ? std::string_view() : part(value.text(scratch), first, last));
  return Outcome::done;
}

Outcome setrange(Context& ctx, Args& args) {
  const std::string_view key = args.text();
  const std::int64_t offset = args.integer();
  const std::string_view bytes = args.text();
  if (!args.ok()) return ctx.fail(args.error());
  if (offset < 0) return ctx.fail("ERR offset is out of range");
  auto value = ctx.keys.edit_string(key);
  if (value.wrong_type()) return ctx.fail(errors::kWrongType);
  if (bytes.empty()) {
    ctx.reply.integer(static_cast<std::int64_t>(value.size()));
    return Outcome::done;
  }
  const std::uint64_t end = static_cast<std::uint64_t>(offset) + bytes.size();
  if (too_long(ctx, end)) return ctx.fail(errors::kStringTooLong);
  const std::size_t size = std::max<std::size_t>(value.size(), end);
  std::memcpy(value.resize(size) + offset, bytes.data(), bytes.size());
  value.commit(events::kSetRange);
  ctx.reply.integer(static_cast<std::int64_t>(size));
  return Outcome::done;
}

constexpr std::string_view kRangeComplexity = "O(N) where N is the length of the returned string.";

constexpr Spec kSpecs[] = {
    {.syntax = "APPEND key value",
     .handler = append,
     .flags = Flag::write | Flag::denyoom | Flag::fast,
     .keys = key_at(1, Use::rw | Use::insert),
     .group = Group::string,
     .docs = {.summary = "Appends to the string value of a key, which it makes when it is missing.",
              .complexity = "O(1) amortized, for short values appended.",
              .since = "2.0.0"}},
    {.syntax = "STRLEN key",
     .handler = strlen,
     .flags = Flag::readonly | Flag::fast,
     .keys = key_at(1, Use::ro),
     .group = Group::string,
     .docs = {.summary = "Returns the length of the string value of a key.", .complexity = "O(1)", .since = "2.2.0"}},
    {.syntax = "GETRANGE key start:integer end:integer",
     .handler = getrange,
     .flags = Flag::readonly,
     .keys = key_at(1, Use::ro | Use::access),
     .group = Group::string,
     .docs = {.summary = "Returns a part of the string value of a key.",
              .complexity = kRangeComplexity,
              .since = "2.4.0"}},
    {.syntax = "SUBSTR key start:integer end:integer",
     .handler = getrange,
     .flags = Flag::readonly,
     .keys = key_at(1, Use::ro | Use::access),
     .group = Group::string,
     .docs = {.summary = "Returns a part of the string value of a key.",
              .complexity = kRangeComplexity,
              .since = "1.0.0",
              .deprecated_since = "2.0.0",
              .replaced_by = "`GETRANGE`"}},
    {.syntax = "SETRANGE key offset:integer value",
     .handler = setrange,
     .flags = Flag::write | Flag::denyoom,
     .keys = key_at(1, Use::rw | Use::update),
     .group = Group::string,
     .docs = {.summary = "Overwrites a part of the string value of a key, which grows when need be.",
              .complexity = "O(M) where M is the length of the value.",
              .since = "2.2.0"}},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> string_range_commands() { return kSpecs; }

}  // namespace fairlane::command
