// stream_group.cpp - XGROUP.
#include <string>

#include "command/groups.hpp"
#include "command/help.hpp"
#include "command/stream_words.hpp"
#include "fairlane/command/catalog.hpp"
#include "fairlane/command/context.hpp"

namespace fairlane::command {
namespace {

using data::Stream;
using data::StreamGroup;
using data::StreamId;

constexpr std::string_view kNoKey =
    "ERR The XGROUP subcommand requires the key to exist. Note that for CREATE you may want to use the MKSTREAM option "
    "to create an empty stream automatically.";

struct GroupOptions {
  bool make_stream = false;
  std::int64_t entries_read = StreamGroup::kUnknown;
};

/// Returns an error, or nothing.
std::string read_options(Context& ctx, Args& args, bool creating, GroupOptions& options) {
  while (args.more()) {
    if (creating && args.option("MKSTREAM")) {
      options.make_stream = true;
    } else if (args.option_with("ENTRIESREAD", 1)) {
      options.entries_read = args.integer();
      if (!args.ok()) return std::string(args.error());
      if (options.entries_read < 0 && options.entries_read != StreamGroup::kUnknown) {
        return "ERR value for ENTRIESREAD must be positive or -1";
      }
    } else {
      return "ERR unknown subcommand or wrong number of arguments for '" + std::string(ctx.request[1]) +
             "'. Try XGROUP HELP.";
    }
  }
  return {};
}

/// `$` is the last id of the stream. Nothing when the word is no id.
std::optional<StreamId> group_id(std::string_view word, const Stream& stream) {
  return word == "$" ? stream.last_id() : parse_stream_id(word, 0);
}

Outcome xgroup_create(Context& ctx, Args& args) {
  const std::string_view key = args.text();
  const std::string_view name = args.text();
  const std::string_view word = args.text();
  GroupOptions options;
  if (const std::string error = read_options(ctx, args, true, options); !error.empty()) return ctx.fail(error);
  const auto known = ctx.keys.find<Stream>(key);
  if (known.wrong_type()) return ctx.fail(errors::kWrongType);
  if (known.absent() && !options.make_stream) return ctx.fail(kNoKey);
  auto stream = ctx.keys.upsert<Stream>(key);
  const auto id = group_id(word, stream.peek());
  if (!id) return ctx.fail(kBadStreamId);
  stream->make();
  if (stream->add_group(name, *id, options.entries_read) == nullptr) {
    return ctx.fail("BUSYGROUP Consumer Group name already exists");
  }
  if (stream.created()) {
    stream.commit(engine::events::kXGroupCreate);
  } else {
    ctx.keys.notify(key, engine::events::kXGroupCreate);
  }
  ctx.reply.ok();
  return Outcome::done;
}

/// Finds the group of a subcommand. Returns an error, or nothing.
std::string find_group(engine::Edit<Stream>& stream, std::string_view key, std::string_view name, StreamGroup*& group) {
  if (stream.wrong_type()) return std::string(errors::kWrongType);
  if (stream.absent()) return std::string(kNoKey);
  group = stream->find_group(name);
  return group == nullptr ? no_such_group(key, name) : std::string();
}

Outcome xgroup_setid(Context& ctx, Args& args) {
  const std::string_view key = args.text();
  const std::string_view name = args.text();
  const std::string_view word = args.text();
  GroupOptions options;
  if (const std::string error = read_options(ctx, args, false, options); !error.empty()) return ctx.fail(error);
  auto stream = ctx.keys.edit<Stream>(key);
  StreamGroup* group = nullptr;
  if (const std::string error = find_group(stream, key, name, group); !error.empty()) return ctx.fail(error);
  // Here, and not where a group is made, the ends of all ids have names.
  const auto id = word == "$" ? std::optional(stream.peek().last_id()) : parse_stream_place(word, 0);
  if (!id) return ctx.fail(kBadStreamId);
  group->last_id = *id;
  group->entries_read = options.entries_read;
  ctx.keys.notify(key, engine::events::kXGroupSetId);
  ctx.reply.ok();
  return Outcome::done;
}

Outcome xgroup_destroy(Context& ctx, Args& args) {
  const std::string_view key = args.text();
  const std::string_view name = args.text();
  auto stream = ctx.keys.edit<Stream>(key);
  if (stream.wrong_type()) return ctx.fail(errors::kWrongType);
  if (stream.absent()) return ctx.fail(kNoKey);
  const bool gone = stream->remove_group(name);
  // Those who wait for entries of the group hear that it is gone.
  if (gone) ctx.keys.notify(key, engine::events::kXGroupDestroy, true);
  ctx.reply.integer(gone ? 1 : 0);
  return Outcome::done;
}

Outcome xgroup_createconsumer(Context& ctx, Args& args) {
  const std::string_view key = args.text();
  const std::string_view name = args.text();
  auto stream = ctx.keys.edit<Stream>(key);
  StreamGroup* group = nullptr;
  if (const std::string error = find_group(stream, key, name, group); !error.empty()) return ctx.fail(error);
  bool created = false;
  group->consumer(args.text(), ctx.now, created);
  if (created) ctx.keys.notify(key, engine::events::kXGroupCreateConsumer);
  ctx.reply.integer(created ? 1 : 0);
  return Outcome::done;
}

Outcome xgroup_delconsumer(Context& ctx, Args& args) {
  const std::string_view key = args.text();
  const std::string_view name = args.text();
  auto stream = ctx.keys.edit<Stream>(key);
  StreamGroup* group = nullptr;
  if (const std::string error = find_group(stream, key, name, group); !error.empty()) return ctx.fail(error);
  const auto pending = group->remove(args.text());
  if (pending) ctx.keys.notify(key, engine::events::kXGroupDelConsumer);
  ctx.reply.integer(static_cast<std::int64_t>(pending.value_or(0)));
  return Outcome::done;
}

constexpr Keys kKey = key_at(2, Use::rw | Use::del);

constexpr Spec kSpecs[] = {
    {.syntax = "XGROUP",
     .group = Group::stream,
     .docs = {.summary = "Commands about groups of consumers.",
              .complexity = "Depends on the subcommand",
              .since = "5.0.0"},
     .arity = -2},
    {.syntax = "XGROUP CREATE key group <id | $> [MKSTREAM] [ENTRIESREAD entries-read:integer]",
     .handler = xgroup_create,
     .flags = Flag::write | Flag::denyoom,
     .keys = key_at(2, Use::rw | Use::insert),
     .group = Group::stream,
     .docs = {.summary = "Makes a group of consumers.", .complexity = "O(1)", .since = "5.0.0"}},
    {.syntax = "XGROUP SETID key group <id | $> [ENTRIESREAD entries-read:integer]",
     .handler = xgroup_setid,
     .flags = Flag::write,
     .keys = key_at(2, Use::rw | Use::update),
     .group = Group::stream,
     .docs = {.summary = "Sets the last id that a group has given away.", .complexity = "O(1)", .since = "5.0.0"}},
    {.syntax = "XGROUP DESTROY key group",
     .handler = xgroup_destroy,
     .flags = Flag::write,
     .keys = kKey,
     .group = Group::stream,
     .docs = {.summary = "Removes a group.", .complexity = "O(N), N pending entries", .since = "5.0.0"}},
    {.syntax = "XGROUP CREATECONSUMER key group consumer",
     .handler = xgroup_createconsumer,
     .flags = Flag::write | Flag::denyoom,
     .keys = key_at(2, Use::rw | Use::insert),
     .group = Group::stream,
     .docs = {.summary = "Makes a consumer.", .complexity = "O(1)", .since = "6.2.0"}},
    {.syntax = "XGROUP DELCONSUMER key group consumer",
     .handler = xgroup_delconsumer,
     .flags = Flag::write,
     .keys = kKey,
     .group = Group::stream,
     .docs = {.summary = "Removes a consumer and what is pending for it.",
              .complexity = "O(N), N pending entries",
              .since = "5.0.0"}},
    {.syntax = "XGROUP HELP",
     .handler = help,
     .flags = Flag::loading | Flag::stale,
     .group = Group::stream,
     .docs = {.summary = "Prints this help.", .complexity = "O(1)", .since = "5.0.0"}},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> stream_group_commands() { return kSpecs; }

}  // namespace fairlane::command
