// lane_config.cpp - how a queue and its lanes are served: rates, and the options of the queue.
#include "command/groups.hpp"
#include "command/lane/answers.hpp"
#include "command/lane/queue_options.hpp"
#include "command/lane/rate.hpp"

namespace fairlane::command {
namespace {

Outcome answer_ok(Context& ctx, Step step) {
  if (step != Step::done) return fail_step(ctx, step);
  ctx.reply.ok();
  return Outcome::done;
}

/// "n per-ms", or 0 with or without a time.
Rate read_rate(Args& args) {
  Rate rate;
  rate.jobs = args.integer_in(0, kMostRate, lane_errors::kRate, lane_errors::kRate);
  if (rate.jobs == 0 && args.left() == 0) return rate;
  if (args.left() == 0) args.fail(lane_errors::kRate);
  rate.per = args.integer_in(rate.jobs == 0 ? 0 : 1, kLongestRate, lane_errors::kRate, lane_errors::kRate);
  return rate;
}

Outcome tell_rate(Context& ctx, Queue& queue, std::string_view lane) {
  Bucket bucket;
  const Step step = read_bucket(queue, lane, bucket);
  if (step != Step::done) return fail_step(ctx, step);
  if (!bucket.limits()) {
    ctx.reply.integer(0);
    return Outcome::done;
  }
  ctx.reply.array(2);
  ctx.reply.integer(bucket.rate.jobs);
  ctx.reply.integer(bucket.rate.per);
  return Outcome::done;
}

Outcome lane_rate(Context& ctx, Args& args) {
  const std::string_view name = read_queue(args);
  const std::string_view lane = read_lane(args);
  const bool sets = args.left() != 0;
  const Rate rate = sets ? read_rate(args) : Rate{};
  if (!args.ok()) return ctx.fail(args.error());
  if (args.left() != 0) return ctx.fail(errors::kSyntax);
  Queue queue(ctx, name);
  return sets ? answer_ok(ctx, set_rate(queue, lane, rate)) : tell_rate(ctx, queue, lane);
}

Outcome refuse_option(Context& ctx, std::string_view name) {
  std::string text = "ERR unknown lane option '";
  return ctx.fail(text.append(name).append("'"));
}

Outcome get_options(Context& ctx, Queue& queue, std::span<const std::string_view> names) {
  ctx.reply.map(names.size());
  for (const std::string_view name : names) {
    const QueueOption* option = find_queue_option(name);
    if (option == nullptr) return refuse_option(ctx, name);
    std::int64_t value = 0;
    const Step step = read_option(queue, *option, value);
    if (step != Step::done) return fail_step(ctx, step);
    ctx.reply.bulk(option->name);
    if (option->is_number()) {
      ctx.reply.integer(value);
    } else {
      ctx.reply.bulk(option->words[static_cast<std::size_t>(value)]);
    }
  }
  return Outcome::done;
}

Outcome set_options_named(Context& ctx, Queue& queue, std::span<const std::string_view> pairs) {
  if (pairs.size() % 2 != 0) return ctx.fail(errors::kSyntax);
  std::vector<OptionChange> changes;
  for (std::size_t i = 0; i < pairs.size(); i += 2) {
    const QueueOption* option = find_queue_option(pairs[i]);
    if (option == nullptr) return refuse_option(ctx, pairs[i]);
    const auto value = parse_option(*option, pairs[i + 1]);
    if (!value) {
      std::string text = "ERR lane option '";
      return ctx.fail(text.append(option->name).append("' ").append(describe_values(*option)));
    }
    changes.push_back({option, *value});
  }
  return answer_ok(ctx, set_options(queue, changes));
}

Outcome lane_config(Context& ctx, Args& args) {
  const std::string_view name = read_queue(args);
  const bool sets = args.option("SET");
  if (!sets && !args.option("GET")) args.fail(errors::kSyntax);
  if (!args.ok()) return ctx.fail(args.error());
  Queue queue(ctx, name);
  return sets ? set_options_named(ctx, queue, args.rest()) : get_options(ctx, queue, args.rest());
}

constexpr Spec kSpecs[] = {
    {.syntax = "LANE.RATE queue:key lane [jobs:integer [milliseconds:integer]]",
     .handler = lane_rate,
     .flags = Flag::write | Flag::fast,
     .keys = key_at(1, Use::rw | Use::access | Use::update),
     .group = Group::lane,
     .docs = {.summary = "Tells or sets how many jobs of a lane may be claimed in how many milliseconds.",
              .complexity = "O(1)",
              .since = "0.1.0"}},
    {.syntax = "LANE.CONFIG queue:key <GET option [option ...] | SET option value [option value ...]>",
     .handler = lane_config,
     .flags = Flag::write,
     .keys = key_at(1, Use::rw | Use::access | Use::update | Use::del),
     .group = Group::lane,
     .docs = {.summary = "Tells or sets options of a queue: policy, charge, max-attempts, max-active, keep-completed.",
              .complexity = "O(N), N options, and completed jobs that are kept no longer",
              .since = "0.1.0"}},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> lane_config_commands() { return kSpecs; }

}  // namespace fairlane::command
