#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "fairlane/base/hash.hpp"
#include "fairlane/data/table.hpp"
#include "fairlane/lane/lane_heap.hpp"

namespace fairlane::lane {

namespace detail {

struct FairTraits {
  using Entry = FairLane;
  static std::string_view key(const FairLane& lane) noexcept { return lane.name(); }
  static void destroy(FairLane* lane) noexcept;
};

}  // namespace detail

/// Whose turn it is among the serviceable lanes of one job queue, in proportion to their weights: the policy `smooth`.
///
/// WF2Q+ (Bennett and Zhang, "Hierarchical packet fair queueing algorithms", 1996). A clock V stands for the share that
/// an ideal server, working on all lanes at once, would have given a lane of weight 1. A lane's service begins at its
/// start time S and is due at S + cost / weight. Of the lanes that the ideal server would have begun (S <= V) the one
/// due first is picked, ties by who waits longest; when there is none, V jumps to the least S. Serving moves S to
/// where the service was due, and V by cost / (sum of weights).
///
/// A lane that sleeps while it is ahead of the ideal (S > V) lingers: its debt and its weight are kept until V has
/// reached S, so leaving and coming back gains nothing, whatever the reason. A lane neither serviceable nor lingering
/// has no state here. With W the sum of the weights of both and w that of a lane, jobs of cost 1:
///
/// - While no lane comes or goes, each is within a job of what the ideal server has done, weights changing or not.
/// - Two lanes that are serviceable all the time differ in services / weight by at most the sum of their 1 / weight,
///   from the time both were woken, whatever the others do.
/// - A lane without state is picked within ceil(W / w) + 1 picks of waking. Not so when others were made heavier since
///   the last pick of a lane due later: each of them may be owed a job at once, and then comes before.
///
/// Arithmetic is exact: S and V are integers with scale 2^32 and carry the remainders of their divisions, so shares
/// have no rounding error. Where a lane lies between two units is not looked at when lanes are compared, which moves
/// one by at most weight / 2^31 jobs. Of the same operations the same picks follow; no hash order is involved.
///
/// Lanes of one weight share a heap, and a pick looks at the head of every heap. While kOwnHeaps distinct weights are
/// serviceable, a lane of a further weight that wakes or is reweighed goes to a heap that holds all weights of a step
/// of sqrt(2), one of at most 64, and stays there until it next sleeps or is reweighed. It is charged by its own weight
/// there too, so its share stays exact; but of such a heap whoever starts first comes first, though another may be due
/// earlier, so a lane may fall behind the ideal by up to half a job more.
///
/// Costs: every operation O(log lanes) and a look-up; peek() O(heaps) besides, at most 128. A lane takes one
/// allocation of 20 bytes and its name, 32 bytes in a heap and 14 in a table; heap growth is amortised.
class FairQueue {
 public:
  static constexpr std::uint64_t kMaxCost = std::uint64_t{1} << 31;
  static constexpr std::size_t kOwnHeaps = 64;

  struct Pick {
    std::string_view lane;
    std::uint32_t weight;
  };

  /// What restore() needs to go on as if nothing had happened.
  struct Totals {
    VirtualTime now = 0;
    std::uint64_t remainder = 0;  // of `now`, in units of 1 / divisor
    std::uint64_t divisor = 1;
    std::uint64_t sequence = 0;
  };
  struct LaneState {
    std::string_view name;
    VirtualTime start;
    std::uint32_t fraction;  // of start, in units of 1 / weight
    std::uint32_t weight;
    std::uint64_t sequence;
    bool lingering;
    bool shared;  // in a heap of several weights
  };

  /// The lane became serviceable; nothing happens when it already is, not even to its weight. The weight is 1 or more;
  /// a lingering lane that comes back with another one is reweighed.
  void wake(std::string_view name, std::uint32_t weight);
  /// The lane is serviceable no more; nothing happens when it is not. What it was served must be charged before.
  void sleep(std::string_view name);
  /// A lane without state here is left alone: wake() brings its weight. How many jobs the lane is ahead or behind stays
  /// exactly what it is.
  void reweigh(std::string_view name, std::uint32_t weight);

  /// Whose turn it is; none when no lane is serviceable. `cost` is what a service is expected to cost, at most
  /// kMaxCost; another one than last time takes a division a heap. Charges nothing, so the answer stays the same until
  /// something changes, and the view is good until then.
  std::optional<Pick> peek(std::uint64_t cost = 1);
  /// The serviceable lane was served, whole batch and all; the cost is at most kMaxCost.
  void charge(std::string_view name, std::uint64_t cost);
  /// An earlier charge was too low by `delta`, or too high when negative. Nothing happens to a lane without state here.
  void correct(std::string_view name, std::int64_t delta);

  /// Serviceable lanes.
  std::size_t size() const noexcept { return serviceable_; }
  bool serviceable(std::string_view name) const noexcept;
  /// Serviceable or lingering?
  bool knows(std::string_view name) const noexcept { return find(name) != nullptr; }
  /// None of a lane without state here.
  std::optional<std::uint32_t> weight(std::string_view name) const noexcept;
  /// Sums over the serviceable and over the lingering lanes.
  std::uint64_t serviceable_weight() const noexcept { return serviceable_weight_; }
  std::uint64_t lingering_weight() const noexcept { return lingering_weight_; }

  void clear() noexcept;
  /// Bytes, without sizeof(FairQueue).
  std::size_t memory() const noexcept;

  Totals totals() const noexcept { return totals_; }
  /// visit(const LaneState&) for every lane with state, in no order. The names are good until the next change.
  template <class Visit>
  void for_each(Visit&& visit) const {
    lanes_.for_each([&](const detail::FairLane& lane) { visit(state_of(lane)); });
  }
  /// Forgets everything and takes the totals; then restore every lane, in any order.
  void restore(const Totals& totals);
  /// The lane is not known yet; its weight is not 0 and its fraction less than its weight.
  void restore(const LaneState& state);

 private:
  using Lane = detail::FairLane;
  using Item = LaneHeap::Item;

  struct Heap {
    LaneHeap lanes;
    std::uint64_t stride;  // of its weight at expected_cost_; means nothing when shared
    std::uint32_t weight;  // of every lane in it, or the step when shared
    bool shared;
  };

  struct Heads {
    const Item* due = nullptr;    // the one due first of those that may begin; null when none may
    const Item* first = nullptr;  // the one that starts first
  };

  Lane* find(std::string_view name) const noexcept { return lanes_.find(name, base::hash_bytes(name)); }
  Lane* add(std::string_view name, std::uint64_t hash, std::uint32_t weight);
  void drop(Lane* lane);
  LaneState state_of(const Lane& lane) const noexcept;

  const Item& item_of(const Lane& lane) const noexcept;
  LaneHeap& heap_of(const Lane& lane) noexcept;
  Item detach(Lane& lane);
  void enlist(const Item& item, std::uint8_t home);
  void linger(const Item& item);
  void rescale(Item& item, std::uint32_t weight) const noexcept;

  /// The heap of this weight alone, or the one it shares when there are too many weights.
  std::uint8_t heap_for(std::uint32_t weight);
  std::uint8_t shared_heap(std::uint32_t weight);
  void expect(std::uint64_t cost) noexcept;
  void end_lingering();
  Heads heads(std::uint64_t cost) const noexcept;
  std::uint64_t scale_remainder() noexcept;

  // A lane is in exactly one heap: in one of heaps_ when it is serviceable, else in lingering_. The totals' remainder
  // is less than the divisor, which is the sum of all weights when the clock last moved. An empty heap of one weight
  // may become another weight's.
  data::Table<detail::FairTraits> lanes_;
  std::vector<Heap> heaps_;
  LaneHeap lingering_;
  Totals totals_;
  std::uint64_t serviceable_weight_ = 0;
  std::uint64_t lingering_weight_ = 0;
  std::uint64_t expected_cost_ = 1;
  std::size_t serviceable_ = 0;
  std::size_t lane_bytes_ = 0;
  Lane* picked_ = nullptr;  // by the last peek(), to charge it without a look-up
};

}  // namespace fairlane::lane
