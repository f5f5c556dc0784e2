#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/sorted_set/chunk.hpp"

namespace fairlane::data::ordered {

/// Where a member of a scored set lies: member -> chunk. Extendible hashing: a directory indexed by the top bits of the
/// hash points to segments of 2 KB, each an open-addressing table of 4-byte words (chunk number, 6 bits of the hash). A
/// full segment splits alone, so no single change pays for the whole set. The words do not hold the hash: to split, it
/// is read again from the members, found in their chunks by tag.
///
/// Words of one value are interchangeable: with linear probing, whichever is found first on a member's way may be
/// changed or buried for it, the others stay reachable for their members.
///
/// Room for 2^26 chunks, more than 10^9 members.
class MemberIndex {
 public:
  struct Spot {
    Chunk* chunk = nullptr;
    std::size_t index = 0;
  };

  /// Sized for about `expected` members.
  explicit MemberIndex(std::size_t expected);
  ~MemberIndex();
  MemberIndex(const MemberIndex&) = delete;
  MemberIndex& operator=(const MemberIndex&) = delete;

  void add_chunk(Chunk* chunk);
  void remove_chunk(const Chunk* chunk) noexcept;

  /// The member's place; chunk is nullptr when it is not there.
  Spot find(std::uint64_t hash, const MemberKey& key) const noexcept {
    const Segment& segment = segment_of(hash);
    const std::uint32_t tag = word_tag(hash);
    for (std::size_t at = home(segment, hash);; at = following(at)) {
      const std::uint32_t word = segment.words[at];
      if (word == kFree) return {};
      if ((word & kTagMask) != tag || word == kBuried) continue;
      Chunk* const chunk = chunks_[word >> kTagBits];
      __builtin_prefetch(reinterpret_cast<const std::byte*>(chunk) + 64);
      const std::size_t index = find_tagged(chunk, key, tag_of(hash));
      if (index < chunk->count) return {chunk, index};
    }
  }

  /// Makes room for one insert() of this hash. Called while words and chunks agree, before the slot is placed.
  void prepare(std::uint64_t hash) {
    while (segment_of(hash).used >= kMaxUsed) make_room(hash);
  }
  void insert(std::uint64_t hash, std::uint64_t chunk) noexcept;
  void erase(std::uint64_t hash, std::uint64_t chunk) noexcept;
  /// The member moved between chunks.
  void relocate(std::uint64_t hash, std::uint64_t from, std::uint64_t to) noexcept;

  /// Visits the members with hashes from `bound` on in steps of a few, until `count` were visited. Returns where to go
  /// on, with the low 12 bits zero, or 0 at the end. A member's hash never changes, so nothing is missed between calls.
  template <class Visit>
  std::uint64_t scan(std::uint64_t bound, std::size_t count, Visit visit) const;

  std::size_t memory() const noexcept;
  /// Words that stand for members.
  std::size_t live() const noexcept;

 private:
  static constexpr unsigned kTagBits = 6;
  static constexpr std::uint32_t kTagMask = (1U << kTagBits) - 1;
  static constexpr std::uint32_t kFree = 0;
  static constexpr std::uint32_t kBuried = 1;  // chunk numbers start at 1, so no member's word is below 64
  static constexpr std::size_t kWords = 510;
  static constexpr std::size_t kMaxUsed = 446;    // seven in eight
  static constexpr std::size_t kSplitFrom = 300;  // with fewer members a full segment is only cleared of the buried
  static constexpr unsigned kScanSteps = 5;       // log2 of the steps a segment is scanned in

  struct Segment {
    std::uint16_t used = 0;  // live and buried
    std::uint16_t live = 0;
    std::uint32_t depth = 0;  // bits of the directory that all hashes here share
    std::uint32_t words[kWords] = {};
  };
  static_assert(sizeof(Segment) == 2048);
  struct Resolved {
    std::uint64_t hash;
    std::uint32_t word;
  };

  static std::uint64_t top_bits(std::uint64_t hash, unsigned bits) noexcept {
    return bits == 0 ? 0 : hash >> (64 - bits);
  }
  static std::uint32_t word_tag(std::uint64_t hash) noexcept { return static_cast<std::uint32_t>(hash) & kTagMask; }
  static std::uint32_t word_of(std::uint64_t hash, std::uint64_t chunk) noexcept {
    return static_cast<std::uint32_t>(chunk) << kTagBits | word_tag(hash);
  }
  /// Grows with the hash inside a segment, which scan() relies on.
  static std::size_t home(const Segment& segment, std::uint64_t hash) noexcept {
    return static_cast<std::size_t>(((hash << segment.depth) >> 32) * kWords >> 32);
  }
  static std::size_t following(std::size_t at) noexcept { return at + 1 == kWords ? 0 : at + 1; }
  static std::uint32_t* locate(Segment& segment, std::uint64_t hash, std::uint32_t word) noexcept;
  static void place(Segment& segment, std::uint64_t hash, std::uint32_t word) noexcept;

  Segment& segment_of(std::uint64_t hash) const noexcept { return *directory_[hash >> (64 - depth_)]; }
  template <class Visit>
  std::size_t scan_word(std::uint32_t word, std::uint64_t from, std::uint64_t last, Visit& visit) const;
  void make_room(std::uint64_t hash);
  std::size_t resolve(const Segment& segment, Resolved* resolved) const noexcept;
  void split(std::uint64_t hash);

  std::vector<Segment*> directory_;  // 2^depth_; a segment stands in 2^(depth_ - its depth) neighbouring places
  unsigned depth_ = 1;
  std::size_t segments_ = 0;
  std::vector<Chunk*> chunks_{nullptr};        // by number; 0 is nobody
  std::vector<std::uint32_t> free_numbers_{};  // of removed chunks
};

template <class Visit>
std::size_t MemberIndex::scan_word(std::uint32_t word, std::uint64_t from, std::uint64_t last, Visit& visit) const {
  std::size_t visited = 0;
  const Chunk* const chunk = chunks_[word >> kTagBits];
  for (std::size_t index = 0; index < chunk->count; ++index) {
    if ((tags_of(chunk)[chunk->begin + index] & kTagMask) != (word & kTagMask)) continue;
    const ScoredSlot& slot = slot_at<ScoredSlot>(chunk, index);
    const std::uint64_t hash = base::hash_bytes(slot.member.view());
    if (hash < from || hash > last) continue;
    visit(slot);
    ++visited;
  }
  return visited;
}

template <class Visit>
std::uint64_t MemberIndex::scan(std::uint64_t bound, std::size_t count, Visit visit) const {
  std::size_t visited = 0;
  while (true) {
    const Segment& segment = segment_of(bound);
    const std::uint64_t last = bound | ((std::uint64_t{1} << (64 - segment.depth - kScanSteps)) - 1);
    const std::size_t from = home(segment, bound);
    const std::size_t must_reach = home(segment, last) - from;
    std::array<std::uint32_t, kWords> seen;
    auto seen_end = seen.begin();
    for (std::size_t passed = 0, at = from; passed < kWords; ++passed, at = following(at)) {
      const std::uint32_t word = segment.words[at];
      if (word == kFree && passed >= must_reach) break;
      if (word <= kBuried || std::find(seen.begin(), seen_end, word) != seen_end) continue;
      *seen_end++ = word;
      visited += scan_word(word, bound, last, visit);
    }
    bound = last + 1;
    if (bound == 0 || visited >= count) return bound;
  }
}

}  // namespace fairlane::data::ordered
