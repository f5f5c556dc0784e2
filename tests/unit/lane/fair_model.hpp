#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "fairlane/lane/lane_heap.hpp"

namespace fairlane::lane {

/// The rules of FairQueue over a plain map, looking at every lane for every pick.
class FairModel {
 public:
  struct Lane {
    VirtualTime start = 0;
    VirtualTime fraction = 0;
    VirtualTime weight = 1;
    std::uint64_t sequence = 0;
    bool lingering = false;
  };

  void wake(const std::string& name, std::uint32_t weight) {
    const auto found = lanes.find(name);
    if (found != lanes.end() && !found->second.lingering) return;
    if (found == lanes.end()) {
      lanes[name] = {now, 0, weight, 0, false};
    } else {
      reweigh(name, weight);
    }
    lanes[name].lingering = false;
    lanes[name].sequence = ++sequence;
  }

  void sleep(const std::string& name) {
    const auto found = lanes.find(name);
    if (found == lanes.end() || found->second.lingering) return;
    found->second.lingering = true;
    if (found->second.start <= now) lanes.erase(found);
  }

  void reweigh(const std::string& name, std::uint32_t weight) {
    const auto found = lanes.find(name);
    if (found == lanes.end() || found->second.weight == weight) return;
    Lane& lane = found->second;
    const VirtualTime jobs = (lane.start - now) * lane.weight + lane.fraction;
    lane.weight = weight;
    lane.start = now;
    lane.fraction = 0;
    move(lane.start, lane.fraction, jobs, lane.weight);
  }

  std::optional<std::string> peek(std::uint64_t cost = 1) {
    for (;;) {
      for (auto it = lanes.begin(); it != lanes.end();) {
        it = it->second.lingering && it->second.start <= now ? lanes.erase(it) : std::next(it);
      }
      const std::string* best = nullptr;
      std::optional<VirtualTime> first;
      VirtualTime best_due = 0;
      for (const auto& [name, lane] : lanes) {
        if (lane.lingering) continue;
        if (!first || lane.start < *first) first = lane.start;
        if (lane.start > now) continue;
        const VirtualTime due = lane.start + VirtualTime{cost} * kScale / lane.weight;
        if (best == nullptr || due < best_due || (due == best_due && lane.sequence < lanes[*best].sequence)) {
          best = &name;
          best_due = due;
        }
      }
      if (best != nullptr) return *best;
      if (!first) return std::nullopt;
      now = *first;
    }
  }

  void charge(const std::string& name, std::uint64_t cost) {
    lanes[name].sequence = ++sequence;
    correct(name, static_cast<std::int64_t>(cost));
  }

  void correct(const std::string& name, std::int64_t delta) {
    const auto found = lanes.find(name);
    if (found == lanes.end()) return;
    move(found->second.start, found->second.fraction, delta * kScale, found->second.weight);
    VirtualTime total = 0;
    for (const auto& lane : lanes) total += lane.second.weight;
    remainder = remainder * total / divisor;
    divisor = total;
    move(now, remainder, delta * kScale, divisor);
  }

  std::map<std::string, Lane> lanes;
  VirtualTime now = 0;
  VirtualTime remainder = 0;
  VirtualTime divisor = 1;
  std::uint64_t sequence = 0;

 private:
  static constexpr VirtualTime kScale = VirtualTime{1} << 32;

  static void move(VirtualTime& time, VirtualTime& fraction, VirtualTime amount, VirtualTime weight) {
    amount += fraction;
    VirtualTime whole = amount / weight;
    if (whole * weight > amount) --whole;
    time += whole;
    fraction = amount - whole * weight;
  }
};

}  // namespace fairlane::lane
