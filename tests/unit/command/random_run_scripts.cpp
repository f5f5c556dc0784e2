// random_run_scripts.cpp - what scripts do with ordinary commands, keeping to the contract.
#include <algorithm>

#include "unit/command/random_run.hpp"

namespace fairlane::command::lane_model {
namespace {

constexpr std::size_t kMostJobs = 40;

/// As a score is written.
std::string instant(double when) {
  std::string text = std::to_string(when);
  return text.substr(0, text.find('.') + 2);
}

}  // namespace

void RandomRun::script_settles_ring(const std::string& lane) {
  const bool listed = std::find(model().ring.begin(), model().ring.end(), lane) != model().ring.end();
  const bool wanted = model().serviceable(lane);
  model().settle_ring(lane, true);
  if (wanted && !listed) {
    script("RPUSH", "ring", lane);
    script("LPUSH", "wake", "1");
    script("LTRIM", "wake", "0 63");
  } else if (!wanted && listed) {
    script("LREM", "ring", "1 " + lane);
  }
}

void RandomRun::script_takes_a_wake_token() {
  if (model().wake != 0) --model().wake;
  script("LPOP", "wake");
}

void RandomRun::script_moves_the_ring() {
  if (chance(2)) {
    script("RENAME", "ring", "away");
    recorder_.ask(0, "RENAME away " + queue_->key("ring"));
    return;
  }
  script("LMOVE", "ring", queue_->key("ring") + " LEFT RIGHT");
  if (model().ring.empty()) return;
  model().ring.push_back(model().ring.front());
  model().ring.pop_front();
}

/// A row in its first state.
void RandomRun::script_creates(const char* state, Place place, double when) {
  const std::string id = new_id();
  const std::optional<std::string> lane = maybe_lane();
  if (model().jobs.size() >= kMostJobs || model().jobs.count(id) != 0) return;
  Job& job = model().jobs[id];
  job.id = id;
  job.payload = "s" + id;
  job.lane = lane;
  job.place = place == Place::lane && !lane ? Place::ungrouped : place;
  job.when = when;
  script("HSET", "job:" + id,
         std::string("state ") + state + " attempts 0 payload " + job.payload + (lane ? " group " + *lane : ""));
  const std::string waiting = lane ? "g:" + *lane + ":pending" : "pending";
  script("ZADD", place == Place::scheduled ? "schedule" : waiting, instant(when) + " " + id);
  if (job.place == Place::lane) script_settles_ring(*lane);
}

void RandomRun::script_enqueues() { script_creates("pending", Place::lane, 0); }
void RandomRun::script_delays() { script_creates("scheduled", Place::scheduled, script_instant()); }

void RandomRun::script_leases(const std::string& id) {
  const double until = script_instant();
  model().lease(model().jobs.at(id), until, true);
  script("HINCRBY", "job:" + id, "attempts 1");
  script("HSET", "job:" + id, "state active");
  script("ZADD", "active", instant(until) + " " + id);
}

void RandomRun::script_claims() {
  if (model().ring.empty() || model().closed()) return;
  const std::string lane = model().ring.front();
  script("LMOVE", "ring", queue_->key("ring") + " LEFT RIGHT");
  model().ring.push_back(lane);
  model().ring.pop_front();
  const std::string id = model().waiting_in(lane).front();
  script("ZPOPMIN", "g:" + lane + ":pending");
  script_leases(id);
  script("HINCRBY", "gactive", lane + " 1");
  script_settles_ring(lane);
}

void RandomRun::script_claims_ungrouped() {
  const auto waiting = model().listed(Place::ungrouped);
  if (waiting.empty() || model().closed()) return;
  script("ZPOPMIN", "pending");
  script_leases(waiting.front().second);
}

void RandomRun::script_completes() {
  const auto leased = model().listed(Place::active);
  if (leased.empty()) return;
  const std::string id = leased[below(leased.size())].second;
  const std::optional<std::string> lane = model().jobs.at(id).lane;
  model().jobs.erase(id);
  ++model().completed;
  script("ZREM", "active", id);
  script("DEL", "job:" + id);
  script("HINCRBY", "metrics:completed", "count 1");
  if (!lane) return;
  script("HINCRBY", "gactive", *lane + " -1");
  if (model().in_flight(*lane) == 0) script("HDEL", "gactive", *lane);
  script_settles_ring(*lane);
}

/// The server does not keep a lease whose end a script has written.
void RandomRun::script_leases_anew() {
  const auto leased = model().listed(Place::active);
  if (leased.empty()) return;
  Job& job = model().jobs.at(leased[below(leased.size())].second);
  job.when = script_instant();
  job.kept = false;
  script("ZADD", "active", instant(job.when) + " " + job.id);
}

}  // namespace fairlane::command::lane_model
