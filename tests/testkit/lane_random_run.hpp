#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fairlane/base/random.hpp"
#include "testkit/in_process.hpp"
#include "testkit/lane_queue.hpp"

namespace fairlane::testkit {

/// What was sent to a server, and when.
struct LaneLog {
  struct Entry {
    std::string request;  ///< the bytes; empty when time passes
    base::Millis passes{0};
  };
  std::vector<Entry> entries;

  /// Plays it to a server of its own. Returns every byte of the replies.
  std::string play() const;
};

/// Random operations on one queue of a whole server: jobs come, are claimed, settled, fail, run out of their lease, are
/// moved and removed, while lanes are paused, limited and reweighed. After every step the replies are checked, and from
/// time to time all keys. Jobs are known by what the replies said, so that a lost one is missed.
class LaneRandomRun {
 public:
  LaneRandomRun(LanePolicy policy, std::uint64_t seed);

  /// One operation, and the checks. Returns false when something was wrong.
  bool step();
  /// Looks at every key.
  bool check_keys();

  /// What was wrong first; empty when nothing was.
  const std::string& problem() const noexcept { return problem_; }
  const LaneLog& log() const noexcept { return log_; }
  const std::string& replies() const noexcept { return replies_; }
  std::size_t claimed() const noexcept { return claimed_; }
  std::size_t empty_claims() const noexcept { return empty_claims_; }
  std::size_t expired() const noexcept { return expired_; }

 private:
  struct Lane {
    std::size_t depth = 0;
    std::int64_t limit = 0;
    std::int64_t in_flight = 0;
    bool paused = false;
    bool serviceable() const noexcept { return depth != 0 && !paused && (limit == 0 || in_flight < limit); }
  };
  struct Held {
    std::string id;
    std::string token;
  };

  void produce();
  void claim();
  void settle();
  void move();
  void operate();
  void control_lane();
  void pass_time();

  void check_claim(const std::vector<const Value*>& tuples);
  void check_places();
  void check_lanes();
  void note_places(const std::string& key, std::string_view state);

  const Value& ask(const std::vector<std::string>& words);
  bool refused(std::string_view words) const;
  std::string some_lane() { return LaneQueue::lane_name(random_.below(kLanes)); }
  std::string some_job();
  Lane look(const std::string& lane);
  std::vector<std::string> members(const std::string& key);
  std::string field(const std::string& key, std::string_view name);
  void wrong(const std::string& what);

  static constexpr std::size_t kLanes = 12;

  InProcess server_;
  InProcessClient& client_ = server_.connect();
  RespReader reader_;
  base::Random random_;
  Value last_;
  LaneLog log_;
  std::string replies_;
  std::string problem_;

  std::set<std::string> alive_;                // jobs that must exist
  std::map<std::string, std::string> places_;  // while keys are checked: job -> key that lists it
  std::vector<Held> held_;                     // what claims handed out and was not settled
  std::uint64_t last_job_ = 0;
  std::size_t steps_ = 0;
  std::size_t claimed_ = 0;
  std::size_t empty_claims_ = 0;
  std::size_t expired_ = 0;
};

}  // namespace fairlane::testkit
