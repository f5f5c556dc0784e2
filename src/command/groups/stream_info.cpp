// stream_info.cpp - XINFO.
#include <algorithm>
#include <optional>

#include "command/groups.hpp"
#include "command/help.hpp"
#include "command/stream_words.hpp"
#include "fairlane/command/context.hpp"

namespace fairlane::command {
namespace {

using data::Stream;
using data::StreamConsumer;
using data::StreamEntry;
using data::StreamGroup;
using data::StreamId;

constexpr std::uint64_t kShown = 10;  ///< entries, unless told otherwise

void field(protocol::Reply& reply, std::string_view name, std::uint64_t value) {
  reply.bulk(name);
  reply.integer(static_cast<std::int64_t>(value));
}
void field(protocol::Reply& reply, std::string_view name, StreamId id) {
  reply.bulk(name);
  write_stream_id(reply, id);
}
/// Null when it is not known.
void count_field(protocol::Reply& reply, std::string_view name, std::optional<std::int64_t> count) {
  reply.bulk(name);
  count ? reply.integer(*count) : reply.null();
}

std::optional<std::int64_t> known(std::int64_t entries_read) {
  return entries_read == StreamGroup::kUnknown ? std::nullopt : std::optional(entries_read);
}

/// Entries that the group has not read. Below zero when it was told that it read more than there were.
std::optional<std::int64_t> lag_of(const Stream& stream, const StreamGroup& group) {
  const auto added = static_cast<std::int64_t>(stream.entries_added());
  if (added == 0) return 0;
  if (group.entries_read != StreamGroup::kUnknown && !stream.erased_from(group.last_id)) {
    return added - group.entries_read;
  }
  const auto read = known(stream.entries_up_to(group.last_id));
  return read ? std::optional(added - *read) : std::nullopt;
}

void write_facts(protocol::Reply& reply, const Stream& stream) {
  field(reply, "length", stream.size());
  field(reply, "radix-tree-keys", stream.blocks());
  field(reply, "radix-tree-nodes", stream.tree_nodes());
  field(reply, "last-generated-id", stream.last_id());
  field(reply, "max-deleted-entry-id", stream.max_deleted_id());
  field(reply, "entries-added", stream.entries_added());
  field(reply, "recorded-first-entry-id", stream.first_id());
}

void write_edge(protocol::Reply& reply, std::string_view name, const Stream& stream, bool last) {
  reply.bulk(name);
  bool any = false;
  const auto write = [&](const StreamEntry& entry) {
    write_stream_entry(reply, entry);
    any = true;
    return false;
  };
  last ? stream.for_each_reverse(StreamId::least(), StreamId::most(), write)
       : stream.for_each(StreamId::least(), StreamId::most(), write);
  if (!any) reply.null();
}

void write_group_pending(protocol::Reply& reply, const StreamGroup& group, std::uint64_t count) {
  field(reply, "pel-count", group.pending.size());
  reply.bulk("pending");
  const std::size_t shown = count == 0 ? group.pending.size() : std::min<std::size_t>(count, group.pending.size());
  reply.array(shown);
  auto at = group.pending.begin();
  for (std::size_t i = 0; i < shown; ++i, ++at) {
    reply.array(4);
    write_stream_id(reply, at->first);
    reply.bulk(at->second.consumer->name);
    reply.integer(at->second.delivered);
    reply.integer(static_cast<std::int64_t>(at->second.count));
  }
}

void write_consumer(protocol::Reply& reply, const StreamGroup& group, const StreamConsumer& consumer,
                    std::uint64_t count) {
  reply.map(4);
  reply.bulk("name");
  reply.bulk(consumer.name);
  field(reply, "seen-time", static_cast<std::uint64_t>(consumer.seen));
  field(reply, "pel-count", consumer.pending.size());
  reply.bulk("pending");
  const std::size_t shown =
      count == 0 ? consumer.pending.size() : std::min<std::size_t>(count, consumer.pending.size());
  reply.array(shown);
  auto at = consumer.pending.begin();
  for (std::size_t i = 0; i < shown; ++i, ++at) {
    const data::PendingEntry& pending = group.pending.at(*at);
    reply.array(3);
    write_stream_id(reply, *at);
    reply.integer(pending.delivered);
    reply.integer(static_cast<std::int64_t>(pending.count));
  }
}

void write_whole_group(protocol::Reply& reply, const Stream& stream, const std::string& name, const StreamGroup& group,
                       std::uint64_t count) {
  reply.map(7);
  reply.bulk("name");
  reply.bulk(name);
  field(reply, "last-delivered-id", group.last_id);
  count_field(reply, "entries-read", known(group.entries_read));
  count_field(reply, "lag", lag_of(stream, group));
  write_group_pending(reply, group, count);
  reply.bulk("consumers");
  reply.array(group.consumers.size());
  for (const auto& [consumer_name, consumer] : group.consumers) write_consumer(reply, group, *consumer, count);
}

void write_full(protocol::Reply& reply, const Stream& stream, std::uint64_t count) {
  reply.map(9);
  write_facts(reply, stream);
  reply.bulk("entries");
  write_stream_range(reply, stream, StreamId::least(), StreamId::most(), count);
  reply.bulk("groups");
  reply.array(stream.groups().size());
  for (const auto& [name, group] : stream.groups()) write_whole_group(reply, stream, name, group, count);
}

Outcome xinfo_stream(Context& ctx, Args& args) {
  const std::string_view key = args.text();
  const auto stream = ctx.keys.find<Stream>(key);
  if (stream.absent()) return ctx.fail(errors::kNoSuchKey);
  if (stream.wrong_type()) return ctx.fail(errors::kWrongType);
  const bool full = args.option("FULL");
  std::uint64_t count = kShown;
  // A word too many is said before what is wrong with the count.
  if (full && args.left() == 2 && args.option_with("COUNT", 1)) {
    const std::int64_t wanted = args.integer();
    count = wanted < 0 ? kShown : static_cast<std::uint64_t>(wanted);
  }
  if (!args.ok()) return ctx.fail(args.error());
  if (args.more()) {
    return ctx.fail("ERR unknown subcommand or wrong number of arguments for '" + std::string(ctx.request[1]) +
                    "'. Try XINFO HELP.");
  }
  if (full) {
    write_full(ctx.reply, *stream, count);
    return Outcome::done;
  }
  ctx.reply.map(10);
  write_facts(ctx.reply, *stream);
  field(ctx.reply, "groups", stream->groups().size());
  write_edge(ctx.reply, "first-entry", *stream, false);
  write_edge(ctx.reply, "last-entry", *stream, true);
  return Outcome::done;
}

Outcome xinfo_groups(Context& ctx, Args& args) {
  const auto stream = ctx.keys.find<Stream>(args.text());
  if (stream.absent()) return ctx.fail(errors::kNoSuchKey);
  if (stream.wrong_type()) return ctx.fail(errors::kWrongType);
  protocol::Reply& reply = ctx.reply;
  reply.array(stream->groups().size());
  for (const auto& [name, group] : stream->groups()) {
    reply.map(6);
    reply.bulk("name");
    reply.bulk(name);
    field(reply, "consumers", group.consumers.size());
    field(reply, "pending", group.pending.size());
    field(reply, "last-delivered-id", group.last_id);
    count_field(reply, "entries-read", known(group.entries_read));
    count_field(reply, "lag", lag_of(*stream, group));
  }
  return Outcome::done;
}

Outcome xinfo_consumers(Context& ctx, Args& args) {
  const std::string_view key = args.text();
  const std::string_view name = args.text();
  const auto stream = ctx.keys.find<Stream>(key);
  if (stream.absent()) return ctx.fail(errors::kNoSuchKey);
  if (stream.wrong_type()) return ctx.fail(errors::kWrongType);
  const auto group = stream->groups().find(name);
  if (group == stream->groups().end()) return ctx.fail(no_such_group(key, name));
  ctx.reply.array(group->second.consumers.size());
  for (const auto& [consumer_name, consumer] : group->second.consumers) {
    ctx.reply.map(3);
    ctx.reply.bulk("name");
    ctx.reply.bulk(consumer_name);
    field(ctx.reply, "pending", consumer->pending.size());
    field(ctx.reply, "idle", static_cast<std::uint64_t>(std::max<std::int64_t>(ctx.now - consumer->seen, 0)));
  }
  return Outcome::done;
}

constexpr Keys kKey = key_at(2, Use::ro | Use::access);

constexpr Spec kSpecs[] = {
    {.syntax = "XINFO",
     .group = Group::stream,
     .docs = {.summary = "Commands that tell about streams.",
              .complexity = "Depends on the subcommand",
              .since = "5.0.0"},
     .arity = -2},
    {.syntax = "XINFO STREAM key [<FULL [COUNT count:integer]>]",
     .handler = xinfo_stream,
     .flags = Flag::readonly,
     .keys = kKey,
     .group = Group::stream,
     .docs = {.summary = "Tells about a stream.", .complexity = "O(1), O(N) with FULL", .since = "5.0.0"},
     .arity = -3},
    {.syntax = "XINFO GROUPS key",
     .handler = xinfo_groups,
     .flags = Flag::readonly,
     .keys = kKey,
     .group = Group::stream,
     .docs = {.summary = "Tells about the groups of a stream.", .complexity = "O(N), N groups", .since = "5.0.0"}},
    {.syntax = "XINFO CONSUMERS key group",
     .handler = xinfo_consumers,
     .flags = Flag::readonly,
     .keys = kKey,
     .group = Group::stream,
     .docs = {.summary = "Tells about the consumers of a group.", .complexity = "O(N), N consumers", .since = "5.0.0"},
     .tips = "nondeterministic_output"},
    {.syntax = "XINFO HELP",
     .handler = help,
     .flags = Flag::loading | Flag::stale,
     .group = Group::stream,
     .docs = {.summary = "Prints this help.", .complexity = "O(1)", .since = "5.0.0"}},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> stream_info_commands() { return kSpecs; }

}  // namespace fairlane::command
