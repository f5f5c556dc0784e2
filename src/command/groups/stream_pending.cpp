// stream_pending.cpp - XPENDING, XCLAIM, XAUTOCLAIM.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "command/groups.hpp"
#include "command/stream_words.hpp"
#include "fairlane/command/catalog.hpp"
#include "fairlane/command/context.hpp"

namespace fairlane::command {
namespace {

using data::PendingEntry;
using data::Stream;
using data::StreamConsumer;
using data::StreamEntry;
using data::StreamGroup;
using data::StreamId;

void write_summary(protocol::Reply& reply, const StreamGroup& group) {
  reply.array(4);
  reply.integer(static_cast<std::int64_t>(group.pending.size()));
  if (group.pending.empty()) {
    reply.null();
    reply.null();
    return reply.null_array();
  }
  write_stream_id(reply, group.pending.begin()->first);
  write_stream_id(reply, group.pending.rbegin()->first);
  const auto place = reply.open();
  std::size_t count = 0;
  for (const auto& [name, consumer] : group.consumers) {
    if (consumer->pending.empty()) continue;
    reply.array(2);
    reply.bulk(name);
    reply.bulk_integer(static_cast<std::int64_t>(consumer->pending.size()));
    ++count;
  }
  reply.close_array(place, count);
}

struct PendingRange {
  std::int64_t min_idle = 0;
  StreamId first;
  StreamId last;
  std::int64_t count = 0;
  std::optional<std::string_view> consumer;
};

PendingRange read_pending_range(Args& args) {
  PendingRange range;
  if (args.option_with("IDLE", 1)) range.min_idle = args.integer();
  if (!args.ok()) return range;
  if (args.left() < 3) {
    args.fail(errors::kSyntax);
    return range;
  }
  // What is wrong with the count is said first.
  Args count = args;
  count.skip(2);
  range.count = std::max<std::int64_t>(count.integer(), 0);
  if (!count.ok()) args.fail(count.error());
  range.first = stream_range_start(args);
  range.last = stream_range_end(args);
  args.skip(1);
  if (args.more()) range.consumer = args.text();
  return range;
}

void write_pending(Context& ctx, StreamGroup& group, const PendingRange& range) {
  const StreamConsumer* only = range.consumer ? group.find(*range.consumer) : nullptr;
  const auto place = ctx.reply.open();
  std::int64_t written = 0;
  if (!range.consumer || only != nullptr) {
    for (auto at = group.pending.lower_bound(range.first); at != group.pending.end() && at->first <= range.last; ++at) {
      if (written == range.count) break;
      const auto& [id, pending] = *at;
      if (only != nullptr && pending.consumer != only) continue;
      const std::int64_t idle = std::max<std::int64_t>(ctx.now - pending.delivered, 0);
      if (idle < range.min_idle) continue;
      ctx.reply.array(4);
      write_stream_id(ctx.reply, id);
      ctx.reply.bulk(pending.consumer->name);
      ctx.reply.integer(idle);
      ctx.reply.integer(static_cast<std::int64_t>(pending.count));
      ++written;
    }
  }
  ctx.reply.close_array(place, static_cast<std::size_t>(written));
}

Outcome xpending(Context& ctx, Args& args) {
  const std::string_view key = args.text();
  const std::string_view name = args.text();
  const bool summary = args.left() == 0;
  if (!summary && (args.left() < 3 || args.left() > 6)) return ctx.fail(errors::kSyntax);
  const PendingRange range = summary ? PendingRange{} : read_pending_range(args);
  if (!args.ok()) return ctx.fail(args.error());
  auto stream = ctx.keys.edit<Stream>(key);
  if (stream.wrong_type()) return ctx.fail(errors::kWrongType);
  StreamGroup* group = stream.absent() ? nullptr : stream->find_group(name);
  if (group == nullptr) return ctx.fail(no_such_key_or_group(key, name));
  summary ? write_summary(ctx.reply, *group) : write_pending(ctx, *group, range);
  return Outcome::done;
}

// --- claiming

struct Claim {
  std::int64_t min_idle = 0;
  std::vector<StreamId> ids;
  std::int64_t delivered = 0;
  std::int64_t retries = -1;  ///< -1: counted up
  bool force = false;
  bool just_id = false;
  StreamId last_id;
};

void read_claim_option(Context& ctx, Args& args, Claim& claim, std::string& error) {
  if (args.option("FORCE")) {
    claim.force = true;
  } else if (args.option("JUSTID")) {
    claim.just_id = true;
  } else if (args.option_with("IDLE", 1)) {
    claim.delivered = ctx.now - args.integer("ERR Invalid IDLE option argument for XCLAIM");
  } else if (args.option_with("TIME", 1)) {
    claim.delivered = args.integer("ERR Invalid TIME option argument for XCLAIM");
  } else if (args.option_with("RETRYCOUNT", 1)) {
    claim.retries = args.integer("ERR Invalid RETRYCOUNT option argument for XCLAIM");
  } else if (args.option_with("LASTID", 1)) {
    claim.last_id = stream_id(args);
  } else {
    error = "ERR Unrecognized XCLAIM option '" + quoted_in_stream_error(args.text()) + "'";
  }
}

/// From behind the consumer's name on. Returns an error, or nothing.
std::string read_claim(Context& ctx, Args& args, Claim& claim) {
  claim.min_idle = std::max<std::int64_t>(args.integer("ERR Invalid min-idle-time argument for XCLAIM"), 0);
  if (!args.ok()) return std::string(args.error());
  while (args.more()) {
    const auto id = parse_stream_id(args.peek(), 0);
    if (!id) break;
    claim.ids.push_back(*id);
    args.skip(1);
  }
  claim.delivered = ctx.now;
  std::string error;
  while (args.more() && error.empty()) read_claim_option(ctx, args, claim, error);
  if (!args.ok()) return std::string(args.error());
  if (claim.delivered < 0 || claim.delivered > ctx.now) claim.delivered = ctx.now;
  return error;
}

/// Looks an entry up; false when it was erased.
template <class F>
bool with_entry(const Stream& stream, StreamId id, F&& use) {
  bool there = false;
  stream.for_each(id, id, [&](const StreamEntry& entry) {
    use(entry);
    there = true;
    return false;
  });
  return there;
}

class Claimer {
 public:
  Claimer(Context& ctx, engine::Edit<Stream>& stream, StreamGroup& group, std::string_view key, std::string_view name)
      : ctx_(ctx), stream_(stream), group_(group), key_(key), name_(name) {}

  /// The consumer is made when the first entry is claimed.
  StreamConsumer& consumer() {
    if (consumer_ == nullptr) {
      bool created = false;
      consumer_ = &group_.consumer(name_, ctx_.now, created);
      if (created) ctx_.keys.notify(key_, engine::events::kXGroupCreateConsumer);
      consumer_->seen = ctx_.now;
    }
    return *consumer_;
  }

  /// Replies with the entry or its id, and gives it to the consumer.
  void claim(StreamId id, std::int64_t delivered, std::int64_t retries, bool just_id) {
    PendingEntry& pending = group_.give(id, consumer());
    pending.delivered = delivered;
    if (retries >= 0) {
      pending.count = static_cast<std::uint64_t>(retries);
    } else if (!just_id) {
      ++pending.count;
    }
    if (just_id) return write_stream_id(ctx_.reply, id);
    with_entry(stream_.peek(), id, [this](const StreamEntry& entry) { write_stream_entry(ctx_.reply, entry); });
  }

 private:
  Context& ctx_;
  engine::Edit<Stream>& stream_;
  StreamGroup& group_;
  std::string_view key_;
  std::string_view name_;
  StreamConsumer* consumer_ = nullptr;
};

Outcome xclaim(Context& ctx, Args& args) {
  const std::string_view key = args.text();
  const std::string_view name = args.text();
  const std::string_view consumer = args.text();
  auto stream = ctx.keys.edit<Stream>(key);
  if (stream.wrong_type()) return ctx.fail(errors::kWrongType);
  StreamGroup* group = stream.absent() ? nullptr : stream->find_group(name);
  if (group == nullptr) return ctx.fail(no_such_key_or_group(key, name));
  Claim claim;
  if (const std::string error = read_claim(ctx, args, claim); !error.empty()) return ctx.fail(error);
  if (claim.last_id > group->last_id) group->last_id = claim.last_id;
  Claimer claimer(ctx, stream, *group, key, consumer);
  const auto place = ctx.reply.open();
  std::size_t count = 0;
  for (const StreamId id : claim.ids) {
    const auto pending = group->pending.find(id);
    const bool known = pending != group->pending.end();
    if (!stream.peek().contains(id)) {
      group->acknowledge(id);
      continue;
    }
    if (!known && !claim.force) continue;
    if (known && claim.min_idle > 0 && ctx.now - pending->second.delivered < claim.min_idle) continue;
    claimer.claim(id, claim.delivered, claim.retries, claim.just_id);
    ++count;
  }
  ctx.reply.close_array(place, count);
  return Outcome::done;
}

struct AutoClaim {
  std::int64_t min_idle = 0;
  StreamId first;
  std::int64_t count = 100;
  bool just_id = false;
};

AutoClaim read_auto_claim(Args& args) {
  AutoClaim wanted;
  wanted.min_idle = std::max<std::int64_t>(args.integer("ERR Invalid min-idle-time argument for XAUTOCLAIM"), 0);
  wanted.first = stream_range_start(args);
  constexpr std::int64_t kAttempts = 10;
  while (args.more()) {
    if (args.option_with("COUNT", 1)) {
      wanted.count = args.integer_in(1, INT64_MAX / kAttempts, "ERR COUNT must be > 0", "ERR COUNT must be > 0");
    } else if (args.option("JUSTID")) {
      wanted.just_id = true;
    } else {
      args.fail(errors::kSyntax);
    }
  }
  return wanted;
}

Outcome xautoclaim(Context& ctx, Args& args) {
  const std::string_view key = args.text();
  const std::string_view name = args.text();
  const std::string_view consumer = args.text();
  const AutoClaim wanted = read_auto_claim(args);
  if (!args.ok()) return ctx.fail(args.error());
  auto stream = ctx.keys.edit<Stream>(key);
  if (stream.wrong_type()) return ctx.fail(errors::kWrongType);
  StreamGroup* group = stream.absent() ? nullptr : stream->find_group(name);
  if (group == nullptr) return ctx.fail(no_such_key_or_group(key, name));
  Claimer claimer(ctx, stream, *group, key, consumer);

  std::vector<StreamId> erased;
  ctx.reply.array(3);
  const std::size_t cursor_at = ctx.reply.buffer().size();
  const auto place = ctx.reply.open();
  std::size_t claimed = 0;
  std::int64_t left = wanted.count;
  std::int64_t attempts = wanted.count * 10;
  auto at = group->pending.lower_bound(wanted.first);
  while (at != group->pending.end() && left > 0 && attempts-- > 0) {
    const StreamId id = at->first;
    const std::int64_t delivered = at->second.delivered;
    ++at;
    if (!stream.peek().contains(id)) {
      group->acknowledge(id);
      erased.push_back(id);
      --left;
      continue;
    }
    if (wanted.min_idle > 0 && ctx.now - delivered < wanted.min_idle) continue;
    claimer.claim(id, ctx.now, -1, wanted.just_id);
    ++claimed;
    --left;
  }
  ctx.reply.close_array(place, claimed);
  ctx.reply.array(erased.size());
  for (const StreamId id : erased) write_stream_id(ctx.reply, id);

  // Where to go on is known last, and stands first.
  base::Buffer text;
  protocol::Reply next(text, ctx.reply.version());
  write_stream_id(next, at == group->pending.end() ? StreamId{} : at->first);
  ctx.reply.buffer().insert(cursor_at, text.view());
  return Outcome::done;
}

constexpr Spec kSpecs[] = {
    {.syntax = "XPENDING key group [<[IDLE min-idle-time:integer] start end count:integer [consumer]>]",
     .handler = xpending,
     .flags = Flag::readonly,
     .keys = key_at(1, Use::ro | Use::access),
     .group = Group::stream,
     .docs = {.summary = "Tells what was given to consumers and is not acknowledged.",
              .complexity = "O(N), N entries told of",
              .since = "5.0.0"},
     .arity = -3,
     .tips = "nondeterministic_output"},
    {.syntax = "XCLAIM key group consumer min-idle-time id [id ...] [IDLE ms:integer] [TIME unix-time-milliseconds] "
               "[RETRYCOUNT count:integer] [FORCE] [JUSTID] [LASTID lastid]",
     .handler = xclaim,
     .flags = Flag::write | Flag::fast,
     .keys = key_at(1, Use::rw | Use::update),
     .group = Group::stream,
     .docs = {.summary = "Makes pending entries those of another consumer.",
              .complexity = "O(log N) an entry",
              .since = "5.0.0"},
     .tips = "nondeterministic_output"},
    {.syntax = "XAUTOCLAIM key group consumer min-idle-time start [COUNT count:integer] [JUSTID]",
     .handler = xautoclaim,
     .flags = Flag::write | Flag::fast,
     .keys = key_at(1, Use::rw | Use::del),
     .group = Group::stream,
     .docs = {.summary = "Makes entries that have been pending for long those of another consumer.",
              .complexity = "O(1), the count is bounded",
              .since = "6.2.0"},
     .tips = "nondeterministic_output"},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> stream_pending_commands() { return kSpecs; }

}  // namespace fairlane::command
