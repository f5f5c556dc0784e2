#include "fairlane/lane/fair_queue.hpp"

#include <bit>
#include <cstdlib>
#include <cstring>
#include <new>

#include "fairlane/base/assert.hpp"

namespace fairlane::lane {

namespace {

__extension__ typedef unsigned __int128 Wide;

constexpr unsigned kScaleBits = 32;

struct Division {
  VirtualTime quotient;
  std::uint64_t remainder;
};

/// Rounds down, so the remainder is never negative.
Division divide(VirtualTime dividend, std::uint64_t divisor) noexcept {
  const auto wide = static_cast<VirtualTime>(divisor);
  VirtualTime quotient = dividend / wide;
  VirtualTime remainder = dividend % wide;
  if (remainder < 0) {
    --quotient;
    remainder += wide;
  }
  return {quotient, static_cast<std::uint64_t>(remainder)};
}

VirtualTime scaled(std::int64_t cost) noexcept { return VirtualTime{cost} * (VirtualTime{1} << kScaleBits); }

/// Two steps an octave, parted at its square root.
std::uint32_t step_of(std::uint32_t weight) noexcept {
  const auto octave = static_cast<unsigned>(std::bit_width(weight)) - 1;
  const std::uint64_t square = std::uint64_t{weight} * weight;
  return 2 * octave + (square >> (2 * octave + 1) != 0 ? 1 : 0);
}

}  // namespace

void detail::FairTraits::destroy(FairLane* lane) noexcept { std::free(lane); }

FairQueue::Lane* FairQueue::add(std::string_view name, std::uint64_t hash, std::uint32_t weight) {
  FAIRLANE_ASSERT(weight > 0);
  void* memory = std::malloc(sizeof(Lane) + name.size());
  if (memory == nullptr) throw std::bad_alloc();
  auto* lane = new (memory) Lane{0, weight, 0, static_cast<std::uint32_t>(name.size()), Lane::kLingering};
  if (!name.empty()) std::memcpy(lane->bytes(), name.data(), name.size());
  lanes_.insert(lane, hash);
  lane_bytes_ += sizeof(Lane) + name.size();
  return lane;
}

void FairQueue::drop(Lane* lane) {
  if (picked_ == lane) picked_ = nullptr;
  lane_bytes_ -= sizeof(Lane) + lane->length;
  lanes_.erase(lane->name(), base::hash_bytes(lane->name()));
}

LaneHeap& FairQueue::heap_of(const Lane& lane) noexcept {
  return lane.lingering() ? lingering_ : heaps_[lane.home].lanes;
}

const FairQueue::Item& FairQueue::item_of(const Lane& lane) const noexcept {
  return lane.lingering() ? lingering_[lane.position] : heaps_[lane.home].lanes[lane.position];
}

FairQueue::Item FairQueue::detach(Lane& lane) {
  if (lane.lingering()) {
    lingering_weight_ -= lane.weight;
  } else {
    serviceable_weight_ -= lane.weight;
    --serviceable_;
  }
  return heap_of(lane).remove(lane.position);
}

void FairQueue::enlist(const Item& item, std::uint8_t home) {
  Lane& lane = *item.lane;
  lane.home = home;
  heaps_[lane.home].lanes.push(item);
  serviceable_weight_ += lane.weight;
  ++serviceable_;
}

void FairQueue::linger(const Item& item) {
  item.lane->home = Lane::kLingering;
  lingering_.push(item);
  lingering_weight_ += item.lane->weight;
}

std::uint8_t FairQueue::heap_for(std::uint32_t weight) {
  std::size_t own = 0;
  std::size_t vacant = heaps_.size();
  for (std::size_t index = 0; index < heaps_.size(); ++index) {
    const Heap& heap = heaps_[index];
    if (heap.shared) continue;
    if (heap.weight == weight) return static_cast<std::uint8_t>(index);
    if (heap.lanes.empty()) vacant = index;
    ++own;
  }
  const Heap fresh{{}, (expected_cost_ << kScaleBits) / weight, weight, false};
  if (vacant < heaps_.size()) {
    heaps_[vacant] = fresh;
  } else if (own < kOwnHeaps) {
    heaps_.push_back(fresh);
  } else {
    return shared_heap(weight);
  }
  return static_cast<std::uint8_t>(vacant);
}

std::uint8_t FairQueue::shared_heap(std::uint32_t weight) {
  const std::uint32_t step = step_of(weight);
  std::size_t index = 0;
  while (index < heaps_.size() && !(heaps_[index].shared && heaps_[index].weight == step)) ++index;
  if (index == heaps_.size()) heaps_.push_back({{}, 0, step, true});
  return static_cast<std::uint8_t>(index);
}

void FairQueue::wake(std::string_view name, std::uint32_t weight) {
  const std::uint64_t hash = base::hash_bytes(name);
  Lane* lane = lanes_.find(name, hash);
  if (lane != nullptr && !lane->lingering()) return;
  Item item{totals_.now, 0, lane};
  if (lane == nullptr) {
    item.lane = add(name, hash, weight);
  } else {
    item = detach(*lane);
    rescale(item, weight);
  }
  item.sequence = ++totals_.sequence;
  enlist(item, heap_for(item.lane->weight));
}

void FairQueue::sleep(std::string_view name) {
  Lane* lane = find(name);
  if (lane == nullptr || lane->lingering()) return;
  const Item item = detach(*lane);
  if (item.start > totals_.now) {
    linger(item);
  } else {
    drop(lane);
  }
}

/// Distance from the clock times weight is the number of jobs ahead: that is what stays.
void FairQueue::rescale(Item& item, std::uint32_t weight) const noexcept {
  FAIRLANE_ASSERT(weight > 0);
  Lane& lane = *item.lane;
  if (lane.weight == weight) return;
  const VirtualTime ahead = (item.start - totals_.now) * lane.weight + lane.fraction;
  const Division division = divide(ahead, weight);
  item.start = totals_.now + division.quotient;
  lane.fraction = static_cast<std::uint32_t>(division.remainder);
  lane.weight = weight;
}

void FairQueue::reweigh(std::string_view name, std::uint32_t weight) {
  Lane* lane = find(name);
  if (lane == nullptr || lane->weight == weight) return;
  const bool lingering = lane->lingering();
  Item item = detach(*lane);
  rescale(item, weight);
  if (lingering) {
    linger(item);
  } else {
    enlist(item, heap_for(weight));
  }
}

void FairQueue::end_lingering() {
  while (!lingering_.empty() && lingering_.front().start <= totals_.now) {
    Lane* lane = lingering_.front().lane;
    detach(*lane);
    drop(lane);
  }
}

void FairQueue::expect(std::uint64_t cost) noexcept {
  FAIRLANE_ASSERT(cost <= kMaxCost);
  if (cost == expected_cost_) [[likely]]
    return;
  expected_cost_ = cost;
  for (Heap& heap : heaps_) {
    if (!heap.shared) heap.stride = (cost << kScaleBits) / heap.weight;
  }
}

FairQueue::Heads FairQueue::heads(std::uint64_t cost) const noexcept {
  Heads heads;
  VirtualTime least_due = 0;
  for (const Heap& heap : heaps_) {
    if (heap.lanes.empty()) continue;
    const Item& head = heap.lanes.front();
    if (heads.first == nullptr || head.start < heads.first->start) heads.first = &head;
    if (head.start > totals_.now) continue;
    const VirtualTime due = head.start + (heap.shared ? (cost << kScaleBits) / head.lane->weight : heap.stride);
    if (heads.due == nullptr || due < least_due || (due == least_due && head.sequence < heads.due->sequence)) {
      heads.due = &head;
      least_due = due;
    }
  }
  return heads;
}

std::optional<FairQueue::Pick> FairQueue::peek(std::uint64_t cost) {
  expect(cost);
  for (;;) {
    end_lingering();
    if (serviceable_ == 0) return std::nullopt;
    const Heads found = heads(cost);
    if (found.due != nullptr) {
      picked_ = found.due->lane;
      return Pick{picked_->name(), picked_->weight};
    }
    totals_.now = found.first->start;
  }
}

/// The sum of all weights, which the clock's remainder counts in from now on.
std::uint64_t FairQueue::scale_remainder() noexcept {
  const std::uint64_t total = serviceable_weight_ + lingering_weight_;
  if (total != totals_.divisor) {
    totals_.remainder = static_cast<std::uint64_t>(Wide{totals_.remainder} * total / totals_.divisor);
    totals_.divisor = total;
  }
  return total;
}

void FairQueue::charge(std::string_view name, std::uint64_t cost) {
  FAIRLANE_ASSERT(cost <= kMaxCost);
  Lane* lane = picked_ != nullptr && picked_->name() == name ? picked_ : find(name);
  FAIRLANE_ASSERT(lane != nullptr && !lane->lingering());
  LaneHeap& heap = heaps_[lane->home].lanes;
  const std::uint64_t due = (cost << kScaleBits) + lane->fraction;
  lane->fraction = static_cast<std::uint32_t>(due % lane->weight);
  heap.update(lane->position, heap[lane->position].start + due / lane->weight, ++totals_.sequence);
  __builtin_prefetch(heap.front().lane);  // whose turn it will be; with many lanes it is far from any cache

  const std::uint64_t total = scale_remainder();
  totals_.now += (cost << kScaleBits) / total;
  totals_.remainder += (cost << kScaleBits) % total;
  if (totals_.remainder >= total) {
    totals_.remainder -= total;
    ++totals_.now;
  }
}

void FairQueue::correct(std::string_view name, std::int64_t delta) {
  Lane* lane = find(name);
  if (lane == nullptr) return;
  const Division due = divide(scaled(delta) + lane->fraction, lane->weight);
  lane->fraction = static_cast<std::uint32_t>(due.remainder);
  const Item& item = item_of(*lane);
  heap_of(*lane).update(lane->position, item.start + due.quotient, item.sequence);

  // The clock counts what was served, or charges that were too high would leave it ever further ahead of all lanes,
  // and whoever wakes next would wait for them.
  const std::uint64_t total = scale_remainder();
  const Division moved = divide(scaled(delta) + static_cast<VirtualTime>(totals_.remainder), total);
  totals_.now += moved.quotient;
  totals_.remainder = moved.remainder;
}

bool FairQueue::serviceable(std::string_view name) const noexcept {
  const Lane* lane = find(name);
  return lane != nullptr && !lane->lingering();
}

std::optional<std::uint32_t> FairQueue::weight(std::string_view name) const noexcept {
  const Lane* lane = find(name);
  return lane == nullptr ? std::nullopt : std::optional(lane->weight);
}

void FairQueue::clear() noexcept { *this = FairQueue(); }

std::size_t FairQueue::memory() const noexcept {
  std::size_t bytes = lanes_.memory() + lane_bytes_ + lingering_.memory() + heaps_.capacity() * sizeof(Heap);
  for (const Heap& heap : heaps_) bytes += heap.lanes.memory();
  return bytes;
}

FairQueue::LaneState FairQueue::state_of(const Lane& lane) const noexcept {
  const Item& item = item_of(lane);
  return {lane.name(),
          item.start,
          lane.fraction,
          lane.weight,
          item.sequence,
          lane.lingering(),
          !lane.lingering() && heaps_[lane.home].shared};
}

void FairQueue::restore(const Totals& totals) {
  clear();
  totals_ = totals;
}

void FairQueue::restore(const LaneState& state) {
  const std::uint64_t hash = base::hash_bytes(state.name);
  FAIRLANE_ASSERT(lanes_.find(state.name, hash) == nullptr && state.fraction < state.weight);
  Lane* lane = add(state.name, hash, state.weight);
  lane->fraction = state.fraction;
  const Item item{state.start, state.sequence, lane};
  if (state.lingering) {
    linger(item);
  } else {
    enlist(item, state.shared ? shared_heap(state.weight) : heap_for(state.weight));
  }
}

}  // namespace fairlane::lane
