// stream.cpp - XADD, XLEN, XRANGE, XREVRANGE, XDEL, XTRIM, XSETID.
#include <algorithm>
#include <vector>

#include "command/groups.hpp"
#include "command/stream_words.hpp"
#include "fairlane/command/catalog.hpp"
#include "fairlane/command/context.hpp"
#include "fairlane/command/services.hpp"
#include "fairlane/command/settings.hpp"

namespace fairlane::command {
namespace {

using data::Stream;
using data::StreamId;

/// The options MAXLEN and MINID.
struct Trimming {
  enum class By : std::uint8_t { nothing, size, id } by = By::nothing;
  bool whole_blocks = false;
  std::int64_t most = 0;
  StreamId least;
  std::int64_t limit = -1;  ///< -1: not given
};

void read_threshold(Args& args, Trimming& trimming, Trimming::By by) {
  if (trimming.by != Trimming::By::nothing) {
    return args.fail("ERR syntax error, MAXLEN and MINID options at the same time are not compatible");
  }
  trimming.by = by;
  trimming.whole_blocks = args.left() > 1 && args.peek() == "~";
  if (trimming.whole_blocks || (args.left() > 1 && args.peek() == "=")) args.skip(1);
  if (by == Trimming::By::id) {
    trimming.least = stream_id(args);
    return;
  }
  trimming.most = args.integer();
  if (args.ok() && trimming.most < 0) args.fail("ERR The MAXLEN argument must be >= 0.");
}

/// Takes one option of trimming; false when the next word is none.
bool read_trimming(Args& args, Trimming& trimming) {
  if (args.option_with("MAXLEN", 1)) {
    read_threshold(args, trimming, Trimming::By::size);
  } else if (args.option_with("MINID", 1)) {
    read_threshold(args, trimming, Trimming::By::id);
  } else if (args.option_with("LIMIT", 1)) {
    trimming.limit = args.integer();
    if (args.ok() && trimming.limit < 0) args.fail("ERR The LIMIT argument must be >= 0.");
  } else {
    return false;
  }
  return true;
}

void check_trimming(Args& args, Trimming& trimming, const Stream::Limits& limits) {
  if (!args.ok()) return;
  if (trimming.limit > 0 && trimming.by == Trimming::By::nothing) {
    return args.fail("ERR syntax error, LIMIT cannot be used without specifying a trimming strategy");
  }
  if (trimming.limit >= 0 && !trimming.whole_blocks) {
    return args.fail("ERR syntax error, LIMIT cannot be used without the special ~ option");
  }
  if (trimming.limit >= 0 || !trimming.whole_blocks) return;
  // No more in one go than keeps others from waiting.
  constexpr std::int64_t kBlocks = 100;
  constexpr std::int64_t kMost = 1000000;
  const auto entries = static_cast<std::int64_t>(limits.entries);
  trimming.limit = entries <= 0 ? kBlocks * kBlocks : std::min(entries > kMost ? kMost : entries * kBlocks, kMost);
}

std::size_t trim(Stream& stream, const Trimming& trimming) {
  const auto limit = static_cast<std::size_t>(std::max<std::int64_t>(trimming.limit, 0));
  switch (trimming.by) {
    case Trimming::By::size:
      return stream.trim_to_size(static_cast<std::size_t>(trimming.most), trimming.whole_blocks, limit);
    case Trimming::By::id:
      return stream.trim_to_id(trimming.least, trimming.whole_blocks, limit);
    default:
      return 0;
  }
}

/// The id of XADD: given as a whole, its milliseconds alone ("5-*"), or by the clock ("*").
struct NewId {
  StreamId id;
  bool has_ms = false;
  bool has_seq = false;
};

NewId read_new_id(Args& args) {
  const std::string_view text = args.text();
  if (text == "*") return {};
  if (text.ends_with("-*")) {
    const auto ms = parse_stream_id(text.substr(0, text.size() - 2), 0);
    if (!ms || text.find('-') != text.size() - 2) args.fail(kBadStreamId);
    return {ms.value_or(StreamId{}), true, false};
  }
  const auto id = parse_stream_id(text, 0);
  if (!id) args.fail(kBadStreamId);
  return {id.value_or(StreamId{}), true, true};
}

/// Makes the id whole. Returns an error, or nothing.
std::string_view settle_id(NewId& wanted, const Stream& stream, std::int64_t now) {
  const StreamId last = stream.last_id();
  if (last == StreamId::most()) return "ERR The stream has exhausted the last possible ID, unable to add more items";
  if (!wanted.has_ms) {
    const auto ms = static_cast<std::uint64_t>(now);
    wanted.id = {ms, 0};
    if (ms <= last.ms) {
      wanted.id = last;
      wanted.id.increment();
    }
  } else if (!wanted.has_seq && wanted.id.ms == last.ms) {
    // What Redis says here is about another fault.
    if (last.seq == UINT64_MAX) return "ERR Elements are too large to be stored";
    wanted.id.seq = last.seq + 1;
  }
  if (wanted.id > last) return {};
  return "ERR The ID specified in XADD is equal or smaller than the target stream top item";
}

Outcome xadd(Context& ctx, Args& args) {
  const std::string_view key = args.text();
  Trimming trimming;
  bool may_make = true;
  for (;;) {
    if (args.more() && args.peek() == "*") break;
    if (args.option("NOMKSTREAM")) {
      may_make = false;
    } else if (!read_trimming(args, trimming)) {
      break;
    }
    if (!args.ok()) return ctx.fail(args.error());
  }
  if (args.left() == 0) return ctx.fail("ERR wrong number of arguments for 'xadd' command");
  NewId wanted = read_new_id(args);
  check_trimming(args, trimming, ctx.services.settings.stream);
  if (!args.ok()) return ctx.fail(args.error());
  const auto words = args.rest();
  if (words.size() < 2 || words.size() % 2 != 0) return ctx.fail("ERR wrong number of arguments for 'xadd' command");
  if (wanted.has_seq && wanted.id.zero()) return ctx.fail("ERR The ID specified in XADD must be greater than 0-0");
  if (!may_make && ctx.keys.find<Stream>(key).absent()) {
    ctx.reply.null();
    return Outcome::done;
  }
  auto stream = ctx.keys.upsert<Stream>(key);
  if (stream.wrong_type()) return ctx.fail(errors::kWrongType);
  if (const std::string_view error = settle_id(wanted, stream.peek(), ctx.now); !error.empty()) return ctx.fail(error);
  stream->append(wanted.id, words, ctx.services.settings.stream);
  write_stream_id(ctx.reply, wanted.id);
  const bool trimmed = trim(*stream, trimming) != 0;
  stream.commit(engine::events::kXAdd);
  if (trimmed) ctx.keys.notify(key, engine::events::kXTrim);
  return Outcome::done;
}

Outcome xtrim(Context& ctx, Args& args) {
  const std::string_view key = args.text();
  Trimming trimming;
  while (args.more()) {
    if (!read_trimming(args, trimming)) args.fail(errors::kSyntax);
  }
  if (args.ok() && trimming.by == Trimming::By::nothing && trimming.limit <= 0) {
    args.fail("ERR syntax error, XTRIM must be called with either MAXLEN or MINID");
  }
  check_trimming(args, trimming, ctx.services.settings.stream);
  if (!args.ok()) return ctx.fail(args.error());
  auto stream = ctx.keys.edit<Stream>(key);
  if (stream.wrong_type()) return ctx.fail(errors::kWrongType);
  const std::size_t gone = stream.absent() ? 0 : trim(*stream, trimming);
  // Nothing for those who wait.
  if (gone != 0) ctx.keys.published(key, engine::events::kXTrim);
  ctx.reply.integer(static_cast<std::int64_t>(gone));
  return Outcome::done;
}

Outcome xlen(Context& ctx, Args& args) {
  const auto stream = ctx.keys.find<Stream>(args.text());
  if (stream.wrong_type()) return ctx.fail(errors::kWrongType);
  ctx.reply.integer(stream.absent() ? 0 : static_cast<std::int64_t>(stream->size()));
  return Outcome::done;
}

Outcome range(Context& ctx, Args& args, bool reverse) {
  const std::string_view key = args.text();
  // What is wrong with the start is said first, wherever it stands.
  Args end = args;
  if (reverse) args.skip(1);
  const StreamId first = stream_range_start(args);
  if (!reverse) end.skip(1);
  const StreamId last = stream_range_end(end);
  if (!reverse) args.skip(1);
  if (!args.ok()) return ctx.fail(args.error());
  if (!end.ok()) return ctx.fail(end.error());
  std::int64_t count = -1;
  while (args.more()) {
    if (!args.option_with("COUNT", 1)) return ctx.fail(errors::kSyntax);
    count = std::max<std::int64_t>(args.integer(), 0);
  }
  if (!args.ok()) return ctx.fail(args.error());
  const auto stream = ctx.keys.find<Stream>(key);
  if (stream.wrong_type()) return ctx.fail(errors::kWrongType);
  if (stream.absent()) {
    ctx.reply.array(0);
  } else if (count == 0) {
    ctx.reply.null_array();
  } else {
    write_stream_range(ctx.reply, *stream, first, last, count < 0 ? 0 : static_cast<std::uint64_t>(count), reverse);
  }
  return Outcome::done;
}

Outcome xrange(Context& ctx, Args& args) { return range(ctx, args, false); }
Outcome xrevrange(Context& ctx, Args& args) { return range(ctx, args, true); }

Outcome xdel(Context& ctx, Args& args) {
  const std::string_view key = args.text();
  auto stream = ctx.keys.edit<Stream>(key);
  if (stream.wrong_type()) return ctx.fail(errors::kWrongType);
  if (stream.absent()) {
    ctx.reply.integer(0);
    return Outcome::done;
  }
  std::vector<StreamId> ids;
  while (args.more()) ids.push_back(stream_id(args));
  if (!args.ok()) return ctx.fail(args.error());
  std::int64_t gone = 0;
  for (const StreamId id : ids) gone += stream->erase(id) ? 1 : 0;
  if (gone != 0) ctx.keys.published(key, engine::events::kXDel);
  ctx.reply.integer(gone);
  return Outcome::done;
}

struct SetId {
  StreamId id;
  std::int64_t entries_added = -1;
  StreamId max_deleted;
};

SetId read_set_id(Args& args) {
  SetId wanted;
  wanted.id = stream_id(args);
  while (args.more()) {
    if (args.option_with("ENTRIESADDED", 1)) {
      wanted.entries_added = args.integer();
      if (args.ok() && wanted.entries_added < 0) args.fail("ERR entries_added must be positive");
    } else if (args.option_with("MAXDELETEDID", 1)) {
      wanted.max_deleted = stream_id(args);
      if (args.ok() && wanted.id < wanted.max_deleted) {
        args.fail("ERR The ID specified in XSETID is smaller than the provided max_deleted_entry_id");
      }
    } else {
      args.fail(errors::kSyntax);
    }
  }
  return wanted;
}

Outcome xsetid(Context& ctx, Args& args) {
  const std::string_view key = args.text();
  const SetId wanted = read_set_id(args);
  if (!args.ok()) return ctx.fail(args.error());
  auto stream = ctx.keys.edit<Stream>(key);
  if (stream.absent()) return ctx.fail(errors::kNoSuchKey);
  if (stream.wrong_type()) return ctx.fail(errors::kWrongType);
  if (stream.peek().size() > 0) {
    StreamId top;
    stream.peek().for_each_reverse(StreamId::least(), StreamId::most(), [&top](const data::StreamEntry& entry) {
      top = entry.id;
      return false;
    });
    if (wanted.id < top) {
      return ctx.fail("ERR The ID specified in XSETID is smaller than the target stream top item");
    }
    if (wanted.entries_added != -1 && static_cast<std::uint64_t>(wanted.entries_added) < stream.peek().size()) {
      return ctx.fail("ERR The entries_added specified in XSETID is smaller than the target stream length");
    }
  }
  stream->set_last_id(wanted.id);
  if (wanted.entries_added != -1) stream->set_entries_added(static_cast<std::uint64_t>(wanted.entries_added));
  if (!wanted.max_deleted.zero()) stream->set_max_deleted_id(wanted.max_deleted);
  ctx.keys.notify(key, engine::events::kXSetId);
  ctx.reply.ok();
  return Outcome::done;
}

constexpr Spec kSpecs[] = {
    {.syntax = "XADD key [NOMKSTREAM] [<MAXLEN | MINID> [= | ~] threshold [LIMIT count:integer]] <* | id> field value "
               "[field value ...]",
     .handler = xadd,
     .flags = Flag::write | Flag::denyoom | Flag::fast,
     .keys = key_at(1, Use::rw | Use::update),
     .group = Group::stream,
     .docs = {.summary = "Adds an entry to a stream.",
              .complexity = "O(1), O(N) with N entries trimmed",
              .since = "5.0.0"},
     .tips = "nondeterministic_output",
     .key_notes = "UPDATE instead of INSERT because of the optional trimming feature"},
    {.syntax = "XLEN key",
     .handler = xlen,
     .flags = Flag::readonly | Flag::fast,
     .keys = key_at(1, Use::ro),
     .group = Group::stream,
     .docs = {.summary = "Counts the entries of a stream.", .complexity = "O(1)", .since = "5.0.0"}},
    {.syntax = "XRANGE key start end [COUNT count:integer]",
     .handler = xrange,
     .flags = Flag::readonly,
     .keys = key_at(1, Use::ro | Use::access),
     .group = Group::stream,
     .docs = {.summary = "Returns the entries between two ids.", .complexity = "O(N), N entries", .since = "5.0.0"}},
    {.syntax = "XREVRANGE key end start [COUNT count:integer]",
     .handler = xrevrange,
     .flags = Flag::readonly,
     .keys = key_at(1, Use::ro | Use::access),
     .group = Group::stream,
     .docs = {.summary = "Returns the entries between two ids, the last first.",
              .complexity = "O(N), N entries",
              .since = "5.0.0"}},
    {.syntax = "XDEL key id [id ...]",
     .handler = xdel,
     .flags = Flag::write | Flag::fast,
     .keys = key_at(1, Use::rw | Use::del),
     .group = Group::stream,
     .docs = {.summary = "Removes entries.", .complexity = "O(1) an entry", .since = "5.0.0"}},
    {.syntax = "XTRIM key <MAXLEN | MINID> [= | ~] threshold [LIMIT count:integer]",
     .handler = xtrim,
     .flags = Flag::write,
     .keys = key_at(1, Use::rw | Use::del),
     .group = Group::stream,
     .docs = {.summary = "Removes the oldest entries.", .complexity = "O(N), N entries removed", .since = "5.0.0"},
     .tips = "nondeterministic_output"},
    {.syntax = "XSETID key last-id [ENTRIESADDED entries-added:integer] [MAXDELETEDID max-deleted-id]",
     .handler = xsetid,
     .flags = Flag::write | Flag::denyoom | Flag::fast,
     .keys = key_at(1, Use::rw | Use::update),
     .group = Group::stream,
     .docs = {.summary = "Sets what a stream knows of its past.", .complexity = "O(1)", .since = "5.0.0"}},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> stream_commands() { return kSpecs; }

}  // namespace fairlane::command
