#include "unit/command/lane_model.hpp"

namespace fairlane::command::lane_model {
namespace {

std::string number(std::int64_t value) { return ":" + std::to_string(value); }
std::string quoted(const std::string& text) { return "\"" + text + "\""; }

std::string array(const Names& items) {
  std::string text = "[";
  for (const std::string& item : items) text += (text.size() > 1 ? " " : "") + item;
  return text + "]";
}

}  // namespace

std::string Model::tuple(const std::string& id) const {
  const Job& job = jobs.at(id);
  return array({quoted(id), quoted(job.payload), number(job.attempts), quoted(job.lane.value_or(""))});
}

std::string Model::enqueue(const std::string& lane, const std::string& id, std::int64_t due, std::size_t most) {
  if (jobs.count(id) != 0) return "$-1";
  if (waiting_in(lane).size() >= most) return "-LANEFULL";
  Job& job = jobs[id];
  job.id = id;
  job.lane = lane;
  job.payload = "p" + id;
  if (due > now) {
    job.place = Place::scheduled;
    job.when = static_cast<double>(due);
    job.kept = true;
  } else {
    put_to_wait(job);
  }
  return quoted(id);
}

Names Model::turn(const Claim& asked, std::int64_t most) {
  const Share share = asked.share;
  Names taken;
  if (ring.empty() || paused) return taken;
  if (ceiling > 0) most = std::min(most, std::max<std::int64_t>(ceiling - active(), 0));
  if (most == 0) return taken;
  const std::string name = ring.front();
  std::int64_t allowed = share == Share::one ? 1 : INT64_MAX;
  if (share == Share::weight) {
    const std::int64_t weight = lanes.at(name).weight.value_or(1);
    allowed = credit_lane == name && credit != 0 ? std::min(credit, weight) : weight;
  }
  credit = 0;
  const std::int64_t want = std::min(allowed, most);
  while (static_cast<std::int64_t>(taken.size()) < want && serviceable(name)) {
    taken.push_back(waiting_in(name).front());
    lease(jobs.at(taken.back()), static_cast<double>(now + asked.lease));
  }
  const auto count = static_cast<std::int64_t>(taken.size());
  if (!serviceable(name)) {
    ring.pop_front();
  } else if (share == Share::weight && count == most && count < allowed) {
    credit_lane = name;
    credit = allowed - count;
  } else {
    ring.push_back(name);
    ring.pop_front();
  }
  return taken;
}

std::string Model::claim(const Claim& asked) {
  if (asked.share == Share::one) {
    const Names taken = turn(asked, INT64_MAX);
    return taken.empty() ? "*-1" : tuple(taken.front());
  }
  Names tuples;
  std::int64_t left = asked.count.value_or(INT64_MAX);
  const bool several_turns = asked.share == Share::weight && asked.count.has_value();
  do {
    const Names taken = turn(asked, left);
    if (taken.empty()) break;
    for (const std::string& id : taken) tuples.push_back(tuple(id));
    left -= static_cast<std::int64_t>(taken.size());
  } while (several_turns && left > 0);
  return array(tuples);
}

std::string Model::claim_or_wait(const Claim& asked) {
  const std::string reply = claim(asked);
  if (reply != "*-1" && reply != "[]") return reply;
  waiting.push_back(asked);
  return "";
}

std::vector<std::pair<int, std::string>> Model::serve_waiting() {
  std::vector<std::pair<int, std::string>> replies;
  while (!waiting.empty()) {
    const std::string reply = claim(waiting.front());
    if (reply == "*-1" || reply == "[]") break;
    replies.emplace_back(waiting.front().client, reply);
    waiting.pop_front();
  }
  return replies;
}

bool Model::may_settle(const Job& job) const {
  if (job.place == Place::active) return true;
  return (job.place == Place::lane || job.place == Place::ungrouped) && job.expired == job.attempts;
}

/// Empty when the token is good.
std::string Model::refusal(const Job& job, const std::string& token) const {
  if (token != std::to_string(job.attempts)) return "-EMQSTALE";
  if (may_settle(job)) return "";
  return job.attempts == 0 ? "-EMQSTATE" : "-EMQSTALE";
}

std::string Model::complete(const std::string& id, const std::string& token, std::int64_t next_lease) {
  std::string reply = ":0";
  if (const auto found = jobs.find(id); found != jobs.end()) {
    Job& job = found->second;
    if (const std::string error = refusal(job, token); !error.empty()) return error;
    ++completed;
    reply = ":1";
    if (keep_completed > 0) {
      leave(job, Place::finished, static_cast<double>(now));
      while (static_cast<std::int64_t>(listed(Place::finished).size()) > keep_completed) {
        jobs.erase(listed(Place::finished).front().second);
      }
    } else {
      erase(id);
    }
  }
  return next_lease == 0 ? reply : array({reply, claim({.lease = next_lease})});
}

std::string Model::retry(const std::string& id, const std::string& token, std::int64_t delay, std::int64_t most) {
  const auto found = jobs.find(id);
  if (found == jobs.end()) return "-EMQSTALE";
  Job& job = found->second;
  if (const std::string error = refusal(job, token); !error.empty()) return error;
  job.last_error = "e" + id;
  job.expired.reset();
  if (job.attempts >= most) {
    ++failed;
    leave(job, Place::dead);
    return quoted("dead");
  }
  if (delay > 0) {
    leave(job, Place::scheduled, static_cast<double>(now + delay));
    job.kept = true;
    return quoted("scheduled");
  }
  // A job that waits already is taken out and comes back: with it a lane that has no other goes to the ring's tail.
  leave(job, Place::scheduled);
  put_to_wait(job);
  return quoted("pending");
}

std::string Model::extend(const std::string& id, const std::string& token, std::int64_t lease_time) {
  const auto found = jobs.find(id);
  if (found == jobs.end()) return ":0";
  Job& job = found->second;
  if (token != std::to_string(job.attempts)) return "-EMQSTALE";
  if (job.place != Place::active) return job.attempts == 0 ? "-EMQSTATE" : "-EMQSTALE";
  if (job.when <= static_cast<double>(now)) return "-EMQSTALE";
  job.when = static_cast<double>(now + lease_time);
  job.kept = true;
  return ":1";
}

std::string Model::remove(const std::string& id, bool force) {
  const auto found = jobs.find(id);
  if (found == jobs.end()) return ":0";
  if (found->second.place == Place::active && !force) return "-EMQLOCK";
  erase(id);
  return ":1";
}

std::string Model::reassign(const std::string& id, const std::string& lane) {
  const auto found = jobs.find(id);
  if (found == jobs.end()) return ":-1";
  Job& job = found->second;
  if (job.place != Place::lane && job.place != Place::ungrouped) return ":-2";
  if (job.lane == lane) return ":0";
  const std::optional<std::string> before = std::exchange(job.lane, lane);
  if (before) settle_ring(*before);
  put_to_wait(job);
  return ":1";
}

std::string Model::drain(const std::optional<std::string>& lane) {
  Names gone;
  for (const auto& [id, job] : jobs) {
    const bool waits = job.place == Place::lane || (!lane && job.place == Place::ungrouped);
    if (waits && (!lane || job.lane == lane)) gone.push_back(id);
  }
  for (const std::string& id : gone) erase(id);
  return number(static_cast<std::int64_t>(gone.size()));
}

std::string Model::revive(const std::optional<std::string>& id, const std::optional<std::string>& lane) {
  Names revived;
  if (!id) {
    for (const auto& entry : listed(Place::dead)) revived.push_back(entry.second);
  } else if (jobs.count(*id) != 0 && jobs.at(*id).place == Place::dead) {
    revived = {*id};
  }
  for (const std::string& one : revived) {
    Job& job = jobs.at(one);
    if (lane) job.lane = lane;
    put_to_wait(job);
  }
  return number(static_cast<std::int64_t>(revived.size()));
}

std::string Model::promote(std::size_t most) {
  Names ids = due(Place::scheduled);
  ids.resize(std::min(ids.size(), most));
  for (const std::string& id : ids) put_to_wait(jobs.at(id));
  return number(static_cast<std::int64_t>(ids.size()));
}

void Model::expire(Job& job) {
  if (max_attempts > 0 && job.attempts >= max_attempts) {
    job.last_error = "the lease ended at the last attempt";
    ++failed;
    leave(job, Place::dead);
    return;
  }
  ++job.stalled;
  job.expired = job.attempts;
  put_to_wait(job);
}

std::string Model::reap(const std::optional<std::string>& lane, std::size_t most) {
  std::size_t count = 0;
  for (const std::string& id : due(Place::active)) {
    if (count == most) break;
    Job& job = jobs.at(id);
    if (lane && job.lane != lane) continue;
    expire(job);
    ++count;
  }
  return number(static_cast<std::int64_t>(count));
}

void Model::tick() {
  ++now;
  for (const std::string& id : due(Place::active)) {
    if (jobs.at(id).kept) expire(jobs.at(id));
  }
  for (const std::string& id : due(Place::scheduled)) {
    if (jobs.at(id).kept) put_to_wait(jobs.at(id));
  }
}

}  // namespace fairlane::command::lane_model
