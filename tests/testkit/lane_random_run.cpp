#include "testkit/lane_random_run.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "fairlane/base/number.hpp"

namespace fairlane::testkit {
namespace {

constexpr std::size_t kManyJobs = 300;
constexpr std::size_t kChecksKeysEvery = 100;
constexpr std::size_t kLatest = 20;

std::int64_t number(const std::string& text) { return base::parse_integer(text).value_or(0); }

}  // namespace

std::string LaneLog::play() const {
  InProcess server;
  InProcessClient& client = server.connect();
  std::string replies;
  for (const Entry& entry : entries) {
    if (entry.request.empty()) {
      server.advance(entry.passes);
      continue;
    }
    client.send_bytes(entry.request);
    replies += client.take();
  }
  return replies;
}

LaneRandomRun::LaneRandomRun(LanePolicy policy, std::uint64_t seed) : random_(seed) {
  ask({"LANE.CONFIG", "q", "SET", "policy", std::string(policy_name(policy))});
}

bool LaneRandomRun::step() {
  const std::uint64_t choice = random_.below(100);
  const std::uint64_t producing = alive_.size() < kManyJobs ? 32 : 10;
  if (choice < producing) {
    produce();
  } else if (choice < 48) {
    claim();
  } else if (choice < 78) {
    settle();
  } else if (choice < 86) {
    move();
  } else if (choice < 97) {
    operate();
  } else {
    pass_time();
  }
  if (++steps_ % kChecksKeysEvery == 0) check_keys();
  return problem_.empty();
}

void LaneRandomRun::produce() {
  const std::string id = "job" + std::to_string(++last_job_);
  std::vector<std::string> words = {"LANE.ENQUEUE", "q", some_lane(), id, "work"};
  if (random_.below(6) == 0) {
    words.emplace_back("DELAY");
    words.push_back(std::to_string(1 + random_.below(40)));
  }
  if (ask(words).text != id) return wrong("a new job was refused");
  alive_.insert(id);
}

void LaneRandomRun::claim() {
  const std::string lease = std::to_string(1 + random_.below(200));
  const std::string count = std::to_string(1 + random_.below(6));
  std::vector<std::string> words;
  switch (random_.below(4)) {
    case 0:
      words = {"LANE.CLAIM", "q", lease};
      break;
    case 1:
      words = {"LANE.WCLAIM", "q", lease};
      break;
    case 2:
      words = {"LANE.WCLAIM", "q", lease, "COUNT", count};
      break;
    default:
      words = {"LANE.BCLAIM", "q", lease, "COUNT", count};
  }
  const Value& reply = ask(words);
  std::vector<const Value*> tuples;
  if (!reply.items.empty() && reply.items.front().kind != Kind::array) {
    tuples.push_back(&reply);
  } else {
    for (const Value& tuple : reply.items) tuples.push_back(&tuple);
  }
  check_claim(tuples);
}

void LaneRandomRun::settle() {
  if (held_.empty()) return;
  // Mostly what was claimed of late: the leases of the rest have ended.
  const std::size_t at = held_.size() - 1 - random_.below(std::min<std::size_t>(held_.size(), kLatest));
  const Held held = held_[at];
  const std::string token = random_.below(20) == 0 ? std::to_string(number(held.token) + 1) : held.token;
  const std::uint64_t choice = random_.below(8);
  if (choice == 0) {
    ask({"LANE.EXTEND", "q", held.id, token, std::to_string(1 + random_.below(60))});
    if (!refused("EMQSTALE EMQSTATE") && last_.text == "1" && alive_.count(held.id) == 0) wrong("a ghost was extended");
    return;
  }
  if (choice <= 2) {
    const std::string delay = std::to_string(random_.below(2) * random_.below(40));
    ask({"LANE.RETRY", "q", held.id, token, delay, std::to_string(1 + random_.below(4)), "failed"});
    if (!refused("EMQSTALE EMQSTATE") && alive_.count(held.id) == 0) wrong("a ghost was tried again");
  } else {
    ask({"LANE.COMPLETE", "q", held.id, token});
    const bool done = !refused("EMQSTALE EMQSTATE") && last_.text == "1";
    if (done && alive_.erase(held.id) == 0) wrong("a ghost was completed");
    if (last_.text == "0" && alive_.count(held.id) != 0) wrong("a job was lost");
  }
  // What was settled, or refused for good, is held no more; a wrong token changes nothing.
  if (token != held.token) return;
  held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(at));
}

void LaneRandomRun::move() {
  if (alive_.empty()) return;
  const std::string id = some_job();
  if (random_.below(3) != 0) {
    ask({"LANE.REASSIGN", "q", id, some_lane()});
    if (last_.kind != Kind::integer || last_.text == "-1") wrong("a job was not found");
    return;
  }
  std::vector<std::string> words = {"LANE.REMOVE", "q", id};
  if (random_.below(3) == 0) words.emplace_back("FORCE");
  ask(words);
  if (refused("EMQLOCK")) return;
  if (last_.text != "1") wrong("a job was not found");
  alive_.erase(id);
}

void LaneRandomRun::operate() {
  const std::uint64_t choice = random_.below(40);
  if (choice == 0) {
    ask({"LANE.PAUSE", "q"});
  } else if (choice < 12) {
    ask({"LANE.RESUME", "q"});
  } else if (choice < 17) {
    ask({"LANE.REVIVE", "q", "*"});
  } else if (choice < 19) {
    ask({"LANE.REAP", "q", "LIMIT", "5"});
  } else if (choice < 21) {
    ask({"LANE.PROMOTE", "q", "LIMIT", "5"});
  } else if (choice == 21) {
    const std::string lane = some_lane();
    const std::vector<std::string> waiting = members("emq:{q}:g:" + lane + ":pending");
    ask({"LANE.DRAIN", "q", lane});
    if (last_.text != std::to_string(waiting.size())) wrong("a drain told another number of jobs");
    for (const std::string& id : waiting) alive_.erase(id);
  } else {
    return control_lane();
  }
  if (last_.kind == Kind::error) wrong("an operator was refused");
}

void LaneRandomRun::control_lane() {
  const std::string lane = some_lane();
  switch (random_.below(6)) {
    case 0:
      ask({"LANE.WEIGHT", "q", lane, std::to_string(1 + random_.below(8))});
      break;
    case 1:
      ask({"LANE.LIMIT", "q", lane, std::to_string(random_.below(2) * random_.below(6))});
      break;
    case 2:
      ask({"LANE.PAUSE", "q", lane});
      break;
    default:
      ask({"LANE.RESUME", "q", lane});
  }
  if (last_.kind == Kind::error) wrong("an operator was refused");
}

void LaneRandomRun::pass_time() {
  const std::size_t leased = members("emq:{q}:active").size();
  const base::Millis passes{1 + static_cast<std::int64_t>(random_.below(30))};
  log_.entries.push_back({{}, passes});
  server_.advance(passes);
  expired_ += leased - members("emq:{q}:active").size();
}

const Value& LaneRandomRun::ask(const std::vector<std::string>& words) {
  log_.entries.push_back({encode_request(words), {}});
  client_.send_bytes(log_.entries.back().request);
  const std::string bytes = client_.take();
  replies_ += bytes;
  reader_.feed(bytes);
  last_ = reader_.next().value_or(Value{Kind::malformed, {}, {}});
  return last_;
}

/// Refused with one of the words; another error is wrong.
bool LaneRandomRun::refused(std::string_view words) const {
  if (last_.kind != Kind::error) return false;
  return words.find(std::string_view(last_.text).substr(0, last_.text.find(' '))) != std::string_view::npos;
}

std::string LaneRandomRun::some_job() {
  // Jobs beyond the first of those alive come soon enough, and a walk along the whole set takes long.
  return *std::next(alive_.begin(),
                    static_cast<std::ptrdiff_t>(random_.below(std::min<std::size_t>(alive_.size(), 40))));
}

void LaneRandomRun::wrong(const std::string& what) {
  if (problem_.empty()) problem_ = "step " + std::to_string(steps_) + ": " + what + "; last reply " + show(last_);
}

}  // namespace fairlane::testkit
