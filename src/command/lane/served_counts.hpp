#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "fairlane/base/hash.hpp"
#include "fairlane/data/table.hpp"

namespace fairlane::command {

/// How many jobs each lane of a queue was served since the server has known the queue, for those who ask whether the
/// shares are right. Kept beside the keys: a claim writes nothing more into them for it.
///
/// A lane costs one allocation. Whoever counts drops lanes that are over when the counts have become too many.
class ServedCounts {
 public:
  /// One look-up. The name may be any view.
  void add(std::string_view lane, std::uint64_t jobs) {
    const std::uint64_t hash = base::hash_bytes(lane);
    total_ += jobs;
    if (Count* count = counts_.find(lane, hash)) [[likely]] {
      count->jobs += jobs;
    } else {
      insert(lane, hash, jobs);
    }
  }
  std::uint64_t of(std::string_view lane) const noexcept {
    const Count* count = counts_.find(lane, base::hash_bytes(lane));
    return count == nullptr ? 0 : count->jobs;
  }
  /// The sum of all counts that are kept.
  std::uint64_t total() const noexcept { return total_; }
  std::size_t size() const noexcept { return counts_.size(); }

  /// Ask for the memory where a lane's count is looked for, and some time later for what is found there.
  void prefetch(std::uint64_t lane) const noexcept { counts_.prefetch(lane); }
  void prefetch_count(std::uint64_t lane) const noexcept { counts_.prefetch_entry(lane); }

  /// Keeps the counts of the lanes of which `keep(name)` is true. O(size()).
  template <class Keep>
  void drop_others(Keep&& keep) {
    std::vector<const Count*> over;
    counts_.for_each([&](const Count& count) {
      if (!keep(count.lane())) over.push_back(&count);
    });
    for (const Count* count : over) {
      total_ -= count->jobs;
      counts_.erase(count->lane(), base::hash_bytes(count->lane()));
    }
  }

 private:
  /// A lane in one allocation: this header, then the bytes of its name.
  struct Count {
    std::uint64_t jobs;
    std::uint32_t length;

    char* bytes() noexcept { return reinterpret_cast<char*>(this + 1); }
    std::string_view lane() const noexcept { return {reinterpret_cast<const char*>(this + 1), length}; }
  };
  struct Traits {
    using Entry = Count;
    static std::string_view key(const Count& count) noexcept { return count.lane(); }
    static void destroy(Count* count) noexcept;
  };
  void insert(std::string_view lane, std::uint64_t hash, std::uint64_t jobs);

  data::Table<Traits> counts_;
  std::uint64_t total_ = 0;
};

}  // namespace fairlane::command
