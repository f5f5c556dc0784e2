// random_run.cpp - what clients and operators ask by lane commands.
#include "unit/command/random_run.hpp"

#include <algorithm>

namespace fairlane::command::lane_model {
namespace {

constexpr std::size_t kMostJobs = 40;

std::string words(std::int64_t value) { return std::to_string(value); }

std::string claim_command(const Claim& asked) {
  constexpr const char* kNames[] = {"CLAIM", "WCLAIM", "BCLAIM"};
  return kNames[static_cast<std::size_t>(asked.share)];
}
std::string claim_arguments(const Claim& asked) {
  const bool counts = asked.share != Share::one && asked.count.has_value();
  return " " + words(asked.lease) + (counts ? " COUNT " + words(*asked.count) : "");
}

}  // namespace

void RandomRun::produce() {
  if (model().jobs.size() >= kMostJobs) return;
  const std::string lane = some_lane();
  const std::string id = new_id();
  std::string arguments = " " + lane + " " + id + " p" + id;
  std::int64_t due = 0;
  std::size_t most = SIZE_MAX;
  if (chance(4)) {
    const std::int64_t delay = chance(5) ? 0 : duration();
    due = model().now + delay;
    arguments += " DELAY " + words(delay);
  } else if (chance(6)) {
    due = model().now + (chance(3) ? -5 : duration());
    arguments += " AT " + words(due);
  }
  if (chance(4)) {
    most = below(6) + 1;
    arguments += " MAXDEPTH " + words(static_cast<std::int64_t>(most));
  }
  expect("ENQUEUE", arguments, model().enqueue(lane, id, due, most));
}

void RandomRun::work() {
  const Claim asked{static_cast<Share>(below(3)), chance(3) ? std::nullopt : std::optional(one_to(6)), duration()};
  expect(claim_command(asked), claim_arguments(asked), model().claim(asked));
}

/// A claim that waits, by a client that does not wait yet; or one that does goes away.
void RandomRun::wait_for_work() {
  const int client = static_cast<int>(one_to(Recorder::kClients - 1));
  for (Queue& queue : queues_) {
    auto& waiting = queue.model.waiting;
    const auto place = std::find_if(waiting.begin(), waiting.end(), [&](auto& one) { return one.client == client; });
    if (place == waiting.end()) continue;
    if (!chance(3)) return;
    waiting.erase(place);
    return recorder_.leave(client);
  }
  const Claim asked{static_cast<Share>(below(3)), chance(3) ? std::nullopt : std::optional(one_to(6)), duration(),
                    client};
  expect(claim_command(asked), claim_arguments(asked) + " BLOCK 0", model().claim_or_wait(asked), client);
}

void RandomRun::settle() {
  const std::string id = chance(20) ? new_id() : some_job(!chance(4)).value_or("none");
  const std::string token = some_token(id);
  std::string arguments = " " + id + " " + token;
  if (chance(3)) {
    const std::int64_t delay = chance(2) ? 0 : duration();
    const std::int64_t most = one_to(8);
    expect("RETRY", arguments + " " + words(delay) + " " + words(most) + " e" + id,
           model().retry(id, token, delay, most));
    return;
  }
  const std::int64_t next = chance(3) ? duration() : 0;
  if (next != 0) arguments += " NEXT " + words(next);
  expect("COMPLETE", arguments, model().complete(id, token, next));
}

void RandomRun::extend() {
  const std::string id = some_job(!chance(4)).value_or("none");
  const std::string token = some_token(id);
  const std::int64_t lease = duration();
  expect("EXTEND", " " + id + " " + token + " " + words(lease), model().extend(id, token, lease));
}

void RandomRun::operate_on_lane() {
  const std::string name = some_lane();
  Lane& lane = model().lanes[name];
  switch (below(5)) {
    case 0:
      lane.weight = one_to(4);
      return expect("WEIGHT", " " + name + " " + words(*lane.weight), "+OK");
    case 1:
      lane.limit = chance(2) ? 0 : one_to(4);
      expect("LIMIT", " " + name + " " + words(lane.limit), "+OK");
      break;
    case 2:
      lane.paused = true;
      expect("PAUSE", " " + name, "+OK");
      break;
    default:
      lane.paused = false;
      expect("RESUME", " " + name, "+OK");
  }
  model().settle_ring(name);
}

void RandomRun::operate_on_job() {
  const std::string id = chance(20) ? new_id() : some_job(chance(8)).value_or("none");
  const std::string to = some_lane();
  const std::optional<std::string> lane = maybe_lane();
  switch (below(6)) {
    case 0:
      return expect("REMOVE", " " + id + " FORCE", model().remove(id, true));
    case 1:
      return expect("REMOVE", " " + id, model().remove(id, false));
    case 2:
      return expect("REASSIGN", " " + id + " " + to, model().reassign(id, to));
    default:
      return expect("REVIVE", " " + id + (lane ? " " + *lane : ""), model().revive(id, lane));
  }
}

void RandomRun::operate_on_many() {
  const std::optional<std::string> lane = maybe_lane();
  const std::string named = lane ? " " + *lane : "";
  const std::size_t most = chance(2) ? SIZE_MAX : below(3) + 1;
  const std::string limit = most != SIZE_MAX ? " LIMIT " + words(static_cast<std::int64_t>(most)) : "";
  switch (below(6)) {
    case 0:
      if (!lane && !chance(8)) return;
      return expect("DRAIN", named, model().drain(lane));
    case 1:
      return expect("REVIVE", " *" + named, model().revive(std::nullopt, lane));
    case 2:
    case 3:
      return expect("PROMOTE", limit, model().promote(most));
    default:
      return expect("REAP", (lane ? " LANE" + named : "") + limit, model().reap(lane, most));
  }
}

void RandomRun::operate_on_queue() {
  const auto set = [&](const char* field, std::int64_t& value, std::uint64_t bound) {
    value = chance(2) ? 0 : one_to(bound);
    if (value != 0) return script("HSET", "meta", std::string(field) + " " + words(value));
    script("HDEL", "meta", field);
  };
  switch (below(7)) {
    case 0:
    case 1:
      return set("max", model().max_attempts, 6);
    case 2:
      return set("keep-completed", model().keep_completed, 4);
    case 3:
      return pause_queue();
    case 4:
      return resume_queue();
    default:
      return set("concurrency", model().ceiling, 12);
  }
}

void RandomRun::pause_queue() {
  model().paused = true;
  expect("PAUSE", "", "+OK");
}

void RandomRun::resume_queue() {
  if (model().paused) model().push_wake_token();
  model().paused = false;
  expect("RESUME", "", "+OK");
}

void RandomRun::pass_time() {
  const std::int64_t millis = one_to(chance(4) ? 80 : 8);
  recorder_.pass(millis);
  for (Queue& queue : queues_) {
    for (std::int64_t passed = 0; passed < millis; ++passed) {
      queue.model.tick();
      serve_waiting(queue);
    }
  }
  time_passed_ = true;
}

}  // namespace fairlane::command::lane_model
