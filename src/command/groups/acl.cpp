// acl.cpp - ACL: users, what they may do, and what was refused.
#include <algorithm>
#include <string>

#include "command/acl/access.hpp"
#include "command/acl/rules.hpp"
#include "command/acl/user_text.hpp"
#include "command/groups.hpp"
#include "command/help.hpp"
#include "command/introspection.hpp"
#include "command/secrets.hpp"
#include "fairlane/base/random.hpp"
#include "fairlane/command/catalog.hpp"
#include "fairlane/command/context.hpp"
#include "fairlane/command/users.hpp"

namespace fairlane::command {
namespace {

/// A subcommand with more words than it knows, where the arity leaves the number open.
Outcome too_many_words(Context& ctx) {
  return ctx.fail("ERR unknown subcommand or wrong number of arguments for '" + std::string(ctx.request[1]) +
                  "'. Try ACL HELP.");
}

/// Redis cuts words that it quotes at their first NUL.
std::string quotable(std::string_view word) { return std::string(word.substr(0, word.find('\0'))); }

// --- users

void reply_texts(protocol::Reply& reply, const auto& texts) {
  reply.array(texts.size());
  for (const auto& text : texts) reply.bulk(text);
}

void reply_selector(Context& ctx, const Permissions& selector) {
  ctx.reply.bulk("commands");
  ctx.reply.bulk(describe_commands(selector, ctx.services.catalog));
  ctx.reply.bulk("keys");
  ctx.reply.bulk(describe_keys(selector));
  ctx.reply.bulk("channels");
  ctx.reply.bulk(describe_channels(selector));
}

Outcome acl_getuser(Context& ctx, Args& args) {
  const User* user = ctx.services.users->find(args.text());
  if (user == nullptr) {
    ctx.reply.null();
    return Outcome::done;
  }
  constexpr std::size_t kFields = 6;
  constexpr std::size_t kSelectorFields = 3;
  ctx.reply.map(kFields);
  ctx.reply.bulk("flags");
  const auto flags = flags_of(*user);
  ctx.reply.set(flags.size());
  for (const std::string_view flag : flags) ctx.reply.bulk(flag);
  ctx.reply.bulk("passwords");
  reply_texts(ctx.reply, user->digests);
  reply_selector(ctx, user->root());
  ctx.reply.bulk("selectors");
  ctx.reply.array(user->selectors.size() - 1);
  for (std::size_t i = 1; i < user->selectors.size(); ++i) {
    ctx.reply.map(kSelectorFields);
    reply_selector(ctx, user->selectors[i]);
  }
  return Outcome::done;
}

Outcome acl_list(Context& ctx, Args&) {
  reply_texts(ctx.reply, ctx.services.users->lines());
  return Outcome::done;
}

Outcome acl_users(Context& ctx, Args&) {
  const auto& users = ctx.services.users->all();
  ctx.reply.array(users.size());
  for (const auto& [name, user] : users) ctx.reply.bulk(name);
  return Outcome::done;
}

Outcome acl_whoami(Context& ctx, Args&) {
  ctx.reply.bulk(ctx.session.user->name);
  return Outcome::done;
}

Outcome acl_setuser(Context& ctx, Args& args) {
  const std::string_view name = args.text();
  if (has_blanks(name)) return ctx.fail("ERR Usernames can't contain spaces or null characters");
  const std::string wrong = ctx.services.users->change(name, args.rest());
  if (!wrong.empty()) return ctx.fail("ERR " + wrong);
  ctx.reply.ok();
  return Outcome::done;
}

Outcome acl_deluser(Context& ctx, Args& args) {
  const auto names = args.rest();
  if (std::find(names.begin(), names.end(), kDefaultUser) != names.end()) {
    return ctx.fail("ERR The 'default' user cannot be removed");
  }
  const auto removed =
      std::count_if(names.begin(), names.end(), [&](auto name) { return ctx.services.users->remove(name); });
  ctx.reply.integer(removed);
  return Outcome::done;
}

// --- the file of users

constexpr std::string_view kNoFile =
    "ERR This Redis instance is not configured to use an ACL file. You may want to specify users via the ACL SETUSER "
    "command and then issue a CONFIG REWRITE (assuming you have a Redis configuration file set) in order to store "
    "users in the Redis configuration.";

Outcome acl_load(Context& ctx, Args&) {
  if (ctx.services.user_file == nullptr) return ctx.fail(kNoFile);
  const std::string wrong = ctx.services.users->load();
  if (!wrong.empty()) return ctx.fail("ERR " + wrong);
  ctx.reply.ok();
  return Outcome::done;
}

Outcome acl_save(Context& ctx, Args&) {
  if (ctx.services.user_file == nullptr) return ctx.fail(kNoFile);
  if (!ctx.services.users->save()) {
    return ctx.fail(
        "ERR There was an error trying to save the ACLs. Please check the server logs for more information");
  }
  ctx.reply.ok();
  return Outcome::done;
}

// --- what may be done, and what was not

Outcome reply_categories(Context& ctx) {
  ctx.reply.array(category_names().size());
  for (const auto& named : category_names()) ctx.reply.bulk(named.name);
  return Outcome::done;
}

Outcome acl_cat(Context& ctx, Args& args) {
  if (args.left() > 1) return too_many_words(ctx);
  if (!args.more()) return reply_categories(ctx);
  const std::string_view name = args.text();
  const Category category = category_named(name);
  if (category == Category::none) return ctx.fail("ERR Unknown category '" + quotable(name) + "'");
  const auto place = ctx.reply.open();
  std::size_t count = 0;
  for (const auto& command : ctx.services.catalog.all()) {
    if (!has(all_categories(*command), category)) continue;
    ctx.reply.bulk(command->name);
    ++count;
  }
  ctx.reply.close_array(place, count);
  return Outcome::done;
}

std::string explain(const Verdict& verdict, const Command& command, std::span<const std::string_view> words) {
  std::string text = "This user has no permissions to ";
  if (verdict.refused == Refused::command) return text + "run the '" + command.name + "' command";
  text.append("access the '").append(quotable(words[verdict.word])).append("' ");
  return text + (verdict.refused == Refused::key ? "key" : "channel");
}

Outcome acl_dryrun(Context& ctx, Args& args) {
  const std::string_view name = args.text();
  const User* user = ctx.services.users->find(name);
  if (user == nullptr) return ctx.fail("ERR User '" + quotable(name) + "' not found");
  const auto words = args.rest();
  const Command* command = ctx.services.catalog.find_for(words);
  if (command == nullptr) return ctx.fail("ERR Command '" + quotable(words[0]) + "' not found");
  if (!command->accepts(words.size())) {
    return ctx.fail("ERR wrong number of arguments for '" + command->name + "' command");
  }
  const Verdict verdict = user->check(*command, words);
  if (verdict.permitted()) {
    ctx.reply.ok();
  } else {
    ctx.reply.bulk(explain(verdict, *command, words));
  }
  return Outcome::done;
}

std::string_view reason_name(Refused reason) noexcept {
  switch (reason) {
    case Refused::command:
      return "command";
    case Refused::key:
      return "key";
    case Refused::login:
      return "auth";
    case Refused::channel:
      return "channel";
    case Refused::nothing:
      break;
  }
  return "unknown";
}

std::string_view place_name(Denials::Place place) noexcept {
  switch (place) {
    case Denials::Place::toplevel:
      return "toplevel";
    case Denials::Place::multi:
      return "multi";
    case Denials::Place::lua:
      return "lua";
  }
  return "unknown";
}

void reply_denial(Context& ctx, const Denials::Entry& entry) {
  constexpr std::size_t kFields = 7;
  constexpr double kMillisPerSecond = 1000;
  protocol::Reply& reply = ctx.reply;
  reply.map(kFields);
  reply.bulk("count");
  reply.integer(static_cast<std::int64_t>(entry.count));
  reply.bulk("reason");
  reply.bulk(reason_name(entry.reason));
  reply.bulk("context");
  reply.bulk(place_name(entry.place));
  reply.bulk("object");
  reply.bulk(entry.object);
  reply.bulk("username");
  reply.bulk(entry.user);
  reply.bulk("age-seconds");
  reply.number(static_cast<double>((ctx.services.clock.wall() - entry.latest).count()) / kMillisPerSecond);
  reply.bulk("client-info");
  reply.bulk(entry.client);
}

Outcome acl_log(Context& ctx, Args& args) {
  if (args.left() > 1) return too_many_words(ctx);
  Denials& denials = *ctx.services.denials;
  if (args.option("RESET")) {
    denials.clear();
    ctx.reply.ok();
    return Outcome::done;
  }
  constexpr std::int64_t kUsually = 10;
  const std::int64_t most = args.more() ? args.integer() : kUsually;
  if (!args.ok()) return ctx.fail(args.error());
  const auto& entries = denials.entries();
  const std::int64_t count = std::clamp<std::int64_t>(most, 0, std::ssize(entries));
  ctx.reply.array(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) reply_denial(ctx, entries[static_cast<std::size_t>(i)]);
  return Outcome::done;
}

Outcome acl_genpass(Context& ctx, Args& args) {
  if (args.left() > 1) return too_many_words(ctx);
  constexpr std::int64_t kUsually = 256;
  constexpr std::int64_t kMost = 4096;
  constexpr std::int64_t kBitsPerDigit = 4;
  const std::int64_t bits =
      args.more() ? args.integer_in(1, kMost,
                                    "ERR ACL GENPASS argument must be the number of bits for the output password, a "
                                    "positive number up to 4096")
                  : kUsually;
  if (!args.ok()) return ctx.fail(args.error());
  ctx.reply.bulk(base::secret_digits(static_cast<std::size_t>((bits + kBitsPerDigit - 1) / kBitsPerDigit)));
  return Outcome::done;
}

constexpr Flag kAnybody = Flag::noscript | Flag::loading | Flag::stale;
constexpr Flag kAdmin = kAnybody | Flag::admin;

constexpr Spec kSpecs[] = {
    {.syntax = "ACL",
     .group = Group::server,
     .docs = {.summary = "Commands about users and what they may do.",
              .complexity = "Depends on subcommand.",
              .since = "6.0.0"},
     .arity = -2},
    {.syntax = "ACL CAT [category]",
     .handler = acl_cat,
     .flags = kAnybody,
     .group = Group::server,
     .docs = {.summary = "Lists the categories of commands, or the commands of one.",
              .complexity = "O(1) since the categories and commands are a fixed set.",
              .since = "6.0.0"}},
    {.syntax = "ACL DELUSER username [username ...]",
     .handler = acl_deluser,
     .flags = kAdmin,
     .group = Group::server,
     .docs = {.summary = "Removes users and disconnects their clients.",
              .complexity = "O(1) amortized time considering the typical user.",
              .since = "6.0.0"}},
    {.syntax = "ACL DRYRUN username command [arg [arg ...]]",
     .handler = acl_dryrun,
     .flags = kAdmin,
     .group = Group::server,
     .docs = {.summary = "Tells whether a user might run a request, without running it.",
              .complexity = "O(1).",
              .since = "7.0.0"}},
    {.syntax = "ACL GENPASS [bits:integer]",
     .handler = acl_genpass,
     .flags = kAnybody,
     .group = Group::server,
     .docs = {.summary = "Makes a password that nobody can guess.", .complexity = "O(1)", .since = "6.0.0"}},
    {.syntax = "ACL GETUSER username",
     .handler = acl_getuser,
     .flags = kAdmin,
     .group = Group::server,
     .docs = {.summary = "Tells what a user may do.",
              .complexity = "O(N). Where N is the number of password, command and pattern rules that the user has.",
              .since = "6.0.0"}},
    {.syntax = "ACL HELP",
     .handler = help,
     .flags = Flag::loading | Flag::stale,
     .group = Group::server,
     .docs = {.summary = "Lists the subcommands.", .complexity = "O(1)", .since = "6.0.0"}},
    {.syntax = "ACL LIST",
     .handler = acl_list,
     .flags = kAdmin,
     .group = Group::server,
     .docs = {.summary = "Lists all users, each as the line that declares it in a file.",
              .complexity = "O(N). Where N is the number of configured users.",
              .since = "6.0.0"}},
    {.syntax = "ACL LOAD",
     .handler = acl_load,
     .flags = kAdmin,
     .group = Group::server,
     .docs = {.summary = "Takes the users that the file of users declares.",
              .complexity = "O(N). Where N is the number of configured users.",
              .since = "6.0.0"}},
    {.syntax = "ACL LOG [count:integer | RESET]",
     .handler = acl_log,
     .flags = kAdmin,
     .group = Group::server,
     .docs = {.summary = "Tells what was refused last, or forgets it.",
              .complexity = "O(N) with N being the number of entries shown.",
              .since = "6.0.0"}},
    {.syntax = "ACL SAVE",
     .handler = acl_save,
     .flags = kAdmin,
     .group = Group::server,
     .docs = {.summary = "Writes the users to the file of users.",
              .complexity = "O(N). Where N is the number of configured users.",
              .since = "6.0.0"}},
    {.syntax = "ACL SETUSER username [rule [rule ...]]",
     .handler = acl_setuser,
     .flags = kAdmin | Flag::secret,
     .group = Group::server,
     .docs = {.summary = "Makes a user, or changes what it may do.",
              .complexity = "O(N). Where N is the number of rules provided.",
              .since = "6.0.0"}},
    {.syntax = "ACL USERS",
     .handler = acl_users,
     .flags = kAdmin,
     .group = Group::server,
     .docs = {.summary = "Lists the names of all users.",
              .complexity = "O(N). Where N is the number of configured users.",
              .since = "6.0.0"}},
    {.syntax = "ACL WHOAMI",
     .handler = acl_whoami,
     .flags = kAnybody,
     .group = Group::server,
     .docs = {.summary = "Tells who the connection is logged in as.", .complexity = "O(1)", .since = "6.0.0"}},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> acl_commands() { return kSpecs; }

}  // namespace fairlane::command
