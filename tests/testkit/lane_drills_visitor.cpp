// lane_drills_visitor.cpp - the drills of a lane that comes and goes.
#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "fairlane/base/random.hpp"
#include "testkit/lane_drill_text.hpp"
#include "testkit/lane_drills.hpp"

namespace fairlane::testkit {
namespace {

constexpr std::uint64_t kSeed = 31;
constexpr std::size_t kLanes = 100;

/// A lane of this weight that comes and goes in some way, among backlogged lanes of weight 1.
struct Visitor {
  static constexpr std::size_t kLane = kLanes;

  LaneQueue queue;
  std::uint32_t weight;
  std::size_t served = 0;
  std::size_t picks = 0;

  Visitor(LanePolicy policy, std::uint32_t of_weight) : queue(policy), weight(of_weight) {
    queue.fill(0, kLanes);
    queue.set_weight(kLane, weight);
  }
  /// The visitor's job when it was picked. Others are served and refilled.
  std::optional<LaneQueue::Job> pick() {
    ++picks;
    auto job = queue.claim();
    if (job && job->lane == kLane) {
      ++served;
      return job;
    }
    if (job) {
      queue.complete(*job);
      queue.enqueue(job->lane);
    }
    return std::nullopt;
  }
  /// 1 when it got just what its weight entitles to.
  double share() const {
    const double entitled = static_cast<double>(weight) / static_cast<double>(kLanes + weight);
    return static_cast<double>(served) / static_cast<double>(picks) / entitled;
  }
};

double share_of_one_job(LanePolicy policy, std::uint32_t weight, std::size_t delay, std::size_t picks) {
  Visitor visitor(policy, weight);
  visitor.queue.enqueue(Visitor::kLane);
  std::optional<LaneQueue::Job> held;
  std::size_t back = 0;
  for (std::size_t pick = 0; pick < picks; ++pick) {
    if (auto job = visitor.pick()) {
      held = std::move(job);
      back = pick + delay;
    }
    if (!held || pick < back) continue;
    visitor.queue.complete(*held);
    visitor.queue.enqueue(Visitor::kLane);
    held.reset();
  }
  return visitor.share();
}

/// Calls flap(queue, job) whenever the backlogged visitor was picked; it is to complete the job.
template <class Flap>
double share_flapping(LanePolicy policy, std::uint32_t weight, std::size_t picks, Flap&& flap) {
  Visitor visitor(policy, weight);
  visitor.queue.enqueue(Visitor::kLane, 3);
  for (std::size_t pick = 0; pick < picks; ++pick) {
    const auto job = visitor.pick();
    if (!job) continue;
    visitor.queue.enqueue(Visitor::kLane);
    flap(visitor.queue, *job);
  }
  return visitor.share();
}

double share_pausing(LanePolicy policy, std::uint32_t weight, std::size_t picks) {
  return share_flapping(policy, weight, picks, [](LaneQueue& queue, const LaneQueue::Job& job) {
    queue.complete(job);
    queue.pause(Visitor::kLane);
    queue.resume(Visitor::kLane);
  });
}

double share_limited(LanePolicy policy, std::uint32_t weight, std::size_t picks) {
  bool limited = false;
  return share_flapping(policy, weight, picks, [&](LaneQueue& queue, const LaneQueue::Job& job) {
    queue.complete(job);
    if (!std::exchange(limited, true)) queue.set_limit(Visitor::kLane, 1);
  });
}

double share_changing_limits(LanePolicy policy, std::uint32_t weight, std::size_t picks) {
  return share_flapping(policy, weight, picks, [](LaneQueue& queue, const LaneQueue::Job& job) {
    queue.set_limit(Visitor::kLane, 1);
    queue.set_limit(Visitor::kLane, 0);
    queue.complete(job);
  });
}

/// Pauses and comes back at random instants, whether it was served or not.
double share_pausing_at_random(LanePolicy policy, std::uint32_t weight, std::size_t picks) {
  base::Random random(kSeed);
  Visitor visitor(policy, weight);
  visitor.queue.enqueue(Visitor::kLane, 3);
  for (std::size_t pick = 0; pick < picks; ++pick) {
    if (random.below(3) == 0) {
      visitor.queue.pause(Visitor::kLane);
      visitor.queue.resume(Visitor::kLane);
    }
    const auto job = visitor.pick();
    if (!job) continue;
    visitor.queue.complete(*job);
    visitor.queue.enqueue(Visitor::kLane);
  }
  return visitor.share();
}

}  // namespace

DrillRow closed_loop_drill(LanePolicy policy, const DrillSizes& sizes) {
  double least = std::numeric_limits<double>::max();
  double most = 0;
  for (std::size_t delay = 0; delay <= 8; ++delay) {
    const double share = share_of_one_job(policy, 10, delay, sizes.picks);
    least = std::min(least, share);
    most = std::max(most, share);
  }
  const bool smooth = policy == LanePolicy::smooth;
  return {"closed loop", policy, smooth ? "0.98 to 1.02 of its share" : "document",
          text("%.3f to %.3f of its share", least, most),
          smooth ? judged(least >= 0.98 && most <= 1.02) : Verdict::documented};
}

DrillRow flapping_drill(LanePolicy policy, const DrillSizes& sizes) {
  std::array<double, 5> most{};
  for (const std::uint32_t weight : {1U, 2U, 10U, 50U}) {
    const std::array<double, 5> shares = {
        share_of_one_job(policy, weight, 0, sizes.picks), share_pausing(policy, weight, sizes.picks),
        share_pausing_at_random(policy, weight, sizes.picks), share_limited(policy, weight, sizes.picks),
        share_changing_limits(policy, weight, sizes.picks)};
    for (std::size_t i = 0; i < most.size(); ++i) most[i] = std::max(most[i], shares[i]);
  }
  return {"flapping", policy, "<= 1.02 of its share",
          text("one job %.3f, pauses %.3f and %.3f, limit %.3f and %.3f", most[0], most[1], most[2], most[3], most[4]),
          judged(*std::max_element(most.begin(), most.end()) <= 1.02)};
}

}  // namespace fairlane::testkit
