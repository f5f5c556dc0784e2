// latency.cpp - LATENCY: the slow moments of the server, and how long its commands take.
#include <algorithm>
#include <string>

#include "command/groups.hpp"
#include "command/help.hpp"
#include "command/latency_monitor.hpp"
#include "command/slow_log.hpp"
#include "fairlane/base/ticks.hpp"
#include "fairlane/command/catalog.hpp"
#include "fairlane/command/context.hpp"
#include "fairlane/command/services.hpp"
#include "fairlane/command/settings.hpp"

namespace fairlane::command {
namespace {

using Event = LatencyMonitor::Event;
using Sample = LatencyMonitor::Sample;

LatencyMonitor& monitor_of(Context& ctx) { return ctx.services.slow_log->latency(); }

Outcome latest(Context& ctx, Args&) {
  const auto& events = monitor_of(ctx).events();
  ctx.reply.array(events.size());
  for (const Event& event : events) {
    ctx.reply.array(4);
    ctx.reply.bulk(event.name);
    ctx.reply.integer(event.samples.back().unix_seconds);
    ctx.reply.integer(event.samples.back().millis);
    ctx.reply.integer(event.worst);
  }
  return Outcome::done;
}

Outcome history(Context& ctx, Args& args) {
  const Event* event = monitor_of(ctx).find(args.text());
  ctx.reply.array(event == nullptr ? 0 : event->samples.size());
  if (event == nullptr) return Outcome::done;
  for (const Sample& sample : event->samples) {
    ctx.reply.array(2);
    ctx.reply.integer(sample.unix_seconds);
    ctx.reply.integer(sample.millis);
  }
  return Outcome::done;
}

Outcome reset(Context& ctx, Args& args) {
  LatencyMonitor& monitor = monitor_of(ctx);
  std::size_t count = 0;
  if (!args.more()) count = monitor.reset_all();
  while (args.more()) count += monitor.reset(args.text()) ? 1 : 0;
  ctx.reply.integer(static_cast<std::int64_t>(count));
  return Outcome::done;
}

std::pair<std::int64_t, std::int64_t> range_of(const Event& event) {
  const auto [low, high] = std::minmax_element(event.samples.begin(), event.samples.end(),
                                               [](const Sample& a, const Sample& b) { return a.millis < b.millis; });
  return {low->millis, high->millis};
}

/// The samples as columns of four heights, oldest on the left.
Outcome graph(Context& ctx, Args& args) {
  constexpr std::size_t kWidth = 80;
  constexpr std::string_view kHeights = "_-#";
  const std::string_view name = args.text();
  const Event* event = monitor_of(ctx).find(name);
  if (event == nullptr) {
    std::string text = "ERR No samples available for event '";
    return ctx.fail(text.append(name).append("'"));
  }
  const auto [low, high] = range_of(*event);
  std::string text = event->name + " - high " + std::to_string(high) + " ms, low " + std::to_string(low) +
                     " ms (all time high " + std::to_string(event->worst) + " ms)\n" + std::string(kWidth, '-') + "\n";
  const std::size_t skipped = event->samples.size() > kWidth ? event->samples.size() - kWidth : 0;
  for (auto sample = event->samples.begin() + static_cast<std::ptrdiff_t>(skipped); sample != event->samples.end();
       ++sample) {
    const std::int64_t span = std::max<std::int64_t>(high - low, 1);
    const auto height = static_cast<std::size_t>((sample->millis - low) * 2 / span);
    text += kHeights[height];
  }
  ctx.reply.verbatim("txt", text.append("\n"));
  return Outcome::done;
}

Outcome doctor(Context& ctx, Args&) {
  const auto& events = monitor_of(ctx).events();
  std::string text;
  if (ctx.services.settings.latency_threshold_millis == 0 && events.empty()) {
    text = "The latency monitor is off. Turn it on with CONFIG SET latency-monitor-threshold <milliseconds>.\n";
  } else if (events.empty()) {
    text = "Nothing has been slow. Well done.\n";
  } else {
    text = "These kinds of events have been slow:\n";
    for (const Event& event : events) {
      text += event.name + ": " + std::to_string(event.samples.size()) + " times, at worst " +
              std::to_string(event.worst) + " ms.\n";
    }
    text += "SLOWLOG GET shows which requests took long.\n";
  }
  ctx.reply.verbatim("txt", text);
  return Outcome::done;
}

/// Classes that double from a microsecond on, each with all the calls that were as fast, up to the slowest call.
void reply_histogram(Context& ctx, const Command& command) {
  constexpr std::uint64_t kFirstNanos = 1024;
  constexpr std::uint64_t kPrecision = 128;  ///< Redis' histogram ends its classes so much further
  const Latency& latency = *command.stats.latency;
  const double ticks_per_nano = base::ticks_per_microsecond() / 1000;
  const std::uint64_t calls = latency.calls();
  ctx.reply.bulk(command.name);
  ctx.reply.map(2);
  ctx.reply.bulk("calls");
  ctx.reply.integer(static_cast<std::int64_t>(calls));
  ctx.reply.bulk("histogram_usec");
  const auto place = ctx.reply.open();
  std::size_t classes = 0;
  std::uint64_t before = 0;
  for (std::uint64_t nanos = kFirstNanos; before < calls; nanos *= 2) {
    const std::uint64_t end = nanos + nanos / kPrecision - 1;
    const std::uint64_t within =
        latency.calls_within(static_cast<std::uint64_t>(static_cast<double>(end) * ticks_per_nano));
    if (within == before) continue;
    ctx.reply.integer(static_cast<std::int64_t>(end / 1000));
    ctx.reply.integer(static_cast<std::int64_t>(within));
    before = within;
    ++classes;
  }
  ctx.reply.close_map(place, classes);
}

/// A container has no calls of its own: its subcommands are shown.
std::size_t reply_histograms(Context& ctx, const Command& command) {
  std::size_t shown = 0;
  if (command.stats.latency != nullptr) {
    reply_histogram(ctx, command);
    ++shown;
  }
  for (const Command* child : command.subcommands) shown += reply_histograms(ctx, *child);
  return shown;
}

Outcome histogram(Context& ctx, Args& args) {
  const auto place = ctx.reply.open();
  std::size_t shown = 0;
  if (!args.more()) {
    for (const Command* command : ctx.services.catalog.commands()) shown += reply_histograms(ctx, *command);
  }
  while (args.more()) {
    const Command* command = ctx.services.catalog.find_full(args.text());
    if (command != nullptr) shown += reply_histograms(ctx, *command);
  }
  ctx.reply.close_map(place, shown);
  return Outcome::done;
}

constexpr Flag kAdmin = Flag::admin | Flag::noscript | Flag::loading | Flag::stale;
constexpr std::string_view kTips = "nondeterministic_output request_policy:all_nodes response_policy:special";

constexpr Spec kSpecs[] = {
    {.syntax = "LATENCY",
     .group = Group::server,
     .docs = {.summary = "Tells what was slow.", .complexity = "Depends on subcommand.", .since = "2.8.13"},
     .arity = -2},
    {.syntax = "LATENCY LATEST",
     .handler = latest,
     .flags = kAdmin,
     .group = Group::server,
     .docs = {.summary = "Returns the latest slow moment of each kind of event.",
              .complexity = "O(1)",
              .since = "2.8.13"},
     .tips = kTips},
    {.syntax = "LATENCY HISTORY event:string",
     .handler = history,
     .flags = kAdmin,
     .group = Group::server,
     .docs = {.summary = "Returns the slow moments of one kind of event.", .complexity = "O(1)", .since = "2.8.13"},
     .tips = kTips},
    {.syntax = "LATENCY RESET [event:string ...]",
     .handler = reset,
     .flags = kAdmin,
     .group = Group::server,
     .docs = {.summary = "Forgets the slow moments of some kinds of events, or of all.",
              .complexity = "O(1)",
              .since = "2.8.13"},
     .tips = "request_policy:all_nodes response_policy:all_succeeded"},
    {.syntax = "LATENCY GRAPH event:string",
     .handler = graph,
     .flags = kAdmin,
     .group = Group::server,
     .docs = {.summary = "Draws the slow moments of one kind of event.", .complexity = "O(1)", .since = "2.8.13"},
     .tips = kTips},
    {.syntax = "LATENCY DOCTOR",
     .handler = doctor,
     .flags = kAdmin,
     .group = Group::server,
     .docs = {.summary = "Tells in words what was slow.", .complexity = "O(1)", .since = "2.8.13"},
     .tips = kTips},
    {.syntax = "LATENCY HISTOGRAM [command:string ...]",
     .handler = histogram,
     .flags = kAdmin,
     .group = Group::server,
     .docs = {.summary = "Returns how many calls of each command took how long.",
              .complexity = "O(N) where N is the number of commands with latency information being retrieved.",
              .since = "7.0.0"},
     .tips = kTips},
    {.syntax = "LATENCY HELP",
     .handler = help,
     .flags = Flag::loading | Flag::stale,
     .group = Group::server,
     .docs = {.summary = "Lists the subcommands.", .complexity = "O(1)", .since = "2.8.13"}},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> latency_commands() { return kSpecs; }

}  // namespace fairlane::command
