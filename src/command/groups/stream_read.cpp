// stream_read.cpp - XREAD, XREADGROUP, XACK.
#include <algorithm>
#include <string>
#include <vector>

#include "command/groups.hpp"
#include "command/stream_words.hpp"
#include "fairlane/command/catalog.hpp"
#include "fairlane/command/context.hpp"

namespace fairlane::command {
namespace {

using data::Stream;
using data::StreamConsumer;
using data::StreamEntry;
using data::StreamGroup;
using data::StreamId;

/// A request to read, as it stands.
struct Reading {
  bool by_group = false;
  std::string_view group;
  std::string_view consumer;
  bool no_ack = false;
  std::uint64_t count = 0;
  std::int64_t block_millis = -1;  ///< -1: does not wait
  std::span<const std::string_view> keys;
  std::span<const std::string_view> ids;  ///< as many as keys
};

/// The words by which a wait goes on: `$` means the last entry of when it began.
struct Position {
  StreamId id;
  bool is_new = false;  ///< ">": what the group has not seen
};

void read_block(Context& ctx, Args& args, Reading& reading) {
  reading.block_millis = args.integer(errors::kTimeoutNotInteger);
  if (!args.ok()) return;
  if (reading.block_millis < 0) return args.fail(errors::kTimeoutNegative);
  // A wait whose end no clock will reach is one without end.
  if (reading.block_millis > INT64_MAX - ctx.now) reading.block_millis = 0;
}

/// Takes one option; false at STREAMS.
bool read_option(Context& ctx, Args& args, Reading& reading, bool of_group, std::string& error) {
  if (args.option_with("BLOCK", 1)) {
    if (ctx.in_script) {
      error = "ERR " + std::string(ctx.request[0]) + " command is not allowed with BLOCK option from scripts";
    } else {
      read_block(ctx, args, reading);
    }
  } else if (args.option_with("COUNT", 1)) {
    const std::int64_t count = args.integer();
    reading.count = count < 0 ? 0 : static_cast<std::uint64_t>(count);
  } else if (args.option_with("STREAMS", 1)) {
    return false;
  } else if (args.option_with("GROUP", 2)) {
    if (!of_group) args.fail("ERR The GROUP option is only supported by XREADGROUP. You called XREAD instead.");
    reading.by_group = true;
    reading.group = args.text();
    reading.consumer = args.text();
  } else if (args.option("NOACK")) {
    if (!of_group) args.fail("ERR The NOACK option is only supported by XREADGROUP. You called XREAD instead.");
    reading.no_ack = true;
  } else {
    args.fail(errors::kSyntax);
  }
  return true;
}

/// Returns an error, or nothing.
std::string read_words(Context& ctx, Args& args, Reading& reading, bool of_group) {
  for (;;) {
    if (!args.more()) return std::string(args.ok() ? errors::kSyntax : args.error());
    std::string error;
    if (!read_option(ctx, args, reading, of_group, error)) break;
    if (!error.empty() || !args.ok()) return error.empty() ? std::string(args.error()) : error;
  }
  const auto words = args.rest();
  if (words.size() % 2 != 0) {
    return "ERR Unbalanced XREAD list of streams: for each stream key an ID or '$' must be specified.";
  }
  if (of_group && !reading.by_group) return "ERR Missing GROUP option for XREADGROUP";
  reading.keys = words.first(words.size() / 2);
  reading.ids = words.subspan(words.size() / 2);
  return {};
}

constexpr std::string_view kDollarInGroup =
    "ERR The $ ID is meaningless in the context of XREADGROUP: you want to read the history of this consumer by "
    "specifying a proper ID, or use the > ID to get new messages. The $ ID would just return an empty result set.";
constexpr std::string_view kNewWithoutGroup =
    "ERR The > ID can be specified only when calling XREADGROUP using the GROUP <group> <consumer> option.";

/// Is the group still there? Returns an error, or nothing.
std::string check_group(Context& ctx, std::string_view key, std::string_view group) {
  auto stream = ctx.keys.edit<Stream>(key);
  // Whoever waits for entries of a group learns that the stream is gone, whatever has come in its place.
  const bool gone = stream.absent() || stream.wrong_type();
  if (gone && ctx.serving()) return "UNBLOCKED the stream key no longer exists";
  if (stream.wrong_type()) return std::string(errors::kWrongType);
  if (!gone && stream->find_group(group) != nullptr) return {};
  if (ctx.serving()) return "NOGROUP the consumer group this client was blocked on no longer exists";
  return no_such_key_or_group(key, group) + " in XREADGROUP with GROUP option";
}

/// Where to read one stream from. Returns an error, or nothing.
std::string read_position(Context& ctx, const Reading& reading, std::size_t i, Position& position) {
  const std::string_view key = reading.keys[i];
  const std::string_view id = reading.ids[i];
  if (reading.by_group) {
    if (const std::string error = check_group(ctx, key, reading.group); !error.empty()) return error;
  }
  const auto stream = ctx.keys.find<Stream>(key);
  if (stream.wrong_type()) return std::string(errors::kWrongType);
  if (id == "$") {
    if (reading.by_group) return std::string(kDollarInGroup);
    if (!stream.absent()) position.id = stream->last_id();
    return {};
  }
  if (id == ">") {
    if (!reading.by_group) return std::string(kNewWithoutGroup);
    position.is_new = true;
    return {};
  }
  const auto parsed = parse_stream_id(id, 0);
  if (!parsed) return std::string(kBadStreamId);
  position.id = *parsed;
  // In a group the largest id is another word for ">".
  position.is_new = reading.by_group && *parsed == StreamId::most();
  return {};
}

/// A key and its entries: an element of the reply, or a pair of the map in RESP3.
void begin_stream(protocol::Reply& reply, std::string_view key) {
  if (!reply.resp3()) reply.array(2);
  reply.bulk(key);
}

StreamConsumer& consumer_of(Context& ctx, StreamGroup& group, std::string_view key, std::string_view name) {
  bool created = false;
  StreamConsumer& consumer = group.consumer(name, ctx.now, created);
  consumer.seen = ctx.now;
  if (created) ctx.keys.notify(key, engine::events::kXGroupCreateConsumer);
  return consumer;
}

/// What is pending for the consumer behind an id, entries that were erased without their fields.
void write_history(Context& ctx, const Stream& stream, StreamGroup& group, StreamConsumer& consumer, StreamId after,
                   std::uint64_t count) {
  const auto place = ctx.reply.open();
  std::size_t written = 0;
  for (auto at = consumer.pending.upper_bound(after); at != consumer.pending.end(); ++at) {
    bool there = false;
    stream.for_each(*at, *at, [&](const StreamEntry& entry) {
      write_stream_entry(ctx.reply, entry);
      there = true;
      return false;
    });
    if (there) {
      data::PendingEntry& pending = group.pending.at(*at);
      pending.delivered = ctx.now;
      ++pending.count;
    } else {
      ctx.reply.array(2);
      write_stream_id(ctx.reply, *at);
      ctx.reply.null_array();
    }
    if (++written == count) break;
  }
  ctx.reply.close_array(place, written);
}

/// The group has given this entry away.
void note_read(const Stream& stream, StreamGroup& group, StreamId id) {
  if (id <= group.last_id) return;
  if (group.entries_read != StreamGroup::kUnknown && !stream.erased_from(id)) {
    ++group.entries_read;
  } else if (stream.entries_added() != 0) {
    group.entries_read = stream.entries_up_to(id);
  }
  group.last_id = id;
}

void write_new(Context& ctx, const Stream& stream, StreamGroup& group, StreamConsumer& consumer,
               const Reading& reading) {
  StreamId first = group.last_id;
  first.increment();
  const auto place = ctx.reply.open();
  std::size_t written = 0;
  stream.for_each(first, StreamId::most(), [&](const StreamEntry& entry) {
    note_read(stream, group, entry.id);
    write_stream_entry(ctx.reply, entry);
    if (!reading.no_ack) {
      data::PendingEntry& pending = group.give(entry.id, consumer);
      pending.delivered = ctx.now;
      pending.count = 1;
    }
    return ++written != reading.count;
  });
  ctx.reply.close_array(place, written);
}

/// Zero when there is none.
StreamId last_entry(const Stream& stream) {
  StreamId last;
  stream.for_each_reverse(StreamId::least(), StreamId::most(), [&last](const StreamEntry& entry) {
    last = entry.id;
    return false;
  });
  return last;
}

/// Did anything come behind this id? One who waits is served even when it has gone meanwhile: he gets an empty list.
bool has_news(const Context& ctx, const Stream& stream, StreamId behind) {
  return (ctx.serving() ? stream.last_id() : last_entry(stream)) > behind;
}

/// Replies for one stream if there is something to tell.
bool serve_group(Context& ctx, const Reading& reading, std::string_view key, const Position& position) {
  auto stream = ctx.keys.edit<Stream>(key);
  StreamGroup& group = *stream->find_group(reading.group);
  if (position.is_new && !has_news(ctx, stream.peek(), group.last_id)) return false;
  begin_stream(ctx.reply, key);
  StreamConsumer& consumer = consumer_of(ctx, group, key, reading.consumer);
  if (position.is_new) {
    write_new(ctx, stream.peek(), group, consumer, reading);
  } else {
    write_history(ctx, stream.peek(), group, consumer, position.id, reading.count);
  }
  return true;
}

bool serve_plain(Context& ctx, const Reading& reading, std::string_view key, const Position& position) {
  const auto stream = ctx.keys.find<Stream>(key);
  if (stream.absent() || !has_news(ctx, *stream, position.id)) return false;
  StreamId first = position.id;
  first.increment();
  begin_stream(ctx.reply, key);
  write_stream_range(ctx.reply, *stream, first, StreamId::most(), reading.count);
  return true;
}

void nothing_came(protocol::Reply& reply) { reply.null_array(); }

/// Parks the client, with ids in place of `$`, or has it wait on.
Outcome wait_on(Context& ctx, const Reading& reading, std::span<const Position> positions) {
  if (ctx.serving()) return Outcome::wait;
  std::vector<std::string> texts(positions.size());
  std::vector<std::string_view> words(ctx.request.begin(), ctx.request.end());
  for (std::size_t i = 0; i < positions.size(); ++i) {
    if (reading.ids[i] != "$") continue;
    texts[i] = std::to_string(positions[i].id.ms) + "-" + std::to_string(positions[i].id.seq);
    words[words.size() - positions.size() + i] = texts[i];
  }
  ctx.wait_with(words);
  return ctx.wait(reading.keys, reading.block_millis, nothing_came);
}

/// One who waits is served with one stream. A key that he named twice counts where it came first.
void keep_served(const Context& ctx, Reading& reading) {
  const auto served = std::find(reading.keys.begin(), reading.keys.end(), *ctx.served_key);
  const auto i = static_cast<std::size_t>(served - reading.keys.begin());
  reading.keys = reading.keys.subspan(i, 1);
  reading.ids = reading.ids.subspan(i, 1);
}

Outcome read(Context& ctx, Args& args, bool of_group) {
  Reading reading;
  if (const std::string error = read_words(ctx, args, reading, of_group); !error.empty()) return ctx.fail(error);
  if (ctx.serving()) keep_served(ctx, reading);
  std::vector<Position> positions(reading.keys.size());
  for (std::size_t i = 0; i < reading.keys.size(); ++i) {
    if (const std::string error = read_position(ctx, reading, i, positions[i]); !error.empty()) return ctx.fail(error);
  }
  const auto place = ctx.reply.open();
  std::size_t served = 0;
  for (std::size_t i = 0; i < reading.keys.size(); ++i) {
    const std::string_view key = reading.keys[i];
    const bool any =
        of_group ? serve_group(ctx, reading, key, positions[i]) : serve_plain(ctx, reading, key, positions[i]);
    served += any ? 1 : 0;
  }
  if (served != 0) {
    ctx.reply.resp3() ? ctx.reply.close_map(place, served) : ctx.reply.close_array(place, served);
    return Outcome::done;
  }
  if (reading.block_millis >= 0 && (ctx.may_wait || ctx.serving())) return wait_on(ctx, reading, positions);
  ctx.reply.null_array();
  return Outcome::done;
}

Outcome xread(Context& ctx, Args& args) { return read(ctx, args, false); }
Outcome xreadgroup(Context& ctx, Args& args) { return read(ctx, args, true); }

Outcome xack(Context& ctx, Args& args) {
  auto stream = ctx.keys.edit<Stream>(args.text());
  const std::string_view name = args.text();
  if (stream.wrong_type()) return ctx.fail(errors::kWrongType);
  StreamGroup* group = stream.absent() ? nullptr : stream->find_group(name);
  if (group == nullptr) {
    ctx.reply.integer(0);
    return Outcome::done;
  }
  std::vector<StreamId> ids;
  while (args.more()) ids.push_back(stream_id(args));
  if (!args.ok()) return ctx.fail(args.error());
  std::int64_t acknowledged = 0;
  for (const StreamId id : ids) acknowledged += group->acknowledge(id) ? 1 : 0;
  ctx.reply.integer(acknowledged);
  return Outcome::done;
}

constexpr Keys keys_after_streams(std::int16_t from) {
  return {{KeySpec{.use = Use::ro | Use::access,
                   .begin = KeySpec::Begin::keyword,
                   .index = from,
                   .keyword = "STREAMS",
                   .last = -1,
                   .step = 1,
                   .limit = 2}},
          1};
}

constexpr Spec kSpecs[] = {
    {.syntax = "XREAD [COUNT count:integer] [BLOCK milliseconds:integer] STREAMS key [key ...] id [id ...]",
     .handler = xread,
     .flags = Flag::readonly | Flag::blocking | Flag::movablekeys,
     .keys = keys_after_streams(1),
     .group = Group::stream,
     .docs = {.summary = "Returns the entries behind an id of several streams, and waits for some if need be.",
              .complexity = "O(N), N entries",
              .since = "5.0.0"}},
    {.syntax = "XREADGROUP <GROUP group consumer> [COUNT count:integer] [BLOCK milliseconds:integer] [NOACK] STREAMS "
               "key [key ...] id [id ...]",
     .handler = xreadgroup,
     .flags = Flag::write | Flag::blocking | Flag::movablekeys,
     .keys = keys_after_streams(4),
     .group = Group::stream,
     .docs = {.summary = "Gives a consumer entries that its group has not seen, or its own pending ones.",
              .complexity = "O(N), N entries",
              .since = "5.0.0"},
     .arity = -7},
    {.syntax = "XACK key group id [id ...]",
     .handler = xack,
     .flags = Flag::write | Flag::fast,
     .keys = key_at(1, Use::rw | Use::update),
     .group = Group::stream,
     .docs = {.summary = "Tells a group that entries were worked on.",
              .complexity = "O(log N) an id",
              .since = "5.0.0"}},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> stream_read_commands() { return kSpecs; }

}  // namespace fairlane::command
