#include "fairlane/data/stream.hpp"

#include <algorithm>
#include <array>

#include "data/stream_block.hpp"
#include "fairlane/base/assert.hpp"

namespace fairlane::data {
namespace {

/// What redis-server lets a block be at most, whatever the options say.
constexpr std::size_t kLargestBlock = std::size_t{1} << 30;
/// Of a node of std::map or std::set, beside what it holds.
constexpr std::size_t kNode = 48;

constexpr std::size_t kIdBytes = 16;
using IdBytes = std::array<unsigned char, kIdBytes>;

IdBytes big_endian(StreamId id) noexcept {
  IdBytes bytes;
  for (std::size_t i = 0; i < 8; ++i) {
    bytes[i] = static_cast<unsigned char>(id.ms >> (56 - 8 * i));
    bytes[8 + i] = static_cast<unsigned char>(id.seq >> (56 - 8 * i));
  }
  return bytes;
}

/// Nodes of a radix tree of these sorted keys from this byte on: one for a run of bytes that all share, one for a
/// branching, one for each end.
std::size_t count_nodes(std::span<const IdBytes> keys, std::size_t depth) {
  if (depth == kIdBytes) return 1;
  std::size_t common = depth;
  while (common < kIdBytes && keys.front()[common] == keys.back()[common]) ++common;
  if (common > depth) return 1 + count_nodes(keys, common);
  std::size_t nodes = 1;
  for (std::size_t i = 0; i < keys.size();) {
    std::size_t j = i + 1;
    while (j < keys.size() && keys[j][depth] == keys[i][depth]) ++j;
    nodes += count_nodes(keys.subspan(i, j - i), depth + 1);
    i = j;
  }
  return nodes;
}

}  // namespace

// --- groups

StreamConsumer* StreamGroup::find(std::string_view name) noexcept {
  const auto found = consumers.find(name);
  return found == consumers.end() ? nullptr : found->second.get();
}

StreamConsumer& StreamGroup::consumer(std::string_view name, std::int64_t now, bool& created) {
  StreamConsumer* known = find(name);
  created = known == nullptr;
  if (!created) return *known;
  auto made = std::make_unique<StreamConsumer>(StreamConsumer{std::string(name), now, {}});
  return *consumers.emplace(std::string(name), std::move(made)).first->second;
}

PendingEntry& StreamGroup::give(StreamId id, StreamConsumer& consumer) {
  const auto [place, fresh] = pending.try_emplace(id, PendingEntry{&consumer, 0, 1});
  if (!fresh && place->second.consumer != &consumer) {
    place->second.consumer->pending.erase(id);
    place->second.consumer = &consumer;
  }
  consumer.pending.insert(id);
  return place->second;
}

bool StreamGroup::acknowledge(StreamId id) {
  const auto found = pending.find(id);
  if (found == pending.end()) return false;
  found->second.consumer->pending.erase(id);
  pending.erase(found);
  return true;
}

std::optional<std::size_t> StreamGroup::remove(std::string_view name) {
  const auto found = consumers.find(name);
  if (found == consumers.end()) return std::nullopt;
  const std::size_t count = found->second->pending.size();
  for (const StreamId id : found->second->pending) pending.erase(id);
  consumers.erase(found);
  return count;
}

// --- the stream

struct Stream::Root {
  std::map<StreamId, StreamBlockPointer> blocks;  // by the id of the first entry
  std::size_t size = 0;
  StreamId first_id;
  StreamId last_id;
  StreamId max_deleted_id;
  std::uint64_t entries_added = 0;
  Groups groups;
};

Stream::Stream() noexcept = default;
Stream::Stream(Stream&& other) noexcept : root_(std::exchange(other.root_, nullptr)) {}
Stream& Stream::operator=(Stream&& other) noexcept {
  std::swap(root_, other.root_);
  return *this;
}
Stream::~Stream() { delete root_; }

void Stream::make() {
  if (root_ == nullptr) root_ = new Root;
}

Stream Stream::clone() const {
  Stream copy;
  if (root_ == nullptr) return copy;
  copy.make();
  Root& to = *copy.root_;
  for (const auto& [id, block] : root_->blocks) to.blocks.emplace_hint(to.blocks.end(), id, block->clone());
  to.size = root_->size;
  to.first_id = root_->first_id;
  to.last_id = root_->last_id;
  to.max_deleted_id = root_->max_deleted_id;
  to.entries_added = root_->entries_added;
  for (const auto& [name, group] : root_->groups) {
    StreamGroup& twin = *copy.add_group(name, group.last_id, group.entries_read);
    bool created = false;
    for (const auto& [consumer_name, consumer] : group.consumers) twin.consumer(consumer_name, consumer->seen, created);
    for (const auto& [id, entry] : group.pending) {
      PendingEntry& given = twin.give(id, *twin.find(entry.consumer->name));
      given.delivered = entry.delivered;
      given.count = entry.count;
    }
  }
  return copy;
}

std::size_t Stream::size() const noexcept { return root_ == nullptr ? 0 : root_->size; }

std::size_t Stream::memory() const noexcept {
  if (root_ == nullptr) return 0;
  std::size_t bytes = sizeof(Root);
  for (const auto& [id, block] : root_->blocks) bytes += block->memory() + kNode + sizeof(id) + sizeof(block);
  for (const auto& [name, group] : root_->groups) {
    bytes +=
        kNode + name.size() + sizeof(group) + group.pending.size() * (kNode + sizeof(StreamId) + sizeof(PendingEntry));
    for (const auto& [consumer_name, consumer] : group.consumers) {
      bytes += 2 * (kNode + consumer_name.size()) + sizeof(StreamConsumer) +
               consumer->pending.size() * (kNode + sizeof(StreamId));
    }
  }
  return bytes;
}

StreamId Stream::last_id() const noexcept { return root_ == nullptr ? StreamId{} : root_->last_id; }
StreamId Stream::first_id() const noexcept { return root_ == nullptr ? StreamId{} : root_->first_id; }
StreamId Stream::max_deleted_id() const noexcept { return root_ == nullptr ? StreamId{} : root_->max_deleted_id; }
std::uint64_t Stream::entries_added() const noexcept { return root_ == nullptr ? 0 : root_->entries_added; }
void Stream::set_last_id(StreamId id) noexcept { root_->last_id = id; }
void Stream::set_max_deleted_id(StreamId id) noexcept { root_->max_deleted_id = id; }
void Stream::set_entries_added(std::uint64_t count) noexcept { root_->entries_added = count; }

void Stream::append(StreamId id, std::span<const std::string_view> words, const Limits& limits) {
  make();
  FAIRLANE_ASSERT(id > root_->last_id || root_->entries_added == 0);
  auto& blocks = root_->blocks;
  StreamBlockPointer* last = blocks.empty() ? nullptr : &blocks.rbegin()->second;
  if (last != nullptr) {
    std::size_t added = 0;
    for (const std::string_view word : words) added += word.size();
    const std::size_t most = limits.bytes == 0 ? kLargestBlock : std::min(limits.bytes, kLargestBlock);
    const StreamBlock& block = **last;
    const bool full = block.counted_bytes() + added >= most ||
                      (limits.entries != 0 && std::size_t{block.live()} + block.erased() >= limits.entries);
    if (full) {
      StreamBlock::shrink(*last);
      last = nullptr;
    }
  }
  if (last == nullptr) {
    blocks.emplace_hint(blocks.end(), id, StreamBlock::create(id, words));
  } else {
    StreamBlock::append(*last, id, words);
  }
  if (root_->size++ == 0) root_->first_id = id;
  root_->last_id = id;
  ++root_->entries_added;
}

/// The first entry that is left.
void Stream::note_first() {
  root_->first_id = {};
  if (root_->size == 0) return;
  for_each(StreamId::least(), StreamId::most(), [this](const StreamEntry& entry) {
    root_->first_id = entry.id;
    return false;
  });
}

bool Stream::erase(StreamId id) {
  if (root_ == nullptr) return false;
  auto place = root_->blocks.upper_bound(id);
  if (place == root_->blocks.begin()) return false;
  --place;
  if (!place->second->erase(id)) return false;
  if (place->second->live() == 0) root_->blocks.erase(place);
  --root_->size;
  if (id > root_->max_deleted_id) root_->max_deleted_id = id;
  if (id == root_->first_id) note_first();
  return true;
}

std::size_t Stream::trim_to_size(std::size_t most, bool whole_blocks, std::size_t limit) {
  std::size_t gone = 0;
  if (root_ == nullptr) return 0;
  auto& blocks = root_->blocks;
  while (root_->size > most && !blocks.empty()) {
    StreamBlock& block = *blocks.begin()->second;
    const std::size_t live = block.live();
    if (limit != 0 && gone + live > limit) break;
    if (root_->size - live >= most) {
      root_->size -= live;
      gone += live;
      blocks.erase(blocks.begin());
      continue;
    }
    if (whole_blocks) break;
    const std::size_t count = block.erase_oldest([this, most](StreamId) {
      if (root_->size <= most) return false;
      --root_->size;
      return true;
    });
    gone += count;
    break;
  }
  note_first();
  return gone;
}

std::size_t Stream::trim_to_id(StreamId least, bool whole_blocks, std::size_t limit) {
  std::size_t gone = 0;
  if (root_ == nullptr) return 0;
  auto& blocks = root_->blocks;
  while (!blocks.empty()) {
    StreamBlock& block = *blocks.begin()->second;
    const std::size_t live = block.live();
    if (limit != 0 && gone + live > limit) break;
    if (block.last_id() < least) {
      root_->size -= live;
      gone += live;
      blocks.erase(blocks.begin());
      continue;
    }
    if (whole_blocks) break;
    const std::size_t count = block.erase_oldest([least](StreamId id) { return id < least; });
    root_->size -= count;
    gone += count;
    if (block.live() == 0) blocks.erase(blocks.begin());
    break;
  }
  note_first();
  return gone;
}

void Stream::walk(StreamId first, StreamId last, bool reverse, const Visitor& visit) const {
  if (root_ == nullptr || root_->blocks.empty() || first > last) return;
  const auto& blocks = root_->blocks;
  if (!reverse) {
    auto place = blocks.upper_bound(first);
    if (place != blocks.begin()) --place;
    for (; place != blocks.end() && place->first <= last; ++place) {
      const StreamBlock& block = *place->second;
      for (std::uint32_t at = block.begin(); at != block.end();) {
        const StreamBlock::Place found = block.read(at);
        at = found.end;
        if (found.erased || found.entry.id < first) continue;
        if (found.entry.id > last || !visit(found.entry)) return;
      }
    }
    return;
  }
  std::vector<std::uint32_t> places;
  for (auto place = blocks.upper_bound(last); place != blocks.begin();) {
    --place;
    const StreamBlock& block = *place->second;
    if (block.last_id() < first) return;
    places.clear();
    for (std::uint32_t at = block.begin(); at != block.end();) {
      places.push_back(at);
      at = block.read(at).end;
    }
    for (auto at = places.rbegin(); at != places.rend(); ++at) {
      const StreamBlock::Place found = block.read(*at);
      if (found.erased || found.entry.id > last) continue;
      if (found.entry.id < first || !visit(found.entry)) return;
    }
  }
}

void Stream::walk_kept(void (*visit)(const void* object, const StreamEntry& entry, Kept kept),
                       const void* object) const {
  if (root_ == nullptr) return;
  for (const auto& [id, block] : root_->blocks) {
    for (std::uint32_t at = block->begin(); at != block->end();) {
      const StreamBlock::Place found = block->read(at);
      visit(object, found.entry, {at == block->begin(), found.erased});
      at = found.end;
    }
  }
}

void Stream::append_kept(StreamId id, std::span<const std::string_view> words, Kept kept) {
  auto& blocks = root_->blocks;
  std::uint32_t at = 0;
  if (kept.starts_block) {
    at = blocks.emplace_hint(blocks.end(), id, StreamBlock::create(id, words))->second->begin();
  } else {
    at = blocks.rbegin()->second->end();
    StreamBlock::append(blocks.rbegin()->second, id, words);
  }
  if (kept.erased) {
    blocks.rbegin()->second->mark_erased(at);
  } else if (root_->size++ == 0) {
    root_->first_id = id;
  }
}

bool Stream::contains(StreamId id) const {
  bool found = false;
  for_each(id, id, [&found](const StreamEntry&) {
    found = true;
    return false;
  });
  return found;
}

std::size_t Stream::blocks() const noexcept { return root_ == nullptr ? 0 : root_->blocks.size(); }

std::size_t Stream::tree_nodes() const {
  if (blocks() == 0) return 1;
  std::vector<IdBytes> keys;
  keys.reserve(root_->blocks.size());
  for (const auto& [id, block] : root_->blocks) keys.push_back(big_endian(id));
  return count_nodes(keys, 0);
}

const Stream::Groups& Stream::groups() const noexcept {
  static const Groups kNone;
  return root_ == nullptr ? kNone : root_->groups;
}

StreamGroup* Stream::find_group(std::string_view name) noexcept {
  if (root_ == nullptr) return nullptr;
  const auto found = root_->groups.find(name);
  return found == root_->groups.end() ? nullptr : &found->second;
}

StreamGroup* Stream::add_group(std::string_view name, StreamId last_id, std::int64_t entries_read) {
  const auto [place, fresh] = root_->groups.try_emplace(std::string(name));
  if (!fresh) return nullptr;
  place->second.last_id = last_id;
  place->second.entries_read = entries_read;
  return &place->second;
}

bool Stream::remove_group(std::string_view name) {
  const auto found = root_->groups.find(name);
  if (found == root_->groups.end()) return false;
  root_->groups.erase(found);
  return true;
}

bool Stream::erased_from(StreamId first) const noexcept {
  if (size() == 0 || root_->max_deleted_id.zero()) return false;
  return first <= root_->max_deleted_id && root_->first_id <= root_->max_deleted_id;
}

std::int64_t Stream::entries_up_to(StreamId id) const noexcept {
  if (root_ == nullptr || root_->entries_added == 0) return 0;
  const auto added = static_cast<std::int64_t>(root_->entries_added);
  const auto size = static_cast<std::int64_t>(root_->size);
  if (root_->size == 0 && id <= root_->last_id) return added;
  if (id == root_->last_id) return added;
  if (id > root_->last_id) return StreamGroup::kUnknown;
  const bool whole = root_->max_deleted_id.zero() || root_->max_deleted_id < root_->first_id;
  if (whole && id < root_->first_id) return added - size;
  if (whole && id == root_->first_id) return added - size + 1;
  return StreamGroup::kUnknown;
}

}  // namespace fairlane::data
