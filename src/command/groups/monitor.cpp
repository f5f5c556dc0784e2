// monitor.cpp - MONITOR: looking on at everything that runs.
#include "command/groups.hpp"
#include "command/monitors.hpp"
#include "fairlane/command/context.hpp"
#include "fairlane/command/services.hpp"

namespace fairlane::command {
namespace {

Outcome monitor(Context& ctx, Args&) {
  if (!ctx.may_wait) return ctx.fail("ERR MONITOR isn't allowed for DENY BLOCKING client");
  // Who looks on already gets no answer.
  if (ctx.session.monitor) return Outcome::done;
  ctx.services.monitors->add(ctx.session);
  ctx.reply.ok();
  return Outcome::done;
}

constexpr Spec kSpecs[] = {
    {.syntax = "MONITOR",
     .handler = monitor,
     .flags = Flag::admin | Flag::noscript | Flag::loading | Flag::stale,
     .group = Group::server,
     .docs = {.summary = "Shows every request that the server runs.", .complexity = {}, .since = "1.0.0"}},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> monitor_commands() { return kSpecs; }

}  // namespace fairlane::command
