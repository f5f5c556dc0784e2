#include "testkit/lane_drills.hpp"

#include <algorithm>
#include <deque>

#include "fairlane/base/random.hpp"
#include "testkit/lane_drill_text.hpp"

namespace fairlane::testkit {
namespace {

constexpr std::uint64_t kSeed = 31;
/// What sums of many shares may be off.
constexpr double kRounding = 1e-6;
constexpr std::size_t kLanes = 100;

using Weights = std::vector<std::uint32_t>;

std::uint64_t sum(const Weights& weights) {
  std::uint64_t total = 0;
  for (const std::uint32_t weight : weights) total += weight;
  return total;
}

/// Weights 1 to 16, and a few jobs in every lane: whoever serves one refills it.
Weights mixed_lanes(LaneQueue& queue) {
  Weights weights;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    weights.push_back(static_cast<std::uint32_t>(1 + lane % 16));
    queue.set_weight(lane, weights[lane]);
    queue.enqueue(lane, 3);
  }
  return weights;
}

/// How far lanes are from the fluid ideal, which works on all of them at once.
class Lags {
 public:
  explicit Lags(std::size_t lanes) : ideal_(lanes), served_(lanes) {}

  void picked(std::size_t picked, const Weights& weights) {
    ++served_[picked];
    const auto total = static_cast<double>(sum(weights));
    for (std::size_t lane = 0; lane < weights.size(); ++lane) {
      ideal_[lane] += weights[lane] / total;
      const double lag = ideal_[lane] - static_cast<double>(served_[lane]);
      least_ = std::min(least_, lag);
      most_ = std::max(most_, lag);
    }
  }
  bool within_a_job() const { return least_ >= -1 - kRounding && most_ <= 1 + kRounding; }
  std::string shown() const { return text("lag %+.3f to %+.3f", least_, most_); }

 private:
  std::vector<double> ideal_;
  std::vector<std::uint64_t> served_;
  double least_ = 0;
  double most_ = 0;
};

/// Jain's index of services / weight over the last W picks, W the sum of the weights: 1 when all get the same. Exact
/// until the last division; weights are at most 16.
class SlidingJain {
 public:
  explicit SlidingJain(const Weights& weights) : window_(sum(weights)), served_(weights.size()) {
    for (const std::uint32_t weight : weights) steps_.push_back(kScale / weight);
  }
  void picked(std::size_t lane) {
    last_.push_back(lane);
    add(lane, 1);
    if (last_.size() < window_) return;
    if (last_.size() > window_) {
      add(last_.front(), -1);
      last_.pop_front();
    }
    const auto total = static_cast<double>(sum_);
    least_ = std::min(least_, total * total / (static_cast<double>(steps_.size()) * static_cast<double>(squares_)));
  }
  double least() const noexcept { return least_; }

 private:
  static constexpr std::int64_t kScale = 720720;  // divisible by 1 to 16

  void add(std::size_t lane, std::int64_t services) {
    const std::int64_t before = served_[lane] * steps_[lane];
    served_[lane] += services;
    const std::int64_t after = served_[lane] * steps_[lane];
    sum_ += after - before;
    squares_ += after * after - before * before;
  }

  std::size_t window_;
  std::vector<std::int64_t> served_;
  std::vector<std::int64_t> steps_;
  std::deque<std::size_t> last_;
  std::int64_t sum_ = 0;
  std::int64_t squares_ = 0;
  double least_ = 1;
};

}  // namespace

DrillRow share_drill(LanePolicy policy, const DrillSizes& sizes) {
  LaneQueue queue(policy);
  const Weights weights = mixed_lanes(queue);
  const std::size_t round = sum(weights);
  SlidingJain jain(weights);
  Lags lags(kLanes);
  std::vector<std::size_t> served(kLanes);
  std::size_t wrong_rounds = 0;
  for (std::size_t pick = 1; pick <= sizes.share_picks; ++pick) {
    const std::size_t lane = queue.serve_and_refill();
    ++served[lane];
    jain.picked(lane);
    lags.picked(lane, weights);
    if (pick % round != 0) continue;
    if (!std::equal(served.begin(), served.end(), weights.begin())) ++wrong_rounds;
    std::fill(served.begin(), served.end(), 0);
  }
  const std::string measured = text("Jain %.6f, ", jain.least()) + lags.shown();
  if (policy == LanePolicy::smooth) {
    return {"share", policy, "Jain >= 0.9999 over any W picks, lag within +-1", measured,
            judged(jain.least() >= 0.9999 && lags.within_a_job())};
  }
  const std::size_t rounds = sizes.share_picks / round;
  return {"share", policy, "exact per whole round",
          text("%zu of %zu rounds exact, ", rounds - wrong_rounds, rounds) + measured,
          judged(wrong_rounds == 0 && rounds != 0)};
}

DrillRow burst_drill(LanePolicy policy, const DrillSizes& sizes) {
  constexpr std::size_t kHeavy = kLanes;
  LaneQueue queue(policy);
  queue.fill(0, kLanes);
  queue.set_weight(kHeavy, 100);
  queue.enqueue(kHeavy, 3);
  std::size_t longest = 0;
  std::size_t run = 0;
  for (std::size_t pick = 0; pick < sizes.picks; ++pick) {
    run = queue.serve_and_refill() == kHeavy ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const bool smooth = policy == LanePolicy::smooth;
  return {"burst", policy, smooth ? "run <= 2" : "run of 100 by design", text("run of %zu", longest),
          smooth ? judged(longest <= 2) : Verdict::documented};
}

DrillRow premium_drill(LanePolicy policy, const DrillSizes& sizes) {
  constexpr std::size_t kLight = 20;
  constexpr std::size_t kHeavy = 200;
  constexpr std::uint32_t kWeight = 20;
  constexpr std::size_t kTotal = kHeavy + kLight * kWeight;
  constexpr std::size_t kPeriod = 2 * kTotal / kWeight;
  base::Random random(kSeed);
  LaneQueue queue(policy);
  queue.fill(kLight, kHeavy);
  std::vector<std::size_t> phases;
  for (std::size_t lane = 0; lane < kLight; ++lane) {
    queue.set_weight(lane, kWeight);
    phases.push_back(random.below(kPeriod));
  }
  std::vector<std::deque<std::size_t>> arrivals(kLight);
  std::vector<std::size_t> waits;
  for (std::size_t now = 0; now < sizes.picks; ++now) {
    for (std::size_t lane = 0; lane < kLight; ++lane) {
      if (now % kPeriod != phases[lane]) continue;
      arrivals[lane].push_back(now);
      queue.enqueue(lane);
    }
    const std::size_t lane = queue.serve();
    if (lane >= kLight) {
      queue.enqueue(lane);
      continue;
    }
    waits.push_back(now + 1 - arrivals[lane].front());
    arrivals[lane].pop_front();
  }
  std::sort(waits.begin(), waits.end());
  const std::size_t limit = policy == LanePolicy::smooth ? kTotal / kWeight + 1 : kTotal;
  const std::size_t p99 = waits[waits.size() * 99 / 100];
  return {"premium", policy, text(policy == LanePolicy::smooth ? "p99 <= W/w + 1 = %zu" : "p99 <= W = %zu", limit),
          text("p50 %zu, p99 %zu, most %zu picks", waits[waits.size() / 2], p99, waits.back()), judged(p99 <= limit)};
}

namespace {

/// Do turns of the policy `ring` last as long as their lane's weight says?
class Turns {
 public:
  void picked(std::size_t lane, const Weights& weights) {
    if (lane != lane_) {
      if (counts_) {
        ++all_;
        if (length_ != expected_) ++wrong_;
      }
      lane_ = lane;
      length_ = 0;
      expected_ = weights[lane];
      counts_ = true;
    }
    ++length_;
  }
  /// A turn that has begun may end by the old weight or by the new one.
  void weight_changed(std::size_t lane) { counts_ = counts_ && lane != lane_; }
  std::size_t all() const noexcept { return all_; }
  std::size_t wrong() const noexcept { return wrong_; }

 private:
  std::size_t lane_ = SIZE_MAX;
  std::size_t length_ = 0;
  std::size_t expected_ = 0;
  bool counts_ = false;
  std::size_t all_ = 0;
  std::size_t wrong_ = 0;
};

}  // namespace

DrillRow reweight_drill(LanePolicy policy, const DrillSizes& sizes) {
  base::Random random(kSeed);
  LaneQueue queue(policy);
  Weights weights = mixed_lanes(queue);
  Lags lags(kLanes);
  Turns turns;
  for (std::size_t pick = 0; pick < sizes.picks; ++pick) {
    if (pick % 100 == 0) {
      const std::size_t lane = random.below(kLanes);
      weights[lane] = static_cast<std::uint32_t>(1 + random.below(16));
      queue.set_weight(lane, weights[lane]);
      turns.weight_changed(lane);
    }
    const std::size_t lane = queue.serve_and_refill();
    lags.picked(lane, weights);
    turns.picked(lane, weights);
  }
  if (policy == LanePolicy::smooth)
    return {"reweight", policy, "next pick, lag within +-1", lags.shown(), judged(lags.within_a_job())};
  return {"reweight", policy, "next visit",
          text("%zu of %zu turns by the weight set", turns.all() - turns.wrong(), turns.all()),
          judged(turns.wrong() == 0 && turns.all() != 0)};
}

namespace {

/// The most picks that a job in a new lane of weight 1 waits for while another lane is flooded.
std::size_t wait_beside_flood(LanePolicy policy, std::uint32_t weight, std::size_t jobs) {
  constexpr std::size_t kEvery = 100;
  LaneQueue queue(policy);
  queue.set_weight(0, weight);
  queue.enqueue(0, jobs);
  std::size_t most = 0;
  std::size_t fresh = 0;
  std::size_t waits = 0;
  for (std::size_t pick = 0; pick < jobs; ++pick) {
    if (waits == 0 && pick % kEvery == fresh % kEvery) {  // at any place of the flood's turn
      queue.enqueue(++fresh);
      waits = 1;
    }
    if (queue.serve() != 0) {
      most = std::max(most, waits);
      waits = 0;
    } else if (waits != 0) {
      ++waits;
    }
  }
  return std::max(most, waits);
}

}  // namespace

DrillRow starvation_drill(LanePolicy policy, const DrillSizes& sizes) {
  const bool smooth = policy == LanePolicy::smooth;
  bool pass = true;
  std::string measured;
  for (const std::uint32_t weight : {1U, 10U}) {
    const std::size_t limit = weight + 1 + (smooth ? 1 : 0);
    const std::size_t waits = wait_beside_flood(policy, weight, sizes.flood);
    pass = pass && waits <= limit;
    measured += (measured.empty() ? "" : ", ") + text("%zu of %zu picks", waits, limit);
  }
  return {"starvation", policy, smooth ? "within ceil(W/w) + 1 picks" : "within one round", measured, judged(pass)};
}

std::vector<DrillRow> lane_drills(LanePolicy policy, const DrillSizes& sizes) {
  std::vector<DrillRow> rows;
  for (const auto drill : {share_drill, burst_drill, premium_drill, closed_loop_drill, flapping_drill, reweight_drill,
                           starvation_drill, invariants_drill, determinism_drill}) {
    rows.push_back(drill(policy, sizes));
  }
  return rows;
}

}  // namespace fairlane::testkit
