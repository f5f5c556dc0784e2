#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace fairlane::command::lane_model {

using Names = std::vector<std::string>;
/// Jobs by score and id, as a sorted set has them.
using Listed = std::vector<std::pair<double, std::string>>;

enum class Place : std::uint8_t { lane, ungrouped, active, scheduled, dead, finished };

struct Job {
  std::string id;
  Place place = Place::lane;
  std::optional<std::string> lane;
  std::string payload;
  std::int64_t attempts = 0;
  double when = 0;           ///< the score of a lease, a delayed or a finished job
  bool kept = false;         ///< is that instant the server's to keep?
  std::int64_t stalled = 0;  ///< leases that ended
  std::optional<std::int64_t> expired;
  std::optional<std::string> last_error;
};

struct Lane {
  std::optional<std::int64_t> weight;
  std::int64_t limit = 0;
  bool paused = false;
};

enum class Share : std::uint8_t { one, weight, all };

/// What a claim asks for.
struct Claim {
  Share share = Share::one;
  std::optional<std::int64_t> count = {};
  std::int64_t lease = 1;
  int client = 0;  ///< of one that waits
};

/// One queue as the contract tells it, with nothing kept twice: a job's place stands in the job, every count is
/// counted. Slow and plain. Each step answers what a client is told, in the notation of the .wire files; of an error
/// the first word.
class Model {
 public:
  // --- what is asked

  Names waiting_in(const std::string& lane) const {
    Names ids;
    for (const auto& [id, job] : jobs) {
      if (job.place == Place::lane && job.lane == lane) ids.push_back(id);
    }
    return ids;
  }
  std::int64_t in_flight(const std::string& lane) const {
    return std::count_if(jobs.begin(), jobs.end(), [&](const auto& entry) {
      return entry.second.place == Place::active && entry.second.lane == lane;
    });
  }
  std::int64_t active() const { return static_cast<std::int64_t>(listed(Place::active).size()); }
  bool serviceable(const std::string& name) const {
    const Lane& lane = lanes.at(name);
    return !lane.paused && !waiting_in(name).empty() && (lane.limit == 0 || in_flight(name) < lane.limit);
  }
  /// Does the queue hand nothing out, whatever its lanes have?
  bool closed() const { return paused || (ceiling > 0 && active() >= ceiling); }
  /// Jobs of a place, as its sorted set orders them.
  Listed listed(Place place) const {
    Listed found;
    for (const auto& [id, job] : jobs) {
      if (job.place != place) continue;
      const bool timed = place == Place::active || place == Place::scheduled || place == Place::finished;
      found.emplace_back(timed ? job.when : 0, id);
    }
    std::sort(found.begin(), found.end());
    return found;
  }
  /// Leases past their end, or delayed jobs that are due.
  Names due(Place place) const {
    Names ids;
    for (const auto& [when, id] : listed(place)) {
      if (when <= static_cast<double>(now)) ids.push_back(id);
    }
    return ids;
  }

  // --- the ring

  /// The rule of the ring, for a lane of which something changed. Scripts know of no unfinished turn.
  void settle_ring(const std::string& lane, bool by_script = false) {
    const auto place = std::find(ring.begin(), ring.end(), lane);
    const bool wanted = serviceable(lane);
    if (wanted && place == ring.end()) {
      ring.push_back(lane);
      push_wake_token();
    } else if (!wanted && place != ring.end()) {
      ring.erase(place);
      if (!by_script && credit_lane == lane) credit = 0;
    }
  }
  void push_wake_token() { wake = std::min<std::int64_t>(wake + 1, 64); }

  // --- moves

  void put_to_wait(Job& job) {
    job.place = job.lane ? Place::lane : Place::ungrouped;
    if (job.lane) settle_ring(*job.lane);
  }
  void erase(const std::string& id) {
    const std::optional<std::string> lane = jobs.at(id).lane;
    jobs.erase(id);
    if (lane) settle_ring(*lane);
  }
  /// Out of where it was: a slot in flight is free, whatever happens to the job next.
  void leave(Job& job, Place next, double when = 0) {
    job.place = next;
    job.when = when;
    if (job.lane) settle_ring(*job.lane);
  }
  void lease(Job& job, double until, bool by_script = false) {
    ++job.attempts;
    job.place = Place::active;
    job.when = until;
    job.kept = !by_script;
  }

  // --- the steps of lane commands, in lane_model.cpp

  std::string enqueue(const std::string& lane, const std::string& id, std::int64_t due, std::size_t most);
  Names turn(const Claim& asked, std::int64_t most);
  std::string claim(const Claim& asked);
  /// Empty when the client waits.
  std::string claim_or_wait(const Claim& asked);
  /// Serves who waits, first come, first served; the replies by client.
  std::vector<std::pair<int, std::string>> serve_waiting();
  std::string complete(const std::string& id, const std::string& token, std::int64_t next_lease);
  std::string retry(const std::string& id, const std::string& token, std::int64_t delay, std::int64_t most);
  std::string extend(const std::string& id, const std::string& token, std::int64_t lease_time);
  std::string remove(const std::string& id, bool force);
  std::string reassign(const std::string& id, const std::string& lane);
  std::string drain(const std::optional<std::string>& lane);
  std::string revive(const std::optional<std::string>& id, const std::optional<std::string>& lane);
  std::string promote(std::size_t most);
  std::string reap(const std::optional<std::string>& lane, std::size_t most);
  /// A millisecond passes: what the server keeps happens; leases come before delays, and ids in their order.
  void tick();

  std::map<std::string, Lane> lanes;
  std::map<std::string, Job> jobs;
  std::deque<std::string> ring;
  std::deque<Claim> waiting;
  std::string credit_lane;  ///< its turn was cut short
  std::int64_t credit = 0;  ///< and allows so many more
  std::int64_t wake = 0;
  std::int64_t completed = 0;
  std::int64_t failed = 0;
  bool paused = false;
  std::int64_t max_attempts = 0;
  std::int64_t ceiling = 0;
  std::int64_t keep_completed = 0;
  std::int64_t now = 0;

 private:
  std::string tuple(const std::string& id) const;
  bool may_settle(const Job& job) const;
  std::string refusal(const Job& job, const std::string& token) const;
  void expire(Job& job);
};

}  // namespace fairlane::command::lane_model
