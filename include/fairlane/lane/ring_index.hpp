#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fairlane/data/list.hpp"
#include "fairlane/data/table.hpp"

namespace fairlane::lane {

/// Versions for lists that no list reaches by counting from another one of them or from 0, so that a list which took
/// the place of a known one is never mistaken for it. One object serves all indexes that may ever see the same lists.
class VersionStamps {
 public:
  std::uint64_t next() noexcept { return ++count_ << kChangesBits; }

 private:
  static constexpr unsigned kChangesBits = 36;
  std::uint64_t count_ = 0;
};

namespace detail {

/// A lane of the ring in one allocation: this header, then the bytes of its name.
struct RingEntry {
  data::ChunkRef chunk;
  std::uint32_t length;

  char* bytes() noexcept { return reinterpret_cast<char*>(this + 1); }
  std::string_view name() const noexcept { return {reinterpret_cast<const char*>(this + 1), length}; }
};

struct RingTraits {
  using Entry = RingEntry;
  static std::string_view key(const RingEntry& entry) noexcept { return entry.name(); }
  static void destroy(RingEntry* entry) noexcept;
};

}  // namespace detail

/// Finds the lanes of a ring without a scan: an index beside an ordinary list that anybody may change. It recognises by
/// the list's version that somebody else did, and is then built anew when it is next needed, O(lanes).
///
/// Every function takes the list, always that of the same queue. attach() comes first in every unit of work and after
/// every change by others; from then on the list changes through the index alone. Costs O(1) but for a rebuild.
class RingIndex {
 public:
  explicit RingIndex(VersionStamps& stamps) noexcept : stamps_(&stamps) {}

  /// Is what the index knows still true of this list?
  bool knows(const data::List& ring) const noexcept {
    return ring.empty() ? lanes_.empty() : built_ && version_ != kOfEmptyList && ring.version() == version_;
  }
  /// Forgets everything unless the index knows the list.
  void attach(const data::List& ring) noexcept {
    if (!knows(ring)) [[unlikely]]
      forget();
    if (ring.empty()) built_ = true;
  }

  /// A rebuild takes second mentions of a lane out of the list, as a ring holds a lane once; `changed` is set then.
  bool contains(data::List& ring, std::string_view name, bool& changed) {
    if (!built_) [[unlikely]]
      changed |= build(ring);
    return find(name) != nullptr;
  }
  /// The lane is not in the ring, as contains() told.
  void append(data::List& ring, std::string_view name);
  /// The lane is in the ring, as contains() told.
  void remove(data::List& ring, std::string_view name);
  /// The ring is not empty: its head goes to the tail, or leaves.
  void rotate(data::List& ring);
  void drop_head(data::List& ring);

  /// Ask for the memory where a lane's name is looked for, and some time later for what is found there.
  void prefetch(std::uint64_t hash) const noexcept { lanes_.prefetch(hash); }
  void prefetch_entry(std::uint64_t hash) const noexcept { lanes_.prefetch_entry(hash); }

  /// Lanes known; 0 before the first rebuild.
  std::size_t size() const noexcept { return lanes_.size(); }
  std::size_t memory() const noexcept { return lanes_.memory(); }

 private:
  detail::RingEntry* find(std::string_view name) const noexcept { return lanes_.find(name, base::hash_bytes(name)); }
  bool build(data::List& ring);
  void add(std::string_view name, std::uint64_t hash, data::ChunkRef chunk);
  void forget() noexcept;

  // What an empty list answers, but also a copy of any list: no version to know a list by.
  static constexpr std::uint64_t kOfEmptyList = 0;

  VersionStamps* stamps_;
  data::Table<detail::RingTraits> lanes_;
  std::uint64_t version_ = 0;  // of the list when the index was last true of it
  bool built_ = false;
};

}  // namespace fairlane::lane
