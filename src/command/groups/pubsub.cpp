// pubsub.cpp - publishing, subscribing, and what is subscribed to.
#include "fairlane/engine/pubsub.hpp"

#include "command/groups.hpp"
#include "command/help.hpp"
#include "command/push.hpp"
#include "fairlane/command/context.hpp"
#include "fairlane/command/services.hpp"

namespace fairlane::command {
namespace {

using engine::Topic;

/// The words of one kind of subscription, and what its confirmations count.
struct Kind {
  Topic topic;
  std::string_view subscribed;
  std::string_view unsubscribed;
};

constexpr Kind kChannels{Topic::channel, "subscribe", "unsubscribe"};
constexpr Kind kPatterns{Topic::pattern, "psubscribe", "punsubscribe"};
constexpr Kind kShardChannels{Topic::shard, "ssubscribe", "sunsubscribe"};

std::size_t counted(const Session& session, Topic topic) noexcept {
  return topic == Topic::shard ? session.shard_channels.size() : session.channels.size() + session.patterns.size();
}

/// The name is null when there was nothing to unsubscribe.
void confirm(Session& session, Topic topic, std::string_view what, const std::string_view* name) {
  push(session, [&](protocol::Reply& reply) {
    reply.push(3);
    reply.bulk(what);
    if (name != nullptr) {
      reply.bulk(*name);
    } else {
      reply.null();
    }
    reply.integer(static_cast<std::int64_t>(counted(session, topic)));
  });
}

Outcome subscribe_to(Context& ctx, Args& args, const Kind& kind) {
  for (const std::string_view name : args.rest()) {
    ctx.services.pubsub.subscribe(ctx.session, kind.topic, name);
    confirm(ctx.session, kind.topic, kind.subscribed, &name);
  }
  return Outcome::done;
}

Outcome unsubscribe_from_all(Context& ctx, const Kind& kind) {
  const engine::Subscriptions& mine = ctx.session.of(kind.topic);
  if (mine.empty()) confirm(ctx.session, kind.topic, kind.unsubscribed, nullptr);
  while (!mine.empty()) {
    const std::string name(mine.any());
    const std::string_view view = name;
    ctx.services.pubsub.unsubscribe(ctx.session, kind.topic, view);
    confirm(ctx.session, kind.topic, kind.unsubscribed, &view);
  }
  return Outcome::done;
}

Outcome unsubscribe_from(Context& ctx, Args& args, const Kind& kind) {
  if (!args.more()) return unsubscribe_from_all(ctx, kind);
  for (const std::string_view name : args.rest()) {
    ctx.services.pubsub.unsubscribe(ctx.session, kind.topic, name);
    confirm(ctx.session, kind.topic, kind.unsubscribed, &name);
  }
  return Outcome::done;
}

Outcome subscribe(Context& ctx, Args& args) { return subscribe_to(ctx, args, kChannels); }
Outcome unsubscribe(Context& ctx, Args& args) { return unsubscribe_from(ctx, args, kChannels); }
Outcome psubscribe(Context& ctx, Args& args) { return subscribe_to(ctx, args, kPatterns); }
Outcome punsubscribe(Context& ctx, Args& args) { return unsubscribe_from(ctx, args, kPatterns); }
Outcome sunsubscribe(Context& ctx, Args& args) { return unsubscribe_from(ctx, args, kShardChannels); }

Outcome ssubscribe(Context& ctx, Args& args) {
  if (!ctx.may_wait) return ctx.fail("ERR SSUBSCRIBE isn't allowed for a DENY BLOCKING client");
  return subscribe_to(ctx, args, kShardChannels);
}

Outcome publish(Context& ctx, Args& args) {
  const std::string_view channel = args.text();
  ctx.reply.integer(static_cast<std::int64_t>(ctx.services.pubsub.publish(channel, args.text())));
  return Outcome::done;
}

Outcome spublish(Context& ctx, Args& args) {
  const std::string_view channel = args.text();
  ctx.reply.integer(static_cast<std::int64_t>(ctx.services.pubsub.publish_shard(channel, args.text())));
  return Outcome::done;
}

Outcome reply_names(Context& ctx, Args& args, Topic topic) {
  if (args.left() > 1) {
    return ctx.fail("ERR unknown subcommand or wrong number of arguments for '" + std::string(ctx.request[1]) +
                    "'. Try PUBSUB HELP.");
  }
  const bool filters = args.more();
  const std::string_view pattern = filters ? args.text() : std::string_view();
  const auto place = ctx.reply.open();
  std::size_t count = 0;
  ctx.services.pubsub.for_each_name(topic, [&](std::string_view name) {
    if (filters && !base::glob_match(pattern, name)) return;
    ctx.reply.bulk(name);
    ++count;
  });
  ctx.reply.close_array(place, count);
  return Outcome::done;
}

Outcome reply_receivers(Context& ctx, Args& args, Topic topic) {
  ctx.reply.array(args.left() * 2);
  for (const std::string_view name : args.rest()) {
    ctx.reply.bulk(name);
    ctx.reply.integer(static_cast<std::int64_t>(ctx.services.pubsub.receivers(topic, name)));
  }
  return Outcome::done;
}

Outcome pubsub_channels(Context& ctx, Args& args) { return reply_names(ctx, args, Topic::channel); }
Outcome pubsub_shardchannels(Context& ctx, Args& args) { return reply_names(ctx, args, Topic::shard); }
Outcome pubsub_numsub(Context& ctx, Args& args) { return reply_receivers(ctx, args, Topic::channel); }
Outcome pubsub_shardnumsub(Context& ctx, Args& args) { return reply_receivers(ctx, args, Topic::shard); }

Outcome pubsub_numpat(Context& ctx, Args&) {
  ctx.reply.integer(static_cast<std::int64_t>(ctx.services.pubsub.names(Topic::pattern)));
  return Outcome::done;
}

constexpr Flag kSubscribing = Flag::pubsub | Flag::noscript | Flag::loading | Flag::stale | Flag::when_subscribed;
constexpr Flag kPublishing = Flag::pubsub | Flag::loading | Flag::stale | Flag::fast | Flag::may_replicate;
constexpr Flag kAsking = Flag::pubsub | Flag::loading | Flag::stale;

constexpr Spec kSpecs[] = {
    {.syntax = "SUBSCRIBE channel [channel ...]",
     .handler = subscribe,
     .flags = kSubscribing,
     .channels = {.first = 1, .to_the_end = true},
     .group = Group::pubsub,
     .docs = {.summary = "Receives what is published on channels.", .complexity = "O(1) a channel", .since = "2.0.0"}},
    {.syntax = "UNSUBSCRIBE [channel [channel ...]]",
     .handler = unsubscribe,
     .flags = kSubscribing,
     .group = Group::pubsub,
     .docs = {.summary = "Receives no more from channels, or from any.",
              .complexity = "O(1) a channel",
              .since = "2.0.0"}},
    {.syntax = "PSUBSCRIBE pattern:pattern [pattern:pattern ...]",
     .handler = psubscribe,
     .flags = kSubscribing,
     .channels = {.first = 1, .to_the_end = true, .patterns = true},
     .group = Group::pubsub,
     .docs = {.summary = "Receives what is published on channels whose names match patterns.",
              .complexity = "O(1) a pattern",
              .since = "2.0.0"}},
    {.syntax = "PUNSUBSCRIBE [pattern:pattern [pattern:pattern ...]]",
     .handler = punsubscribe,
     .flags = kSubscribing,
     .group = Group::pubsub,
     .docs = {.summary = "Receives no more by patterns, or by any.", .complexity = "O(1) a pattern", .since = "2.0.0"}},
    {.syntax = "SSUBSCRIBE shardchannel [shardchannel ...]",
     .handler = ssubscribe,
     .flags = kSubscribing,
     .keys = keys_from(1, Use::not_key),
     .channels = {.first = 1, .to_the_end = true},
     .group = Group::pubsub,
     .docs = {.summary = "Receives what is published on shard channels.",
              .complexity = "O(1) a channel",
              .since = "7.0.0"}},
    {.syntax = "SUNSUBSCRIBE [shardchannel [shardchannel ...]]",
     .handler = sunsubscribe,
     .flags = kSubscribing,
     .keys = keys_from(1, Use::not_key),
     .group = Group::pubsub,
     .docs = {.summary = "Receives no more from shard channels, or from any.",
              .complexity = "O(1) a channel",
              .since = "7.0.0"}},
    {.syntax = "PUBLISH channel message",
     .handler = publish,
     .flags = kPublishing,
     .channels = {.first = 1},
     .group = Group::pubsub,
     .docs = {.summary = "Sends a message to everybody who receives from a channel.",
              .complexity = "O(N+M), N receivers, M patterns",
              .since = "2.0.0"}},
    {.syntax = "SPUBLISH shardchannel message",
     .handler = spublish,
     .flags = kPublishing,
     .keys = key_at(1, Use::not_key),
     .channels = {.first = 1},
     .group = Group::pubsub,
     .docs = {.summary = "Sends a message to everybody who receives from a shard channel.",
              .complexity = "O(N), N receivers",
              .since = "7.0.0"}},
    {.syntax = "PUBSUB",
     .group = Group::pubsub,
     .docs = {.summary = "Tells what is subscribed to.", .complexity = "Depends on the subcommand.", .since = "2.8.0"},
     .arity = -2},
    {.syntax = "PUBSUB CHANNELS [pattern:pattern]",
     .handler = pubsub_channels,
     .flags = kAsking,
     .group = Group::pubsub,
     .docs = {.summary = "Lists the channels that anybody receives from.",
              .complexity = "O(N), N channels",
              .since = "2.8.0"}},
    {.syntax = "PUBSUB NUMSUB [channel [channel ...]]",
     .handler = pubsub_numsub,
     .flags = kAsking,
     .group = Group::pubsub,
     .docs = {.summary = "Counts the receivers of channels.", .complexity = "O(1) a channel", .since = "2.8.0"}},
    {.syntax = "PUBSUB NUMPAT",
     .handler = pubsub_numpat,
     .flags = kAsking,
     .group = Group::pubsub,
     .docs = {.summary = "Counts the patterns that anybody receives by.", .complexity = "O(1)", .since = "2.8.0"}},
    {.syntax = "PUBSUB SHARDCHANNELS [pattern:pattern]",
     .handler = pubsub_shardchannels,
     .flags = kAsking,
     .group = Group::pubsub,
     .docs = {.summary = "Lists the shard channels that anybody receives from.",
              .complexity = "O(N), N shard channels",
              .since = "7.0.0"}},
    {.syntax = "PUBSUB SHARDNUMSUB [shardchannel [shardchannel ...]]",
     .handler = pubsub_shardnumsub,
     .flags = kAsking,
     .group = Group::pubsub,
     .docs = {.summary = "Counts the receivers of shard channels.", .complexity = "O(1) a channel", .since = "7.0.0"}},
    {.syntax = "PUBSUB HELP",
     .handler = help,
     .flags = Flag::loading | Flag::stale,
     .group = Group::pubsub,
     .docs = {.summary = "Tells about the subcommands.", .complexity = "O(1)", .since = "6.2.0"}},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> pubsub_commands() { return kSpecs; }

}  // namespace fairlane::command
