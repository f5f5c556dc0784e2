// debug.cpp - DEBUG: what the tests of clients ask a server to do.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "command/encoding.hpp"
#include "command/groups.hpp"
#include "command/locality.hpp"
#include "command/options/table.hpp"
#include "fairlane/base/log.hpp"
#include "fairlane/base/number.hpp"
#include "fairlane/base/text_match.hpp"
#include "fairlane/command/context.hpp"
#include "fairlane/command/executor.hpp"
#include "fairlane/command/services.hpp"
#include "fairlane/command/settings.hpp"

namespace fairlane::command {
namespace {

Outcome sleep(Context& ctx, Args& args) {
  const double seconds = std::strtod(std::string(args.text()).c_str(), nullptr);
  if (seconds > 0) std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  ctx.reply.ok();
  return Outcome::done;
}

Outcome object(Context& ctx, Args& args) {
  const engine::Entry* entry = ctx.keys.peek(args.text());
  if (entry == nullptr) return ctx.fail(errors::kNoSuchKey);
  const std::string_view encoding = encoding_of(*entry);
  const std::uint32_t idle = engine::idle_seconds(entry->access(), ctx.keys.shared().access_clock);
  char text[256];
  const int size = std::snprintf(
      text, sizeof(text), "Value at:%p refcount:%d encoding:%.*s serializedlength:%zu lru:%u lru_seconds_idle:%u",
      static_cast<const void*>(entry), reference_count(*entry), static_cast<int>(encoding.size()), encoding.data(),
      entry->memory(), entry->access() & engine::kAccessMask, idle);
  ctx.reply.simple({text, static_cast<std::size_t>(size)});
  return Outcome::done;
}

Outcome set_active_expire(Context& ctx, Args& args) {
  ctx.services.settings.active_expiry = std::atoi(std::string(args.text()).c_str()) != 0;
  ctx.reply.ok();
  ctx.keys.shared().deadline_came_nearer = true;
  return Outcome::done;
}

/// A reply of the client's making, which no statistics count.
Outcome error(Context& ctx, Args& args) {
  ctx.reply.error(args.text());
  return Outcome::done;
}

Outcome log(Context& ctx, Args& args) {
  std::string text = "DEBUG LOG: ";
  if (ctx.services.log != nullptr) ctx.services.log->warning(text.append(args.text()));
  ctx.reply.ok();
  return Outcome::done;
}

void numbers(protocol::Reply& reply) {
  for (int i = 0; i < 3; ++i) reply.integer(i);
}

void attribute(protocol::Reply& reply) {
  if (reply.resp3()) {
    reply.attribute(1);
    reply.bulk("key-popularity");
    reply.array(2);
    reply.bulk("key:123");
    reply.integer(90);
  }
  reply.bulk("Some real reply following the attribute");
}

Outcome push(Context& ctx) {
  if (!ctx.reply.resp3()) return ctx.fail("ERR RESP2 is not supported by this command");
  ctx.reply.push(2);
  ctx.reply.bulk("server-cpu-usage");
  ctx.reply.integer(42);
  ctx.reply.bulk("Some real reply following the push reply");
  return Outcome::done;
}

/// A reply of each type there is, so that a client can show that it understands it.
Outcome protocol_type(Context& ctx, Args& args) {
  constexpr std::string_view kBigNumber = "1234567999999999999999999999999999999";
  protocol::Reply& reply = ctx.reply;
  const std::string_view type = args.text();
  const auto is = [type](std::string_view name) { return base::equal_ignoring_case(type, name); };
  if (is("string")) {
    reply.bulk("Hello World");
  } else if (is("integer")) {
    reply.integer(12345);
  } else if (is("double")) {
    reply.number(3.141);
  } else if (is("bignum")) {
    reply.resp3() ? reply.raw("(" + std::string(kBigNumber) + "\r\n") : reply.bulk(kBigNumber);
  } else if (is("null")) {
    reply.null();
  } else if (is("array")) {
    reply.array(3);
    numbers(reply);
  } else if (is("set")) {
    reply.set(3);
    numbers(reply);
  } else if (is("map")) {
    reply.map(3);
    for (int i = 0; i < 3; ++i) {
      reply.integer(i);
      reply.boolean(i == 1);
    }
  } else if (is("attrib")) {
    attribute(reply);
  } else if (is("push")) {
    return push(ctx);
  } else if (is("true") || is("false")) {
    reply.boolean(is("true"));
  } else if (is("verbatim")) {
    reply.verbatim("txt", "This is a verbatim\nstring");
  } else {
    return ctx.fail(
        "ERR Wrong protocol type name. Please use one of the following: "
        "string|integer|double|bignum|null|array|set|map|attrib|push|verbatim|true|false");
  }
  return Outcome::done;
}

Outcome populate(Context& ctx, Args& args) {
  const std::int64_t most = ctx.services.settings.limits.max_bulk_length;
  const std::int64_t count = args.integer_in(0, INT64_MAX, errors::kNotPositive, errors::kNotPositive);
  const std::string_view prefix = args.more() ? args.text() : "key";
  const std::int64_t size = args.more() ? args.integer_in(0, most, errors::kNotPositive, errors::kNotPositive) : 0;
  if (!args.ok()) return ctx.fail(args.error());
  for (std::int64_t i = 0; i < count; ++i) {
    const base::NumberText number(i);
    const std::string key = std::string(prefix).append(":").append(number.view());
    if (ctx.keys.contains(key)) continue;
    std::string value = std::string("value:").append(number.view());
    if (size != 0) value.resize(static_cast<std::size_t>(size));
    ctx.keys.store_string(key, value, engine::Deadline::clear);
    ctx.keys.published(key, engine::events::kSet, true);
  }
  ctx.reply.ok();
  return Outcome::done;
}

/// Saving and loading again would change nothing.
Outcome reload(Context& ctx, Args& args) {
  while (args.more()) {
    if (args.option("MERGE") || args.option("NOFLUSH") || args.option("NOSAVE")) continue;
    return ctx.fail("ERR DEBUG RELOAD only supports the MERGE, NOFLUSH and NOSAVE options.");
  }
  ctx.reply.ok();
  return Outcome::done;
}

Outcome nothing(Context& ctx, Args&) {
  ctx.reply.ok();
  return Outcome::done;
}

Outcome packed_threshold(Context& ctx, Args& args) {
  constexpr std::uint64_t kMost = (std::uint64_t{1} << 32) - (std::uint64_t{1} << 20);
  const auto bytes = parse_bytes(args.text());
  if (!bytes || *bytes > kMost) {
    return ctx.fail("ERR argument must be a memory value bigger than 1 and smaller than 4gb");
  }
  ctx.reply.ok();
  return Outcome::done;
}

Outcome unknown_part(Context& ctx, std::string_view name) {
  std::string text = "ERR unknown subcommand or wrong number of arguments for '";
  return ctx.fail(text.append(name.substr(0, 128)).append("'. Try DEBUG HELP."));
}

Outcome reply_buffer(Context& ctx, Args& args) {
  if (args.option("PEAK-RESET-TIME")) {
    if (!args.option("NEVER") && !args.option("RESET")) args.integer();
    if (!args.ok()) return ctx.fail(args.error());
  } else if (!args.option("RESIZING")) {
    return unknown_part(ctx, ctx.request[1]);
  }
  ctx.reply.ok();
  return Outcome::done;
}

Outcome debug_help(Context& ctx, Args& args);

struct Part {
  std::string_view name;
  std::size_t least;  ///< words behind the name
  std::size_t most;
  Handler run;
  std::string_view arguments;
  std::string_view help;
};

constexpr Part kParts[] = {
    {"CHANGE-REPL-ID", 0, 0, nothing, "", "Accepted; there is no replication."},
    {"ERROR", 1, 1, error, "<string>", "Reply with an error whose text is <string>."},
    {"LOG", 1, 1, log, "<message>", "Write <message> to the log."},
    {"OBJECT", 1, 1, object, "<key>", "Tell how a key and its value are kept."},
    {"PAUSE-CRON", 1, 1, nothing, "<0|1>", "Accepted; there are no periodic jobs."},
    {"POPULATE", 1, 3, populate, "<count> [<prefix>] [<size>]", "Make <count> strings named <prefix>:<number>."},
    {"PROTOCOL", 1, 1, protocol_type, "<type>", "Reply with a value of the type: string, integer, double, ..."},
    {"QUICKLIST-PACKED-THRESHOLD", 1, 1, packed_threshold, "<size>", "Accepted; lists have no such threshold."},
    {"RELOAD", 0, 3, reload, "[option ...]", "Accepted; data is not saved, so that there is nothing to load."},
    {"REPLYBUFFER", 2, 2, reply_buffer, "<PEAK-RESET-TIME NEVER|RESET|<ms> | RESIZING <0|1>>",
     "Accepted; output buffers know neither."},
    {"SET-ACTIVE-EXPIRE", 1, 1, set_active_expire, "<0|1>", "Turn the removal of keys past their time off or on."},
    {"SET-DISABLE-DENY-SCRIPTS", 1, 1, nothing, "<0|1>", "Accepted; there are no scripts."},
    {"SLEEP", 1, 1, sleep, "<seconds>", "Stop the server for so long; decimals are allowed."},
    {"HELP", 0, 0, debug_help, "", "Print this help."},
};

Outcome debug_help(Context& ctx, Args&) {
  ctx.reply.array(1 + 2 * std::size(kParts));
  ctx.reply.simple("DEBUG <subcommand> [<arg> [value] [opt] ...]. Subcommands are:");
  for (const Part& part : kParts) {
    std::string line(part.name);
    if (!part.arguments.empty()) line.append(" ").append(part.arguments);
    ctx.reply.simple(line);
    ctx.reply.simple("    " + std::string(part.help));
  }
  return Outcome::done;
}

Outcome debug(Context& ctx, Args& args) {
  if (!allowed(ctx.services.settings.debug_command, ctx.session)) {
    return ctx.fail(
        "ERR DEBUG command not allowed. If the enable-debug-command option is set to \"local\", you can run it from a "
        "local connection, otherwise you need to set this option in the configuration file, and then restart the "
        "server.");
  }
  const std::string_view name = args.text();
  for (const Part& part : kParts) {
    if (!base::equal_ignoring_case(part.name, name)) continue;
    if (args.left() >= part.least && args.left() <= part.most) return part.run(ctx, args);
  }
  return unknown_part(ctx, name);
}

constexpr Spec kSpecs[] = {
    {.syntax = "DEBUG subcommand [argument ...]",
     .handler = debug,
     .flags = Flag::admin | Flag::noscript | Flag::loading | Flag::stale,
     .group = Group::server,
     .docs = {.summary = "Holds what the tests of clients and servers need.",
              .complexity = "Depends on subcommand.",
              .since = "1.0.0"}},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> debug_commands() { return kSpecs; }

}  // namespace fairlane::command
