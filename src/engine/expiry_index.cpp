#include "fairlane/engine/expiry_index.hpp"

namespace fairlane::engine {

template <class Notes>
void DeadlineIndex<Notes>::place(std::size_t position, Node node) noexcept {
  heap_[position] = node;
  Notes::set_position(*node.entry, static_cast<std::uint32_t>(position));
}

template <class Notes>
void DeadlineIndex<Notes>::sift_up(std::size_t position) noexcept {
  const Node node = heap_[position];
  while (position > 0) {
    const std::size_t parent = (position - 1) / 4;
    if (heap_[parent].deadline <= node.deadline) break;
    place(position, heap_[parent]);
    position = parent;
  }
  place(position, node);
}

template <class Notes>
void DeadlineIndex<Notes>::sift_down(std::size_t position) noexcept {
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

template <class Notes>
void DeadlineIndex<Notes>::set(Entry* entry, std::int64_t deadline) {
  Notes::note(*entry, deadline);
  std::size_t position = Notes::position(*entry);
  if (position == Entry::kNoPosition) {
    position = heap_.size();
    heap_.push_back({deadline, entry});
  } else {
    heap_[position] = {deadline, entry};
  }
  sift_up(position);
  sift_down(Notes::position(*entry));
}

template <class Notes>
void DeadlineIndex<Notes>::remove(Entry* entry) noexcept {
  const std::size_t position = Notes::position(*entry);
  if (position == Entry::kNoPosition) return;
  Notes::set_position(*entry, Entry::kNoPosition);
  const Node last = heap_.back();
  heap_.pop_back();
  if (position == heap_.size()) return;
  place(position, last);
  sift_up(position);
  sift_down(Notes::position(*last.entry));
}

template <class Notes>
void DeadlineIndex<Notes>::relocated(Entry* entry) noexcept {
  heap_[Notes::position(*entry)].entry = entry;
}

template <class Notes>
double DeadlineIndex<Notes>::average_deadline() const noexcept {
  // Every so-manieth place of the heap has its share of near and of far deadlines.
  constexpr std::size_t kSamples = 1000;
  const std::size_t step = heap_.size() / kSamples + 1;
  double sum = 0;
  std::size_t samples = 0;
  for (std::size_t i = 0; i < heap_.size(); i += step, ++samples) sum += static_cast<double>(heap_[i].deadline);
  return samples == 0 ? 0 : sum / static_cast<double>(samples);
}

template class DeadlineIndex<KeyDeadlines>;
template class DeadlineIndex<FieldDeadlines>;

}  // namespace fairlane::engine
