// config.cpp - CONFIG: the options at run time.
#include <algorithm>
#include <string>
#include <unordered_set>
#include <vector>

#include "command/groups.hpp"
#include "command/help.hpp"
#include "command/locality.hpp"
#include "command/slow_log.hpp"
#include "command/statistics.hpp"
#include "fairlane/base/log.hpp"
#include "fairlane/base/text_match.hpp"
#include "fairlane/command/context.hpp"
#include "fairlane/command/options.hpp"
#include "fairlane/command/services.hpp"
#include "fairlane/command/settings.hpp"

namespace fairlane::command {
namespace {

/// An alias is a parameter of its own to Redis.
std::string_view shown_name(const Option& option, std::string_view name) noexcept {
  return base::equal_ignoring_case(option.alias, name) ? option.alias : option.name;
}

/// The answer of CONFIG GET while it grows: each name once.
class Found {
 public:
  explicit Found(Context& ctx) noexcept : ctx_(ctx) {}

  void add(std::string_view name, const Option& option) {
    if (!names_.insert(shown_name(option, name)).second) return;
    ctx_.reply.bulk(name);
    ctx_.reply.bulk(ctx_.services.options->text(option));
  }
  std::size_t size() const noexcept { return names_.size(); }

 private:
  Context& ctx_;
  std::unordered_set<std::string_view> names_;
};

void add_matches(std::string_view pattern, Found& found) {
  for (const OptionSection& section : option_sections()) {
    for (const Option& option : section.options) {
      if (has(option.flags, OptionFlag::hidden)) continue;
      for (const std::string_view name : {option.name, option.alias}) {
        if (!name.empty() && base::glob_match(pattern, name, base::Case::ignored)) found.add(name, option);
      }
    }
  }
}

Outcome config_get(Context& ctx, Args& args) {
  const auto place = ctx.reply.open();
  Found found(ctx);
  for (const std::string_view pattern : args.rest()) {
    if (pattern.find_first_of("[*?") != std::string_view::npos) {
      add_matches(pattern, found);
    } else if (const Option* option = Options::find(pattern)) {
      // Answered under the name as it was asked for, whatever its case.
      found.add(pattern, *option);
    }
  }
  ctx.reply.close_map(place, found.size());
  return Outcome::done;
}

Outcome refuse(Context& ctx, std::string_view name, std::string_view reason) {
  std::string text = "ERR CONFIG SET failed (possibly related to argument '";
  return ctx.fail(text.append(name).append("') - ").append(reason));
}

/// What forbids a change before its value is looked at; empty when nothing does. `name` is as the client wrote it.
std::string_view forbidden(const Context& ctx, const Option& option, std::string_view name,
                           std::unordered_set<std::string_view>& seen) {
  if (has(option.flags, OptionFlag::immutable)) return "can't set immutable config";
  if (has(option.flags, OptionFlag::guarded) && !allowed(ctx.services.settings.protected_options, ctx.session)) {
    return "can't set protected config";
  }
  return seen.insert(shown_name(option, name)).second ? "" : "duplicate parameter";
}

Outcome config_set(Context& ctx, Args& args) {
  if (args.left() % 2 != 0) return ctx.fail(errors::kSyntax);
  const auto words = args.rest();
  std::vector<Options::Change> changes;
  std::unordered_set<std::string_view> seen;
  std::string_view refused;
  std::string_view reason;
  for (std::size_t i = 0; i < words.size(); i += 2) {
    const Option* option = Options::find(words[i]);
    if (option == nullptr) {
      std::string text = "ERR Unknown option or number of arguments for CONFIG SET - '";
      return ctx.fail(text.append(words[i]).append("'"));
    }
    reason = forbidden(ctx, *option, words[i], seen);
    if (!reason.empty()) {
      refused = words[i];
      break;
    }
    changes.emplace_back(option, words[i + 1]);
  }
  if (!refused.empty()) return refuse(ctx, refused, reason);
  if (const auto refusal = ctx.services.options->change(changes)) {
    return refuse(ctx, shown_name(*changes[refusal->change].first, words[2 * refusal->change]), refusal->reason);
  }
  ctx.reply.ok();
  return Outcome::done;
}

Outcome config_resetstat(Context& ctx, Args&) {
  reset_statistics(ctx.services);
  ctx.reply.ok();
  return Outcome::done;
}

Outcome config_rewrite(Context& ctx, Args&) {
  const auto& rewrite = ctx.services.options->rewrite;
  if (!rewrite) return ctx.fail("ERR The server is running without a config file");
  if (const std::string wrong = rewrite(); !wrong.empty()) {
    ctx.services.log->warning("CONFIG REWRITE failed: " + wrong);
    return ctx.fail("ERR " + wrong);
  }
  ctx.services.log->warning("CONFIG REWRITE executed with success.");
  ctx.reply.ok();
  return Outcome::done;
}

/// Passwords among the values of CONFIG SET.
std::uint64_t secret_values(std::span<const std::string_view> words) {
  constexpr std::size_t kMost = 63;
  std::uint64_t secret = 0;
  for (std::size_t i = 2; i + 1 < words.size(); i += 2) {
    const Option* option = Options::find(words[i]);
    if (option != nullptr && has(option->flags, OptionFlag::secret)) {
      secret |= std::uint64_t{1} << std::min(i + 1, kMost);
    }
  }
  return secret;
}

constexpr Flag kAdmin = Flag::admin | Flag::noscript | Flag::loading | Flag::stale;

constexpr Spec kSpecs[] = {
    {.syntax = "CONFIG",
     .group = Group::server,
     .docs = {.summary = "Reads and changes the options of the server.",
              .complexity = "Depends on subcommand.",
              .since = "2.0.0"},
     .arity = -2},
    {.syntax = "CONFIG GET parameter [parameter ...]",
     .handler = config_get,
     .flags = kAdmin,
     .group = Group::server,
     .docs = {.summary = "Returns the options whose names match any of the patterns, with their values.",
              .complexity = "O(N) when N is the number of configuration parameters provided",
              .since = "2.0.0"}},
    {.syntax = "CONFIG SET parameter value [parameter value ...]",
     .handler = config_set,
     .flags = kAdmin | Flag::secret,
     .group = Group::server,
     .docs = {.summary = "Changes options, all of those given or none.",
              .complexity = "O(N) when N is the number of configuration parameters provided",
              .since = "2.0.0"},
     .tips = "request_policy:all_nodes response_policy:all_succeeded",
     .find_secrets = secret_values},
    {.syntax = "CONFIG RESETSTAT",
     .handler = config_resetstat,
     .flags = kAdmin,
     .group = Group::server,
     .docs = {.summary = "Sets the counters that INFO shows back to zero.", .complexity = "O(1)", .since = "2.0.0"}},
    {.syntax = "CONFIG REWRITE",
     .handler = config_rewrite,
     .flags = kAdmin,
     .group = Group::server,
     .docs = {.summary = "Writes the present values of the options to the configuration file.",
              .complexity = "O(1)",
              .since = "2.8.0"}},
    {.syntax = "CONFIG HELP",
     .handler = help,
     .flags = Flag::loading | Flag::stale,
     .group = Group::server,
     .docs = {.summary = "Lists the subcommands.", .complexity = "O(1)", .since = "5.0.0"}},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> config_commands() { return kSpecs; }

}  // namespace fairlane::command
