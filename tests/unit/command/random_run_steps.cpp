// random_run_steps.cpp - which steps there are, and what is compared after each.
#include <algorithm>
#include <iterator>

#include "testkit/resp_value.hpp"
#include "unit/command/lane_keys.hpp"
#include "unit/command/random_run.hpp"

namespace fairlane::command::lane_model {
namespace {

constexpr std::uint64_t kLanes = 6;

std::string text_of(const std::string& bytes) {
  testkit::RespReader reader;
  reader.feed(bytes);
  const auto value = reader.next();
  return value ? testkit::show(*value) : "";
}

}  // namespace

std::string shown(const Happened& happened) {
  const std::string client = "client " + std::to_string(happened.client);
  switch (happened.kind) {
    case Happened::Kind::asked:
      return client + ": " + happened.request + " -> " + happened.reply;
    case Happened::Kind::heard:
      return client + " -> " + happened.reply;
    case Happened::Kind::left:
      return client + " leaves";
    default:
      return std::to_string(happened.millis) + " ms";
  }
}

Recorder::Recorder(Log kept) : kept_(kept) {
  for (auto& client : clients_) client = &server_.connect();
}

void Recorder::write_down(Happened happened) {
  constexpr std::ptrdiff_t kLatest = 1000;
  if (kept_ == Log::latest && log_.size() == 2 * kLatest) log_.erase(log_.begin(), log_.begin() + kLatest);
  log_.push_back(std::move(happened));
}

std::string Recorder::ask(int client, const std::string& request) {
  const std::string reply = text_of(clients_[static_cast<std::size_t>(client)]->ask(request));
  write_down({Happened::Kind::asked, client, request, reply});
  return reply;
}

std::string Recorder::hear(int client) {
  const std::string reply = text_of(clients_[static_cast<std::size_t>(client)]->take());
  if (!reply.empty()) write_down({Happened::Kind::heard, client, "", reply});
  return reply;
}

void Recorder::leave(int client) {
  server_.disconnect(*clients_[static_cast<std::size_t>(client)]);
  clients_[static_cast<std::size_t>(client)] = &server_.connect();
  write_down({Happened::Kind::left, client, "", ""});
}

void Recorder::pass(std::int64_t millis) {
  server_.advance(base::Millis{millis});
  write_down({Happened::Kind::time_passed, 0, "", "", millis});
}

Happened Recorder::again(const Happened& happened) {
  switch (happened.kind) {
    case Happened::Kind::asked:
      ask(happened.client, happened.request);
      break;
    case Happened::Kind::heard:
      if (hear(happened.client).empty()) return {Happened::Kind::heard, happened.client, "", ""};
      break;
    case Happened::Kind::left:
      leave(happened.client);
      break;
    case Happened::Kind::time_passed:
      pass(happened.millis);
  }
  return log_.back();
}

RandomRun::RandomRun(std::uint64_t seed, Log kept) : recorder_(kept), random_(seed) {
  for (const char* name : {"q", "other", "third"}) {
    Queue& queue = queues_.emplace_back();
    queue.name = name;
    queue.model.now = base::unix_millis(recorder_.server().clock().wall());
    for (std::uint64_t lane = 0; lane < kLanes; ++lane) queue.model.lanes["lane" + std::to_string(lane)];
  }
}

std::string RandomRun::some_lane() { return "lane" + std::to_string(below(kLanes)); }

std::optional<std::string> RandomRun::maybe_lane() { return chance(2) ? std::optional(some_lane()) : std::nullopt; }

std::optional<std::string> RandomRun::some_job(bool leased) {
  if (leased) {
    const Listed active = model().listed(Place::active);
    if (!active.empty()) return active[below(active.size())].second;
  }
  const auto& jobs = model().jobs;
  if (jobs.empty()) return std::nullopt;
  return std::next(jobs.begin(), static_cast<std::ptrdiff_t>(below(jobs.size())))->first;
}

/// Mostly the right one.
std::string RandomRun::some_token(const std::string& id) {
  const auto job = model().jobs.find(id);
  const std::int64_t attempts = job != model().jobs.end() ? job->second.attempts : 1;
  switch (below(12)) {
    case 0:
      return std::to_string(attempts + 1);
    case 1:
      return std::to_string(std::max<std::int64_t>(attempts - 1, 0));
    case 2:
      return "0" + std::to_string(attempts);
    default:
      return std::to_string(attempts);
  }
}

void RandomRun::expect(const std::string& command, const std::string& arguments, const std::string& expected,
                       int client) {
  const std::string request = "LANE." + command + " " + queue_->name + arguments;
  std::string reply = recorder_.ask(client, request);
  if (!reply.empty() && reply[0] == '-') reply.resize(reply.find(' '));
  if (reply != expected) error_ += request + " answered " + reply + ", expected " + expected + "\n";
}

void RandomRun::script(const std::string& command, const std::string& suffix, const std::string& arguments) {
  recorder_.ask(0, command + " " + queue_->key(suffix) + (arguments.empty() ? "" : " ") + arguments);
}

/// As a script runs: nobody is served in its middle.
void RandomRun::atomically(void (RandomRun::*commands)()) {
  recorder_.ask(0, "MULTI");
  (this->*commands)();
  recorder_.ask(0, "EXEC");
}

std::string RandomRun::step() {
  using Act = void (RandomRun::*)();
  // An act that stands here twice happens twice as often.
  static constexpr Act kActs[] = {&RandomRun::produce,
                                  &RandomRun::produce,
                                  &RandomRun::produce,
                                  &RandomRun::produce,
                                  &RandomRun::work,
                                  &RandomRun::work,
                                  &RandomRun::work,
                                  &RandomRun::work,
                                  &RandomRun::settle,
                                  &RandomRun::settle,
                                  &RandomRun::settle,
                                  &RandomRun::wait_for_work,
                                  &RandomRun::extend,
                                  &RandomRun::operate_on_job,
                                  &RandomRun::operate_on_many,
                                  &RandomRun::operate_on_queue,
                                  &RandomRun::operate_on_job,
                                  &RandomRun::pass_time,
                                  &RandomRun::operate_on_lane,
                                  &RandomRun::operate_on_lane};
  static constexpr Act kScripts[] = {&RandomRun::script_moves_the_ring,   &RandomRun::script_takes_a_wake_token,
                                     &RandomRun::script_enqueues,         &RandomRun::script_claims,
                                     &RandomRun::script_claims_ungrouped, &RandomRun::script_completes,
                                     &RandomRun::script_leases_anew,      &RandomRun::script_delays};
  error_.clear();
  queue_ = &queues_[chance(8) ? below(queues_.size()) : 0];
  if (chance(5)) {
    atomically(kScripts[below(std::size(kScripts))]);
  } else {
    (this->*kActs[below(std::size(kActs))])();
  }
  serve_waiting(*queue_);
  compare_replies();
  compare_keys();
  return error_;
}

void RandomRun::serve_waiting(Queue& queue) {
  for (const auto& [client, reply] : queue.model.serve_waiting()) to_hear_[client] = reply;
  if (!queue.model.waiting.empty() && !queue.model.closed() && !queue.model.ring.empty()) {
    error_ += "the model lets a client wait while a lane is serviceable\n";
  }
}

/// Each client hears what it should, and nothing else.
void RandomRun::compare_replies() {
  for (int client = 0; client < Recorder::kClients; ++client) {
    const std::string heard = recorder_.hear(client);
    if (heard != to_hear_[client]) {
      error_ += "client " + std::to_string(client) + " heard " + heard + ", expected " + to_hear_[client] + "\n";
    }
  }
  to_hear_.clear();
}

void RandomRun::compare_keys() {
  engine::Database& database = recorder_.server().database();
  std::size_t sum = 0;
  for (Queue& queue : queues_) {
    // What was asked of one queue leaves the others alone, which the number of all keys shows each time.
    if (&queue == queue_ || time_passed_ || chance(50)) {
      queue.keys = 0;
      error_ += difference(database, queue.name, queue.model, queue.keys);
    }
    sum += queue.keys;
  }
  time_passed_ = false;
  if (sum != database.size()) {
    error_ += std::to_string(database.size()) + " keys, expected " + std::to_string(sum) + "\n";
  }
}

}  // namespace fairlane::command::lane_model
