#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fairlane/engine/entry.hpp"

namespace fairlane::engine {

/// How an index of keys by their own deadline keeps its notes in the entry, which has room for them.
struct KeyDeadlines {
  static void note(Entry& entry, std::int64_t deadline) noexcept { entry.set_deadline(deadline); }
  static std::uint32_t position(const Entry& entry) noexcept { return entry.expiry_position(); }
  static void set_position(Entry& entry, std::uint32_t position) noexcept { entry.set_expiry_position(position); }
};

/// The same for hashes by the nearest deadline of a field, which they know themselves.
struct FieldDeadlines {
  static void note(Entry& /*entry*/, std::int64_t /*deadline*/) noexcept {}
  static std::uint32_t position(const Entry& entry) noexcept { return entry.value<data::Hash>().index_position(); }
  static void set_position(Entry& entry, std::uint32_t position) noexcept {
    entry.value<data::Hash>().set_index_position(position);
  }
};

/// The entries that have a deadline, nearest first: a heap of four children a node. Entries know their place in it, so
/// a change costs O(log n) and no search.
template <class Notes>
class DeadlineIndex {
 public:
  /// The entry is added or moved.
  void set(Entry* entry, std::int64_t deadline);
  /// The entry was in the index, or has no place in any.
  void remove(Entry* entry) noexcept;
  /// An entry that was in the index lives at another address now.
  void relocated(Entry* entry) noexcept;
  void clear() noexcept { heap_.clear(); }

  std::size_t size() const noexcept { return heap_.size(); }
  std::size_t memory() const noexcept { return heap_.capacity() * sizeof(Node); }
  /// One of them, in the order of the heap.
  Entry* at(std::size_t position) const noexcept { return heap_[position].entry; }
  Entry* nearest() const noexcept { return heap_.empty() ? nullptr : heap_.front().entry; }
  std::optional<std::int64_t> nearest_deadline() const noexcept {
    return heap_.empty() ? std::nullopt : std::optional(heap_.front().deadline);
  }
  /// The average that INFO reports, from a sample when there are many.
  double average_deadline() const noexcept;

 private:
  struct Node {
    std::int64_t deadline;
    Entry* entry;
  };
  void place(std::size_t position, Node node) noexcept;
  void sift_up(std::size_t position) noexcept;
  void sift_down(std::size_t position) noexcept;

  std::vector<Node> heap_;
};

using ExpiryIndex = DeadlineIndex<KeyDeadlines>;
using FieldExpiryIndex = DeadlineIndex<FieldDeadlines>;

}  // namespace fairlane::engine
