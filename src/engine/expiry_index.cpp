#include "fairlane/engine/expiry_index.hpp"

namespace fairlane::engine {

void ExpiryIndex::place(std::size_t position, Node node) noexcept {
  heap_[position] = node;
  node.entry->set_expiry_position(static_cast<std::uint32_t>(position));
}

void ExpiryIndex::sift_up(std::size_t position) noexcept {
  const Node node = heap_[position];
  while (position > 0) {
    const std::size_t parent = (position - 1) / 4;
    if (heap_[parent].deadline <= node.deadline) break;
    place(position, heap_[parent]);
    position = parent;
  }
  place(position, node);
}

void ExpiryIndex::sift_down(std::size_t position) noexcept {
  const Node node = heap_[position];
  for (;;) {
    const std::size_t first = position * 4 + 1;
    if (first >= heap_.size()) break;
    const std::size_t last = first + 4 < heap_.size() ? first + 4 : heap_.size();
    std::size_t least = first;
    for (std::size_t child = first + 1; child < last; ++child) {
      if (heap_[child].deadline < heap_[least].deadline) least = child;
    }
    if (heap_[least].deadline >= node.deadline) break;
    place(position, heap_[least]);
    position = least;
  }
  place(position, node);
}

void ExpiryIndex::set(Entry* entry, std::int64_t deadline) {
  entry->set_deadline(deadline);
  std::size_t position = entry->expiry_position();
  if (position == Entry::kNoPosition) {
    position = heap_.size();
    heap_.push_back({deadline, entry});
  } else {
    heap_[position] = {deadline, entry};
  }
  sift_up(position);
  sift_down(entry->expiry_position());
}

void ExpiryIndex::remove(Entry* entry) noexcept {
  const std::size_t position = entry->expiry_position();
  if (position == Entry::kNoPosition) return;
  entry->set_expiry_position(Entry::kNoPosition);
  const Node last = heap_.back();
  heap_.pop_back();
  if (position == heap_.size()) return;
  place(position, last);
  sift_up(position);
  sift_down(last.entry->expiry_position());
}

void ExpiryIndex::relocated(Entry* entry) noexcept { heap_[entry->expiry_position()].entry = entry; }

double ExpiryIndex::average_deadline() const noexcept {
  // Every so-manieth place of the heap has its share of near and of far deadlines.
  constexpr std::size_t kSamples = 1000;
  const std::size_t step = heap_.size() / kSamples + 1;
  double sum = 0;
  std::size_t samples = 0;
  for (std::size_t i = 0; i < heap_.size(); i += step, ++samples) sum += static_cast<double>(heap_[i].deadline);
  return samples == 0 ? 0 : sum / static_cast<double>(samples);
}

}  // namespace fairlane::engine
