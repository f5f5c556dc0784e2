// client_tracking.cpp - CLIENT TRACKING, CACHING, TRACKINGINFO, GETREDIR.
#include <string>
#include <vector>

#include "command/groups.hpp"
#include "command/tracking.hpp"
#include "fairlane/command/catalog.hpp"
#include "fairlane/command/context.hpp"
#include "fairlane/command/services.hpp"
#include "fairlane/command/sessions.hpp"

namespace fairlane::command {
namespace {

struct Wanted {
  ClientTracking tracking;
  std::vector<std::string_view> prefixes;
  bool redirects = false;
};

void read_option(Context& ctx, Args& args, Wanted& wanted) {
  if (args.option_with("REDIRECT", 1)) {
    if (wanted.redirects) return args.fail("ERR A client can only redirect to a single other client");
    wanted.redirects = true;
    const std::int64_t id = args.integer();
    wanted.tracking.redirect = static_cast<SessionId>(id);
    if (args.ok() && (id <= 0 || ctx.services.sessions.find(wanted.tracking.redirect) == nullptr)) {
      args.fail("ERR The client ID you want redirect to does not exist");
    }
  } else if (args.option("BCAST")) {
    wanted.tracking.broadcast = true;
  } else if (args.option("OPTIN")) {
    wanted.tracking.opt_in = true;
  } else if (args.option("OPTOUT")) {
    wanted.tracking.opt_out = true;
  } else if (args.option("NOLOOP")) {
    wanted.tracking.no_loop = true;
  } else if (args.option_with("PREFIX", 1)) {
    wanted.prefixes.push_back(args.text());
  } else {
    args.fail(errors::kSyntax);
  }
}

std::string overlap(std::string_view prefix, const char* with, std::string_view other) {
  return "ERR Prefix '" + std::string(prefix) + "' overlaps with " + with + " prefix '" + std::string(other) +
         "'. Prefixes for a single client must not overlap.";
}

bool overlaps(std::string_view a, std::string_view b) noexcept { return a.starts_with(b) || b.starts_with(a); }

std::string prefix_fault(const Session& session, const std::vector<std::string_view>& prefixes) {
  for (std::size_t i = 0; i < prefixes.size(); ++i) {
    if (session.tracking) {
      for (const std::string& other : session.tracking->prefixes) {
        if (overlaps(prefixes[i], other)) return overlap(prefixes[i], "an existing", other);
      }
    }
    for (std::size_t j = i + 1; j < prefixes.size(); ++j) {
      if (overlaps(prefixes[i], prefixes[j])) return overlap(prefixes[i], "another provided", prefixes[j]);
    }
  }
  return {};
}

/// Do the options go together, and with what the client has now? Returns an error, or nothing.
std::string fault(const Session& session, const Wanted& wanted) {
  const ClientTracking& now = wanted.tracking;
  if (!now.broadcast && !wanted.prefixes.empty()) return "ERR PREFIX option requires BCAST mode to be enabled";
  if (session.tracking && session.tracking->broadcast != now.broadcast) {
    return "ERR You can't switch BCAST mode on/off before disabling tracking for this client, and then re-enabling it "
           "with a different mode.";
  }
  if (now.broadcast && (now.opt_in || now.opt_out)) return "ERR OPTIN and OPTOUT are not compatible with BCAST";
  if (now.opt_in && now.opt_out) return "ERR You can't specify both OPTIN mode and OPTOUT mode";
  if (session.tracking && ((now.opt_in && session.tracking->opt_out) || (now.opt_out && session.tracking->opt_in))) {
    return "ERR You can't switch OPTIN/OPTOUT mode before disabling tracking for this client, and then re-enabling it "
           "with a different mode.";
  }
  return now.broadcast ? prefix_fault(session, wanted.prefixes) : std::string();
}

Outcome client_tracking(Context& ctx, Args& args) {
  const std::string_view state = args.text();
  Wanted wanted;
  while (args.more()) read_option(ctx, args, wanted);
  if (!args.ok()) return ctx.fail(args.error());
  if (base::equal_ignoring_case(state, "on")) {
    if (const std::string error = fault(ctx.session, wanted); !error.empty()) return ctx.fail(error);
    ClientTracking& tracking = wanted.tracking;
    if (tracking.broadcast) {
      if (ctx.session.tracking) tracking.prefixes = ctx.session.tracking->prefixes;
      for (const std::string_view prefix : wanted.prefixes) tracking.prefixes.emplace(prefix);
      if (tracking.prefixes.empty()) tracking.prefixes.emplace();
    }
    ctx.services.tracking->enable(ctx.session, std::move(tracking));
  } else if (base::equal_ignoring_case(state, "off")) {
    ctx.services.tracking->disable(ctx.session);
  } else {
    return ctx.fail(errors::kSyntax);
  }
  ctx.reply.ok();
  return Outcome::done;
}

Outcome client_caching(Context& ctx, Args& args) {
  ClientTracking* tracking = ctx.session.tracking.get();
  if (tracking == nullptr) {
    return ctx.fail(
        "ERR CLIENT CACHING can be called only when the client is in tracking mode with OPTIN or OPTOUT mode enabled");
  }
  if (args.option("YES")) {
    if (!tracking->opt_in) {
      return ctx.fail("ERR CLIENT CACHING YES is only valid when tracking is enabled in OPTIN mode.");
    }
  } else if (args.option("NO")) {
    if (!tracking->opt_out) {
      return ctx.fail("ERR CLIENT CACHING NO is only valid when tracking is enabled in OPTOUT mode.");
    }
  } else {
    return ctx.fail(errors::kSyntax);
  }
  tracking->caching = true;
  ctx.reply.ok();
  return Outcome::done;
}

Outcome client_getredir(Context& ctx, Args&) {
  const ClientTracking* tracking = ctx.session.tracking.get();
  ctx.reply.integer(tracking == nullptr ? -1 : static_cast<std::int64_t>(tracking->redirect));
  return Outcome::done;
}

Outcome client_trackinginfo(Context& ctx, Args&) {
  static const ClientTracking kOff;
  const bool on = ctx.session.tracking != nullptr;
  const ClientTracking& tracking = on ? *ctx.session.tracking : kOff;
  std::vector<std::string_view> flags = {on ? "on" : "off"};
  if (tracking.broadcast) flags.emplace_back("bcast");
  if (tracking.opt_in) flags.emplace_back("optin");
  if (tracking.opt_in && tracking.caching) flags.emplace_back("caching-yes");
  if (tracking.opt_out) flags.emplace_back("optout");
  if (tracking.opt_out && tracking.caching) flags.emplace_back("caching-no");
  if (tracking.no_loop) flags.emplace_back("noloop");
  if (tracking.broken) flags.emplace_back("broken_redirect");
  ctx.reply.map(3);
  ctx.reply.bulk("flags");
  ctx.reply.set(flags.size());
  for (const std::string_view flag : flags) ctx.reply.bulk(flag);
  ctx.reply.bulk("redirect");
  ctx.reply.integer(on ? static_cast<std::int64_t>(tracking.redirect) : -1);
  ctx.reply.bulk("prefixes");
  ctx.reply.array(tracking.prefixes.size());
  for (const std::string& prefix : tracking.prefixes) ctx.reply.bulk(prefix);
  return Outcome::done;
}

constexpr Flag kOwn = Flag::noscript | Flag::loading | Flag::stale;

constexpr Spec kSpecs[] = {
    {.syntax = "CLIENT TRACKING <ON | OFF> [REDIRECT client-id:integer] [PREFIX prefix [PREFIX prefix ...]] [BCAST] "
               "[OPTIN] [OPTOUT] [NOLOOP]",
     .handler = client_tracking,
     .flags = kOwn,
     .group = Group::connection,
     .docs = {.summary = "Tells the client when keys that it has read change.", .complexity = "O(1)", .since = "6.0.0"},
     .arity = -3},
    {.syntax = "CLIENT CACHING <YES | NO>",
     .handler = client_caching,
     .flags = kOwn,
     .group = Group::connection,
     .docs = {.summary = "Says whether the next command's keys are tracked.", .complexity = "O(1)", .since = "6.0.0"}},
    {.syntax = "CLIENT TRACKINGINFO",
     .handler = client_trackinginfo,
     .flags = kOwn,
     .group = Group::connection,
     .docs = {.summary = "Tells what is tracked for the client.", .complexity = "O(1)", .since = "6.2.0"}},
    {.syntax = "CLIENT GETREDIR",
     .handler = client_getredir,
     .flags = kOwn,
     .group = Group::connection,
     .docs = {.summary = "Tells which client hears of this one's keys; -1 when nothing is tracked.",
              .complexity = "O(1)",
              .since = "6.0.0"}},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> client_tracking_commands() { return kSpecs; }

}  // namespace fairlane::command
