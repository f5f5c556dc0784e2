#include "data/sorted_set/member_index.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "fairlane/base/assert.hpp"
#include "fairlane/base/hash.hpp"

namespace fairlane::data::ordered {

namespace {
constexpr std::size_t kExpectedFill = 300;  // members a segment when the final number is known
constexpr std::uint64_t kMaxChunks = std::uint64_t{1} << 26;
}  // namespace

MemberIndex::MemberIndex(std::size_t expected) {
  const std::size_t wanted = expected / kExpectedFill;
  depth_ = std::max(1U, static_cast<unsigned>(std::bit_width(wanted)));
  directory_.resize(std::size_t{1} << depth_);
  if (wanted == 0) {
    std::fill(directory_.begin(), directory_.end(), new Segment);
    segments_ = 1;
    return;
  }
  for (Segment*& segment : directory_) {
    segment = new Segment;
    segment->depth = depth_;
  }
  segments_ = directory_.size();
}

MemberIndex::~MemberIndex() {
  const Segment* previous = nullptr;
  for (const Segment* segment : directory_) {
    if (segment == previous) continue;
    delete previous;
    previous = segment;
  }
  delete previous;
}

void MemberIndex::add_chunk(Chunk* chunk) {
  if (free_numbers_.empty()) {
    FAIRLANE_ASSERT(chunks_.size() < kMaxChunks);
    chunk->id = chunks_.size();
    chunks_.push_back(chunk);
    return;
  }
  chunk->id = free_numbers_.back();
  free_numbers_.pop_back();
  chunks_[chunk->id] = chunk;
}

void MemberIndex::remove_chunk(const Chunk* chunk) noexcept {
  chunks_[chunk->id] = nullptr;
  free_numbers_.push_back(static_cast<std::uint32_t>(chunk->id));
}

void MemberIndex::place(Segment& segment, std::uint64_t hash, std::uint32_t word) noexcept {
  std::size_t at = home(segment, hash);
  while (segment.words[at] > kBuried) at = following(at);
  if (segment.words[at] == kFree) ++segment.used;
  segment.words[at] = word;
  ++segment.live;
}

std::uint32_t* MemberIndex::locate(Segment& segment, std::uint64_t hash, std::uint32_t word) noexcept {
  std::size_t at = home(segment, hash);
  while (segment.words[at] != word) {
    FAIRLANE_ASSERT(segment.words[at] != kFree);
    at = following(at);
  }
  return &segment.words[at];
}

void MemberIndex::insert(std::uint64_t hash, std::uint64_t chunk) noexcept {
  place(segment_of(hash), hash, word_of(hash, chunk));
}

void MemberIndex::erase(std::uint64_t hash, std::uint64_t chunk) noexcept {
  Segment& segment = segment_of(hash);
  std::uint32_t* const word = locate(segment, hash, word_of(hash, chunk));
  --segment.live;
  auto at = static_cast<std::size_t>(word - segment.words);
  if (segment.words[following(at)] != kFree) {
    *word = kBuried;
    return;
  }
  // Nobody's way leads past this word, nor past the buried ones right before it.
  segment.words[at] = kFree;
  --segment.used;
  for (at = at == 0 ? kWords - 1 : at - 1; segment.words[at] == kBuried; at = at == 0 ? kWords - 1 : at - 1) {
    segment.words[at] = kFree;
    --segment.used;
  }
}

void MemberIndex::relocate(std::uint64_t hash, std::uint64_t from, std::uint64_t to) noexcept {
  *locate(segment_of(hash), hash, word_of(hash, from)) = word_of(hash, to);
}

std::size_t MemberIndex::resolve(const Segment& segment, Resolved* resolved) const noexcept {
  std::array<std::uint32_t, kWords> words;
  auto end = std::copy_if(std::begin(segment.words), std::end(segment.words), words.begin(),
                          [](std::uint32_t word) { return word > kBuried; });
  std::sort(words.begin(), end);
  end = std::unique(words.begin(), end);
  std::size_t found = 0;
  for (auto word = words.begin(); word != end; ++word) {
    const Chunk* const chunk = chunks_[*word >> kTagBits];
    const std::uint8_t* const tags = tags_of(chunk) + chunk->begin;
    for (std::size_t index = 0; index < chunk->count; ++index) {
      if ((tags[index] & kTagMask) != (*word & kTagMask)) continue;
      const std::uint64_t hash = base::hash_bytes(slot_at<ScoredSlot>(chunk, index).member.view());
      if (&segment_of(hash) != &segment) continue;
      FAIRLANE_ASSERT(found < kWords);
      resolved[found++] = {hash, *word};
    }
  }
  FAIRLANE_ASSERT(found == segment.live);
  return found;
}

void MemberIndex::make_room(std::uint64_t hash) {
  std::array<Resolved, kWords> resolved;
  Segment& segment = segment_of(hash);
  const std::size_t count = resolve(segment, resolved.data());
  if (count >= kSplitFrom) split(hash);
  const std::uint64_t depth = segment.depth;
  segment = Segment{};
  segment.depth = static_cast<std::uint32_t>(depth);
  for (std::size_t i = 0; i < count; ++i) {
    place(segment_of(resolved[i].hash), resolved[i].hash, resolved[i].word);
  }
}

/// Gives the upper half of the hashes of a segment a new segment; the words are still to be placed.
void MemberIndex::split(std::uint64_t hash) {
  Segment& segment = segment_of(hash);
  if (segment.depth == depth_) {
    std::vector<Segment*> doubled(directory_.size() * 2);
    for (std::size_t i = 0; i < doubled.size(); ++i) doubled[i] = directory_[i / 2];
    directory_ = std::move(doubled);
    ++depth_;
  }
  auto* const upper = new Segment;
  ++segments_;
  const std::size_t places = std::size_t{1} << (depth_ - segment.depth);
  const std::size_t first = static_cast<std::size_t>(top_bits(hash, segment.depth)) * places;
  for (std::size_t i = first + places / 2; i < first + places; ++i) directory_[i] = upper;
  ++segment.depth;
  upper->depth = segment.depth;
}

std::size_t MemberIndex::memory() const noexcept {
  return sizeof *this + segments_ * sizeof(Segment) + directory_.capacity() * sizeof(void*) +
         chunks_.capacity() * sizeof(void*) + free_numbers_.capacity() * sizeof(std::uint32_t);
}

std::size_t MemberIndex::live() const noexcept {
  std::size_t total = 0;
  const Segment* previous = nullptr;
  for (const Segment* segment : directory_) {
    if (segment != previous) total += segment->live;
    previous = segment;
  }
  return total;
}

}  // namespace fairlane::data::ordered
