// Random operations on one queue, beside a plain model of the contract that is compared with every key after each step.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "fairlane/base/random.hpp"
#include "testkit/in_process.hpp"
#include "testkit/resp_value.hpp"

namespace fairlane::command {
namespace {

using Names = std::vector<std::string>;

struct Model {
  struct Lane {
    std::set<std::string> backlog;
    std::int64_t weight = 1;
    std::int64_t limit = 0;
    std::int64_t in_flight = 0;
    bool paused = false;

    bool serviceable() const { return !backlog.empty() && !paused && (limit == 0 || in_flight < limit); }
  };
  struct Job {
    std::string lane;
    int attempts = 0;
    bool active = false;
  };

  void settle_membership(const std::string& name) {
    const auto place = std::find(ring.begin(), ring.end(), name);
    const bool serviceable = lanes[name].serviceable();
    if (serviceable && place == ring.end()) ring.push_back(name);
    if (!serviceable && place != ring.end()) ring.erase(place);
  }
  void enqueue(const std::string& lane, const std::string& id) {
    jobs[id] = {lane};
    lanes[lane].backlog.insert(id);
    settle_membership(lane);
  }
  /// The ids that one turn hands out.
  Names take(std::int64_t allowed, std::int64_t most, bool weighted) {
    Names taken;
    if (ring.empty()) return taken;
    const std::string name = ring.front();
    Lane& lane = lanes[name];
    if (weighted) allowed = credit_lane == name && credit != 0 ? std::min(credit, lane.weight) : lane.weight;
    credit = 0;
    while (static_cast<std::int64_t>(taken.size()) < std::min(allowed, most) && lane.serviceable()) {
      const std::string id = *lane.backlog.begin();
      lane.backlog.erase(lane.backlog.begin());
      ++lane.in_flight;
      ++jobs[id].attempts;
      jobs[id].active = true;
      taken.push_back(id);
    }
    const auto count = static_cast<std::int64_t>(taken.size());
    if (!lane.serviceable()) {
      ring.pop_front();
    } else if (weighted && count == most && count < allowed) {
      credit_lane = name;
      credit = allowed - count;
    } else {
      ring.push_back(name);
      ring.pop_front();
    }
    return taken;
  }
  void complete(const std::string& id) {
    const std::string lane = jobs[id].lane;
    --lanes[lane].in_flight;
    jobs.erase(id);
    ++completed;
    settle_membership(lane);
  }

  std::map<std::string, Lane> lanes;
  std::map<std::string, Job> jobs;
  std::deque<std::string> ring;
  std::string credit_lane;
  std::int64_t credit = 0;
  int completed = 0;
};

class LaneModel : public testing::Test {
 protected:
  std::string run(const std::string& request) {
    testkit::RespReader reader;
    reader.feed(client.ask(request));
    last = reader.next().value_or(testkit::Value{});
    return testkit::show(last);
  }
  /// The ids of the tuples in the last reply.
  Names claimed() const {
    Names ids;
    if (last.items.empty()) return ids;
    if (last.items[0].kind != testkit::Kind::array) return {last.items[0].text};
    for (const auto& tuple : last.items) ids.push_back(tuple.items[0].text);
    return ids;
  }
  std::string some_lane() { return "lane" + std::to_string(random.below(6)); }

  void step_of_a_producer() {
    const std::string lane = some_lane();
    const std::string id = "job" + std::to_string(100000 + random.below(900000));
    if (model.jobs.count(id) != 0) return;
    run("LANE.ENQUEUE q " + lane + " " + id + " payload");
    model.enqueue(lane, id);
  }
  void step_of_a_worker() {
    const auto most = static_cast<std::int64_t>(random.below(4) + 1);
    Names expected;
    switch (random.below(4)) {
      case 0:
        run("LANE.CLAIM q 1000");
        expected = model.take(1, INT64_MAX, false);
        break;
      case 1:
        run("LANE.WCLAIM q 1000");
        expected = model.take(0, INT64_MAX, true);
        break;
      case 2:
        run("LANE.WCLAIM q 1000 COUNT " + std::to_string(most));
        for (auto left = most; left > 0;) {
          const Names turn = model.take(0, left, true);
          if (turn.empty()) break;
          expected.insert(expected.end(), turn.begin(), turn.end());
          left -= static_cast<std::int64_t>(turn.size());
        }
        break;
      default:
        run("LANE.BCLAIM q 1000 COUNT " + std::to_string(most));
        expected = model.take(INT64_MAX, most, false);
    }
    ASSERT_EQ(claimed(), expected);
  }
  void step_of_a_settler() {
    if (model.jobs.empty()) return;
    auto job = model.jobs.begin();
    std::advance(job, random.below(model.jobs.size()));
    const std::string id = job->first;
    const std::string token = std::to_string(job->second.attempts + (random.below(5) == 0 ? 1 : 0));
    const bool right = token == std::to_string(job->second.attempts) && job->second.active;
    const std::string reply = run("LANE.COMPLETE q " + id + " " + token);
    ASSERT_EQ(reply == ":1", right) << reply;
    if (right) model.complete(id);
  }
  void step_of_an_operator() {
    const std::string name = some_lane();
    Model::Lane& lane = model.lanes[name];
    switch (random.below(4)) {
      case 0:
        lane.weight = static_cast<std::int64_t>(random.below(4) + 1);
        run("LANE.WEIGHT q " + name + " " + std::to_string(lane.weight));
        return;
      case 1:
        lane.limit = static_cast<std::int64_t>(random.below(4));
        run("LANE.LIMIT q " + name + " " + std::to_string(lane.limit));
        break;
      case 2:
        lane.paused = true;
        run("LANE.PAUSE q " + name);
        break;
      default:
        lane.paused = false;
        run("LANE.RESUME q " + name);
    }
    // A lane that leaves the ring has no turn to go on with.
    if (!lane.serviceable() && model.credit_lane == name) model.credit = 0;
    model.settle_membership(name);
  }
  /// What scripts do with ordinary commands, keeping to the contract.
  void step_of_a_script() {
    if (random.below(3) != 0) {
      run("LMOVE emq:{q}:ring emq:{q}:ring LEFT RIGHT");
      if (model.ring.empty()) return;
      model.ring.push_back(model.ring.front());
      model.ring.pop_front();
      return;
    }
    run("RENAME emq:{q}:ring away");
    run("RENAME away emq:{q}:ring");
  }

  Names list(const std::string& request) {
    run(request);
    Names items;
    for (const auto& item : last.items) items.push_back(item.text);
    return items;
  }
  std::map<std::string, std::string> fields(const std::string& key) {
    const Names items = list("HGETALL " + key);
    std::map<std::string, std::string> map;
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) map[items[i]] = items[i + 1];
    return map;
  }
  /// Members in order, without asking by a command of its own: what is compared is what lies in the key.
  Names members(const std::string& key) {
    Names found;
    const engine::Entry* entry = server.database().peek(key);
    if (entry == nullptr) return found;
    for (auto cursor = entry->value<data::SortedSet>().first(); cursor.valid(); cursor.next()) {
      found.emplace_back(cursor.item().member);
    }
    return found;
  }

  void compare() {
    ASSERT_EQ(list("LRANGE emq:{q}:ring 0 -1"), Names(model.ring.begin(), model.ring.end()));
    std::map<std::string, std::string> in_flight;
    for (const auto& [name, lane] : model.lanes) {
      ASSERT_EQ(members("emq:{q}:g:" + name + ":pending"), Names(lane.backlog.begin(), lane.backlog.end()));
      if (lane.in_flight != 0) in_flight[name] = std::to_string(lane.in_flight);
    }
    ASSERT_EQ(fields("emq:{q}:gactive"), in_flight);
    Names active;
    for (const auto& [id, job] : model.jobs) {
      if (job.active) active.push_back(id);
    }
    Names leased = members("emq:{q}:active");
    std::sort(leased.begin(), leased.end());
    ASSERT_EQ(leased, active);
    if (model.completed != 0) {
      ASSERT_EQ(fields("emq:{q}:metrics:completed")["count"], std::to_string(model.completed));
    }
  }
  void compare_rows() {
    for (const auto& [id, job] : model.jobs) {
      auto row = fields("emq:{q}:job:" + id);
      ASSERT_EQ(row["state"], job.active ? "active" : "pending");
      ASSERT_EQ(row["attempts"], std::to_string(job.attempts));
      ASSERT_EQ(row["group"], job.lane);
    }
  }

  testkit::InProcess server;
  testkit::InProcessClient& client = server.connect();
  base::Random random{kSeed};
  Model model;
  testkit::Value last;

  static constexpr std::uint64_t kSeed = 31;
};

TEST_F(LaneModel, every_key_agrees_with_the_model_after_every_step) {
  SCOPED_TRACE(kSeed);
  for (int step = 0; step < 8'000; ++step) {
    SCOPED_TRACE(step);
    switch (random.below(10)) {
      case 0:
      case 1:
      case 2:
        ASSERT_NO_FATAL_FAILURE(step_of_a_producer());
        break;
      case 3:
      case 4:
      case 5:
        ASSERT_NO_FATAL_FAILURE(step_of_a_worker());
        break;
      case 6:
      case 7:
        ASSERT_NO_FATAL_FAILURE(step_of_a_settler());
        break;
      case 8:
        ASSERT_NO_FATAL_FAILURE(step_of_an_operator());
        break;
      default:
        ASSERT_NO_FATAL_FAILURE(step_of_a_script());
    }
    ASSERT_NO_FATAL_FAILURE(compare());
    if (step % 100 == 0) {
      ASSERT_NO_FATAL_FAILURE(compare_rows());
    }
  }
}

}  // namespace
}  // namespace fairlane::command
