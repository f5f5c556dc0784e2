// Random operations on several queues in virtual time, beside a plain model of the contract that is compared with every
// key after each step.
#include <gtest/gtest.h>

#include <cstdlib>

#include "fairlane/base/random.hpp"
#include "testkit/in_process.hpp"
#include "testkit/resp_value.hpp"
#include "unit/command/lane_keys.hpp"

namespace fairlane::command::lane_model {
namespace {

#ifdef NDEBUG
constexpr int kSteps = 200'000;
#else
constexpr int kSteps = 40'000;
#endif
constexpr std::size_t kMostJobs = 40;
constexpr int kLanes = 6;

std::uint64_t chosen_seed() {
  const char* text = std::getenv("FAIRLANE_SEED");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : 31;
}

std::string words(std::int64_t value) { return std::to_string(value); }

/// A queue under test and what it should be.
struct Queue {
  std::string name;
  Model model;
  std::int64_t last_id = 0;

  std::string key(const std::string& suffix) const { return "emq:{" + name + "}:" + suffix; }
};

/// One run: chooses operations, has the server and the model do them, and compares.
class RandomRun {
 public:
  explicit RandomRun(std::uint64_t seed) : random_(seed) {
    for (const char* name : {"q", "other", "third"}) {
      Queue& queue = queues_.emplace_back();
      queue.name = name;
      queue.model.now = base::unix_millis(server_.clock().wall());
      for (int lane = 0; lane < kLanes; ++lane) queue.model.lanes["lane" + std::to_string(lane)];
    }
  }

  /// Does something and compares; the difference, empty when there is none.
  std::string step() {
    error_.clear();
    queue_ = &queues_[chance(10) ? below(queues_.size()) : 0];
    switch (below(16)) {
      case 0:
      case 1:
      case 2:
        produce();
        break;
      case 3:
      case 4:
      case 5:
        work();
        break;
      case 6:
      case 7:
        settle();
        break;
      case 8:
        extend();
        break;
      case 9:
        operate_on_lanes();
        break;
      case 10:
        operate_on_jobs();
        break;
      case 11:
        operate_on_queue();
        break;
      case 12:
        pass_time();
        break;
      case 13:
        script_moves_the_ring();
        break;
      default:
        script_works();
    }
    if (error_.empty()) compare();
    return error_;
  }

  /// What was asked and what was answered, for whoever wants to see it again.
  const std::vector<std::pair<std::string, std::string>>& log() const { return log_; }

 private:
  std::uint64_t below(std::uint64_t bound) { return random_.below(bound); }
  bool chance(std::uint64_t one_in) { return below(one_in) == 0; }
  std::int64_t one_to(std::uint64_t most) { return static_cast<std::int64_t>(below(most)) + 1; }
  std::string some_lane() { return "lane" + std::to_string(below(kLanes)); }
  std::optional<std::string> maybe_lane() { return chance(2) ? std::optional(some_lane()) : std::nullopt; }
  std::optional<std::string> some_job() {
    const auto& jobs = queue_->model.jobs;
    if (jobs.empty()) return std::nullopt;
    return std::next(jobs.begin(), static_cast<std::ptrdiff_t>(below(jobs.size())))->first;
  }
  /// Ids come in no particular order, and some come again.
  std::string new_id() { return "j" + std::to_string(100 + below(900)); }
  /// Instants given by lane commands are even and those given by scripts odd, so that no script happens to write the
  /// very instant that the server keeps.
  std::int64_t duration() {
    const std::int64_t millis = one_to(60);
    return millis + ((queue_->model.now + millis) & 1);
  }
  std::int64_t script_instant() { return (queue_->model.now + one_to(60)) | 1; }

  std::string ask(const std::string& request) {
    testkit::RespReader reader;
    reader.feed(client_.ask(request));
    const auto value = reader.next();
    log_.emplace_back(request, value ? testkit::show(*value) : "");
    return log_.back().second;
  }
  /// A lane command and what it should answer; of an error the first word is compared.
  void expect(const std::string& command, const std::string& arguments, const std::string& expected) {
    std::string reply = ask("LANE." + command + " " + queue_->name + arguments);
    if (reply[0] == '-') reply.resize(reply.find(' '));
    if (reply != expected) error_ += log_.back().first + " answered " + reply + ", expected " + expected + "\n";
  }
  /// An ordinary command on a key of the queue.
  void script(const std::string& command, const std::string& suffix, const std::string& arguments = "") {
    ask(command + " " + queue_->key(suffix) + (arguments.empty() ? "" : " ") + arguments);
  }

  void produce();
  void work();
  void settle();
  void extend();
  void operate_on_lanes();
  void operate_on_jobs();
  void operate_on_queue();
  void pass_time();
  void script_moves_the_ring();
  void script_works();
  void script_enqueues();
  void script_claims();
  void script_claims_ungrouped();
  void script_leases(const std::string& id);
  void script_completes();
  void script_delays();
  void script_settles_ring(const std::string& lane);
  std::string some_token(const std::string& id);
  void compare();

  testkit::InProcess server_;
  testkit::InProcessClient& client_ = server_.connect();
  base::Random random_;
  std::vector<Queue> queues_;
  Queue* queue_ = nullptr;
  bool time_passed_ = false;
  std::string error_;
  std::vector<std::size_t> keys_ = std::vector<std::size_t>(3, 0);
  std::vector<std::pair<std::string, std::string>> log_;
};

void RandomRun::compare() {
  std::size_t sum = 0;
  for (std::size_t i = 0; i < queues_.size(); ++i) {
    // What is asked of one queue must not touch another: its keys are still so many.
    if (&queues_[i] == queue_ || time_passed_ || chance(50)) {
      keys_[i] = 0;
      error_ += difference(server_.database(), queues_[i].name, queues_[i].model, keys_[i]);
    }
    sum += keys_[i];
  }
  time_passed_ = false;
  if (sum != server_.database().size()) {
    error_ += words(static_cast<std::int64_t>(server_.database().size())) + " keys, expected " +
              words(static_cast<std::int64_t>(sum)) + "\n";
  }
}

// --- who sends lane commands

void RandomRun::produce() {
  Model& model = queue_->model;
  if (model.jobs.size() >= kMostJobs) return;
  const std::string lane = some_lane();
  const std::string id = new_id();
  std::string arguments = " " + lane + " " + id + " p" + id;
  std::int64_t due = 0;
  std::size_t most = SIZE_MAX;
  if (chance(4)) {
    const std::int64_t delay = chance(5) ? 0 : duration();
    due = model.now + delay;
    arguments += " DELAY " + words(delay);
  } else if (chance(6)) {
    due = model.now + (chance(3) ? -5 : duration());
    arguments += " AT " + words(due);
  }
  if (chance(4)) {
    most = below(6) + 1;
    arguments += " MAXDEPTH " + words(static_cast<std::int64_t>(most));
  }
  expect("ENQUEUE", arguments, model.enqueue(lane, id, due, most));
}

void RandomRun::work() {
  Model& model = queue_->model;
  const std::int64_t lease = duration();
  std::string arguments = " " + words(lease);
  if (chance(3)) return expect("CLAIM", arguments, model.claim(lease));
  const std::optional<std::int64_t> count = chance(3) ? std::nullopt : std::optional(one_to(6));
  if (count) arguments += " COUNT " + words(*count);
  if (chance(2)) return expect("WCLAIM", arguments, model.claim_many(Share::weight, count, lease));
  expect("BCLAIM", arguments, model.claim_many(Share::all, count, lease));
}

/// Mostly the right one.
std::string RandomRun::some_token(const std::string& id) {
  const auto job = queue_->model.jobs.find(id);
  const std::int64_t attempts = job != queue_->model.jobs.end() ? job->second.attempts : 1;
  switch (below(12)) {
    case 0:
      return words(attempts + 1);
    case 1:
      return words(std::max<std::int64_t>(attempts - 1, 0));
    case 2:
      return "0" + words(attempts);
    default:
      return words(attempts);
  }
}

void RandomRun::settle() {
  Model& model = queue_->model;
  const std::string id = chance(20) ? new_id() : some_job().value_or("none");
  const std::string token = some_token(id);
  std::string arguments = " " + id + " " + token;
  if (chance(3)) {
    const std::int64_t delay = chance(2) ? 0 : duration();
    const std::int64_t most = one_to(8);
    expect("RETRY", arguments + " " + words(delay) + " " + words(most) + " e" + id,
           model.retry(id, token, delay, most));
    return;
  }
  const std::int64_t next = chance(3) ? duration() : 0;
  if (next != 0) arguments += " NEXT " + words(next);
  expect("COMPLETE", arguments, model.complete(id, token, next));
}

void RandomRun::extend() {
  const std::string id = some_job().value_or("none");
  const std::string token = some_token(id);
  const std::int64_t lease = duration();
  expect("EXTEND", " " + id + " " + token + " " + words(lease), queue_->model.extend(id, token, lease));
}

void RandomRun::operate_on_lanes() {
  Model& model = queue_->model;
  const std::string name = some_lane();
  Lane& lane = model.lanes[name];
  switch (below(4)) {
    case 0:
      lane.weight = one_to(4);
      return expect("WEIGHT", " " + name + " " + words(*lane.weight), "+OK");
    case 1:
      lane.limit = static_cast<std::int64_t>(below(5));
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
  model.settle_ring(name);
}

void RandomRun::operate_on_jobs() {
  Model& model = queue_->model;
  const std::string id = chance(20) ? new_id() : some_job().value_or("none");
  const std::optional<std::string> lane = maybe_lane();
  const std::string named = lane ? " " + *lane : "";
  const std::size_t most = chance(2) ? SIZE_MAX : below(3) + 1;
  const std::string limit = most != SIZE_MAX ? " LIMIT " + words(static_cast<std::int64_t>(most)) : "";
  switch (below(12)) {
    case 0:
      return expect("REMOVE", " " + id + " FORCE", model.remove(id, true));
    case 1:
      return expect("REMOVE", " " + id, model.remove(id, false));
    case 2:
      if (!lane && !chance(8)) return;
      return expect("DRAIN", named, model.drain(lane));
    case 3:
    case 4:
    case 5:
      return expect("REVIVE", " " + id + named, model.revive(id, lane));
    case 6:
      return expect("REVIVE", " *" + named, model.revive(std::nullopt, lane));
    case 7:
      return expect("PROMOTE", limit, model.promote(most));
    case 8:
    case 9:
      return expect("REAP", (lane ? " LANE" + named : "") + limit, model.reap(lane, most));
    default: {
      const std::string to = some_lane();
      expect("REASSIGN", " " + id + " " + to, model.reassign(id, to));
    }
  }
}

void RandomRun::operate_on_queue() {
  Model& model = queue_->model;
  const auto set = [&](const char* field, std::int64_t& value, std::uint64_t bound) {
    value = chance(2) ? 0 : one_to(bound);
    if (value != 0) return script("HSET", "meta", std::string(field) + " " + words(value));
    script("HDEL", "meta", field);
  };
  switch (below(7)) {
    case 0:
      model.paused = true;
      return expect("PAUSE", "", "+OK");
    case 1:
    case 2:
      if (model.paused) model.push_wake_token();
      model.paused = false;
      return expect("RESUME", "", "+OK");
    case 3:
    case 4:
      return set("concurrency", model.ceiling, 12);
    case 5:
      return set("max", model.max_attempts, 6);
    default:
      return set("keep-completed", model.keep_completed, 4);
  }
}

void RandomRun::pass_time() {
  const std::int64_t millis = one_to(chance(4) ? 80 : 8);
  server_.advance(base::Millis{millis});
  log_.emplace_back(words(millis), "");
  for (Queue& queue : queues_) queue.model.advance(millis);
  time_passed_ = true;
}

// --- what scripts do with ordinary commands, keeping to the contract

void RandomRun::script_settles_ring(const std::string& lane) {
  Model& model = queue_->model;
  const bool listed = std::find(model.ring.begin(), model.ring.end(), lane) != model.ring.end();
  const bool wanted = model.serviceable(lane);
  model.settle_ring(lane, true);
  if (wanted && !listed) {
    script("RPUSH", "ring", lane);
    script("LPUSH", "wake", "1");
    script("LTRIM", "wake", "0 63");
  } else if (!wanted && listed) {
    script("LREM", "ring", "1 " + lane);
  }
}

void RandomRun::script_moves_the_ring() {
  Model& model = queue_->model;
  if (chance(3)) {
    if (model.wake != 0) --model.wake;
    return script("LPOP", "wake");
  }
  if (chance(2)) {
    script("RENAME", "ring", "away");
    ask("RENAME away " + queue_->key("ring"));
    return;
  }
  script("LMOVE", "ring", queue_->key("ring") + " LEFT RIGHT");
  if (model.ring.empty()) return;
  model.ring.push_back(model.ring.front());
  model.ring.pop_front();
}

void RandomRun::script_works() {
  switch (below(6)) {
    case 0:
    case 1:
      return script_enqueues();
    case 2:
      return script_claims();
    case 3:
      return script_claims_ungrouped();
    case 4:
      return script_completes();
    default:
      return script_delays();
  }
}

void RandomRun::script_enqueues() {
  Model& model = queue_->model;
  const std::string id = new_id();
  if (model.jobs.size() >= kMostJobs || model.jobs.count(id) != 0) return;
  Job& job = model.jobs[id];
  job.id = id;
  job.payload = "s" + id;
  job.lane = maybe_lane();
  job.place = job.lane ? Place::lane : Place::ungrouped;
  script("HSET", "job:" + id,
         "state pending attempts 0 payload " + job.payload + (job.lane ? " group " + *job.lane : ""));
  script("ZADD", job.lane ? "g:" + *job.lane + ":pending" : "pending", "0 " + id);
  if (job.lane) script_settles_ring(*job.lane);
}

void RandomRun::script_leases(const std::string& id) {
  const std::int64_t until = script_instant();
  queue_->model.lease(queue_->model.jobs.at(id), until, true);
  script("HINCRBY", "job:" + id, "attempts 1");
  script("HSET", "job:" + id, "state active");
  script("ZADD", "active", words(until) + " " + id);
}

void RandomRun::script_claims() {
  Model& model = queue_->model;
  if (model.ring.empty()) return;
  const std::string lane = model.ring.front();
  script("LMOVE", "ring", queue_->key("ring") + " LEFT RIGHT");
  model.ring.push_back(lane);
  model.ring.pop_front();
  const std::string id = model.waiting_in(lane).front();
  script("ZPOPMIN", "g:" + lane + ":pending");
  script_leases(id);
  script("HINCRBY", "gactive", lane + " 1");
  script_settles_ring(lane);
}

void RandomRun::script_claims_ungrouped() {
  const auto waiting = queue_->model.listed(Place::ungrouped);
  if (waiting.empty()) return;
  script("ZPOPMIN", "pending");
  script_leases(waiting.front().second);
}

void RandomRun::script_completes() {
  Model& model = queue_->model;
  const auto leased = model.listed(Place::active);
  if (leased.empty()) return;
  const std::string id = leased[below(leased.size())].second;
  const std::optional<std::string> lane = model.jobs.at(id).lane;
  model.jobs.erase(id);
  ++model.completed;
  script("ZREM", "active", id);
  script("DEL", "job:" + id);
  script("HINCRBY", "metrics:completed", "count 1");
  if (!lane) return;
  script("HINCRBY", "gactive", *lane + " -1");
  if (model.in_flight(*lane) == 0) script("HDEL", "gactive", *lane);
  script_settles_ring(*lane);
}

/// A script's own instants: a new delayed job, or a lease given anew. The server does not keep them.
void RandomRun::script_delays() {
  Model& model = queue_->model;
  const std::int64_t when = script_instant();
  const auto leased = model.listed(Place::active);
  if (chance(2) && !leased.empty()) {
    Job& job = model.jobs.at(leased[below(leased.size())].second);
    job.when = when;
    job.kept = false;
    return script("ZADD", "active", words(when) + " " + job.id);
  }
  const std::string id = new_id();
  if (model.jobs.size() >= kMostJobs || model.jobs.count(id) != 0) return;
  Job& job = model.jobs[id];
  job.id = id;
  job.payload = "d" + id;
  job.lane = maybe_lane();
  job.place = Place::scheduled;
  job.when = when;
  script("HSET", "job:" + id,
         "state scheduled attempts 0 payload " + job.payload + (job.lane ? " group " + *job.lane : ""));
  script("ZADD", "schedule", words(when) + " " + id);
}

}  // namespace

TEST(LaneModel, every_key_agrees_with_the_model_after_every_step) {
  const std::uint64_t seed = chosen_seed();
  RecordProperty("seed", std::to_string(seed));
  RandomRun run(seed);
  for (int step = 0; step < kSteps; ++step) {
    const std::string error = run.step();
    if (error.empty()) continue;
    std::string last;
    const auto& log = run.log();
    for (std::size_t i = log.size() - std::min<std::size_t>(log.size(), 20); i < log.size(); ++i) {
      last += log[i].first + " -> " + log[i].second + "\n";
    }
    FAIL() << "FAIRLANE_SEED=" << seed << ", step " << step << "\n" << error << "after\n" << last;
  }
}

}  // namespace fairlane::command::lane_model
