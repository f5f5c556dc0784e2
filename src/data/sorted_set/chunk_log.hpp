#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/sorted_set/chunk.hpp"
#include "fairlane/base/assert.hpp"

namespace fairlane::data::ordered {

/// The chunks of a uniform set by age: what a scan walks. Numbers only grow, and members only ever move into a chunk
/// with a greater or the same number (a split fills a new chunk, a merge keeps the greater number), so that a scan in
/// the order of the numbers cannot miss a member, whatever changes between its calls.
class ChunkLog {
 public:
  void add(Chunk* chunk) {
    chunk->id = next_++;
    entries_.push_back({chunk->id, chunk});
  }

  void remove(const Chunk* chunk) noexcept {
    entry(chunk->id)->chunk = nullptr;
    ++holes_;
    while (oldest_ < entries_.size() && entries_[oldest_].chunk == nullptr) {
      ++oldest_;
      --holes_;
    }
    if (oldest_ + holes_ > 16 && (oldest_ + holes_) * 2 > entries_.size()) compact();
  }

  /// After the merge of two chunks: `kept` has the members of both and takes the greater number, `gone` the other.
  void merged(Chunk* kept, Chunk* gone) noexcept {
    if (kept->id > gone->id) return;
    std::swap(entry(kept->id)->chunk, entry(gone->id)->chunk);
    std::swap(kept->id, gone->id);
  }

  /// The oldest chunk with a number of at least `number`, or nullptr.
  const Chunk* at_least(std::uint64_t number) const noexcept {
    for (auto at = lower_bound(number); at != entries_.end(); ++at) {
      if (at->chunk != nullptr) return at->chunk;
    }
    return nullptr;
  }

  std::size_t memory() const noexcept { return sizeof *this + entries_.capacity() * sizeof(Entry); }

 private:
  struct Entry {
    std::uint64_t number;
    Chunk* chunk;
  };

  std::vector<Entry>::const_iterator lower_bound(std::uint64_t number) const noexcept {
    return std::lower_bound(entries_.begin() + static_cast<std::ptrdiff_t>(oldest_), entries_.end(), number,
                            [](const Entry& entry, std::uint64_t wanted) { return entry.number < wanted; });
  }
  Entry* entry(std::uint64_t number) noexcept {
    const auto at = lower_bound(number);
    FAIRLANE_ASSERT(at != entries_.end() && at->number == number);
    return &entries_[static_cast<std::size_t>(at - entries_.begin())];
  }
  void compact() noexcept {
    std::erase_if(entries_, [](const Entry& entry) { return entry.chunk == nullptr; });
    oldest_ = 0;
    holes_ = 0;
  }

  std::vector<Entry> entries_;  // ascending numbers; removed chunks leave nullptr until most are
  std::size_t oldest_ = 0;      // before it only nullptr
  std::size_t holes_ = 0;       // nullptr from there on
  std::uint64_t next_ = 1;
};

}  // namespace fairlane::data::ordered
