#include "fairlane/lane/ring_index.hpp"

#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "fairlane/base/assert.hpp"
#include "fairlane/base/hash.hpp"

namespace fairlane::lane {

using detail::RingEntry;

void detail::RingTraits::destroy(RingEntry* entry) noexcept { std::free(entry); }

void RingIndex::add(std::string_view name, std::uint64_t hash, data::ChunkRef chunk) {
  void* memory = std::malloc(sizeof(RingEntry) + name.size());
  if (memory == nullptr) throw std::bad_alloc();
  auto* entry = new (memory) RingEntry{chunk, static_cast<std::uint32_t>(name.size())};
  if (!name.empty()) std::memcpy(entry->bytes(), name.data(), name.size());
  lanes_.insert(entry, hash);
}

void RingIndex::forget() noexcept {
  lanes_.clear();
  built_ = false;
}

bool RingIndex::build(data::List& ring) {
  FAIRLANE_ASSERT(lanes_.empty());
  for (data::ListCursor cursor = ring.cursor_at(0); cursor.valid(); cursor.next()) {
    const std::uint64_t hash = base::hash_bytes(cursor.value());
    if (lanes_.find(cursor.value(), hash) == nullptr) add(cursor.value(), hash, cursor.chunk());
  }
  built_ = true;
  const bool repeats = lanes_.size() != ring.size();
  if (repeats) {
    data::List once;
    lanes_.clear();
    for (data::ListCursor cursor = ring.cursor_at(0); cursor.valid(); cursor.next()) {
      const std::uint64_t hash = base::hash_bytes(cursor.value());
      if (lanes_.find(cursor.value(), hash) != nullptr) continue;
      add(cursor.value(), hash, once.push_back_tracked(cursor.value()));
    }
    ring = std::move(once);
  }
  version_ = stamps_->next();
  if (!ring.empty()) ring.set_version(version_);
  return repeats;
}

void RingIndex::append(data::List& ring, std::string_view name) {
  FAIRLANE_ASSERT(built_);
  const bool first = ring.empty();
  add(name, base::hash_bytes(name), ring.push_back_tracked(name));
  if (first) ring.set_version(stamps_->next());
  version_ = ring.version();
}

void RingIndex::remove(data::List& ring, std::string_view name) {
  FAIRLANE_ASSERT(built_);
  RingEntry* entry = lanes_.extract(name, base::hash_bytes(name));
  FAIRLANE_ASSERT(entry != nullptr);
  const bool removed = ring.erase_in_chunk(entry->chunk, name);
  FAIRLANE_ASSERT(removed);
  detail::RingTraits::destroy(entry);
  version_ = ring.version();
}

void RingIndex::rotate(data::List& ring) {
  const data::ChunkRef from = ring.head_chunk();
  const data::ChunkRef to = ring.rotate(data::Direction::forward);
  if (!built_) return;
  version_ = ring.version();
  if (from == to) return;
  RingEntry* entry = find(ring.back());
  FAIRLANE_ASSERT(entry != nullptr);
  entry->chunk = to;
}

void RingIndex::drop_head(data::List& ring) {
  ring.pop_front([this](std::string_view name) {
    if (built_) lanes_.erase(name, base::hash_bytes(name));
  });
  if (built_) version_ = ring.version();
}

}  // namespace fairlane::lane
