#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string_view>
#include <utility>

#include "fairlane/base/assert.hpp"
#include "fairlane/base/hash.hpp"
#include "fairlane/base/random.hpp"
#include "fairlane/data/bucket.hpp"
#include "fairlane/data/same_text.hpp"

namespace fairlane::data {

namespace detail {

constexpr std::uint64_t reverse_bits(std::uint64_t value) noexcept {
  value = ((value >> 1) & 0x5555555555555555ULL) | ((value & 0x5555555555555555ULL) << 1);
  value = ((value >> 2) & 0x3333333333333333ULL) | ((value & 0x3333333333333333ULL) << 2);
  value = ((value >> 4) & 0x0F0F0F0F0F0F0F0FULL) | ((value & 0x0F0F0F0F0F0F0F0FULL) << 4);
  return __builtin_bswap64(value);
}

/// The cursor after `cursor`, counting from the highest bit of `mask` down, so that a bucket's refinements at any
/// larger size follow each other. 0 after the last.
constexpr std::uint64_t next_cursor(std::uint64_t cursor, std::uint64_t mask) noexcept {
  return reverse_bits(reverse_bits(cursor | ~mask) + 1);
}

}  // namespace detail

/// A hash table of entries that it owns by pointer: a set of distinct keys. Traits say what an entry is:
///
///   using Entry = ...;                                            one allocation, stays where it is
///   static std::string_view key(const Entry&) noexcept;           never changes while the entry is in the table
///   static void destroy(Entry*) noexcept;
///
/// Every `hash` is base::hash_bytes(key): callers that have it at hand hash once.
///
/// The table grows and shrinks by linear hashing: a write that makes it too full splits one bucket in two, one that
/// leaves it too sparse joins two, and no write does more, so no operation ever pauses and a look-up has one place to
/// look in. Costs: find, insert and erase O(1), two cache misses; 64 bytes a bucket, some 13 to 14 bytes an entry at
/// any size above a few hundred (twice that after most entries left). An empty table owns no memory.
template <class Traits>
class Table {
 public:
  using Entry = typename Traits::Entry;

  Table() noexcept = default;
  Table(Table&& other) noexcept { take(other); }
  Table& operator=(Table&& other) noexcept {
    if (this != &other) {
      clear();
      take(other);
    }
    return *this;
  }
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;
  ~Table() { clear(); }

  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }

  /// Bytes of the table itself, without its entries and without sizeof(Table): what it has written to.
  std::size_t memory() const noexcept {
    if (count_ == 0) return 0;
    const std::size_t directory = directory_ == &only_ ? 0 : sizeof(Bucket*) * directory_capacity(segments());
    return directory + sizeof(Bucket) * (count_ + children_);
  }

  Entry* find(std::string_view key, std::uint64_t hash) const noexcept {
    if (count_ == 0) return nullptr;
    const std::uint64_t pattern = pattern_of(hash);
    for (const Bucket* bucket = bucket_of(hash);; bucket = bucket->child()) {
      for (std::uint64_t hits = bucket->matches(pattern); hits != 0; hits &= hits - 1) {
        Entry* entry = bucket->slots[slot_of(hits)].entry;
        if (same_text(Traits::key(*entry), key)) [[likely]]
          return entry;
      }
      if (!bucket->chained()) return nullptr;
    }
  }

  /// Where the table keeps the pointer to the entry, null when absent: the caller may put another entry of an equal key
  /// there (and then owns the old one). Valid until the next change.
  Entry** find_slot(std::string_view key, std::uint64_t hash) noexcept {
    if (count_ == 0) return nullptr;
    const Place place = locate(key, hash);
    return place.bucket == nullptr ? nullptr : &place.bucket->slots[place.slot].entry;
  }

  /// Takes the entry over. Its key must be absent.
  void insert(Entry* entry, std::uint64_t hash) {
    if (count_ == 0) add_first_bucket();
    append(bucket_of(hash), tag_of(hash), entry);
    ++size_;
    if (size_ * kMaxLoad.buckets > std::size_t{count_} * kMaxLoad.entries) split();
  }

  /// Hands the entry over to the caller; null when absent.
  Entry* extract(std::string_view key, std::uint64_t hash) {
    return extract_if(key, hash, [](Entry*&) { return true; });
  }
  /// The same when `wanted(entry)`, which is called for an entry that is there; else null. Until it answers, it may put
  /// another entry of an equal key in the place.
  template <class Wanted>
  Entry* extract_if(std::string_view key, std::uint64_t hash, Wanted&& wanted) {
    if (count_ == 0) return nullptr;
    const Place place = locate(key, hash);
    if (place.bucket == nullptr || !wanted(place.bucket->slots[place.slot].entry)) return nullptr;
    Entry* entry = place.bucket->slots[place.slot].entry;
    remove(place);
    --size_;
    if (size_ == 0) {
      clear();
    } else if (size_ * kMinLoad.buckets < std::size_t{count_} * kMinLoad.entries) {
      join();
    }
    return entry;
  }

  bool erase(std::string_view key, std::uint64_t hash) {
    Entry* entry = extract(key, hash);
    if (entry == nullptr) return false;
    Traits::destroy(entry);
    return true;
  }

  /// Destroys every entry and gives all memory back.
  void clear() noexcept {
    for (std::uint32_t index = 0; index < count_; ++index) clear_bucket(bucket_at(index));
    if (count_ != 0) {
      for (unsigned segment = segments(); segment-- > 0;) free_buckets(directory_[segment]);
    }
    if (directory_ != &only_) ::operator delete(directory_);
    forget();
  }

  void swap(Table& other) noexcept {
    Table mine(std::move(*this));
    *this = std::move(other);
    other = std::move(mine);
  }

  /// Asks for the bucket's cache line. A batch of look-ups calls this for every key, then prefetch_entry for every key,
  /// and then waits for no memory.
  void prefetch(std::uint64_t hash) const noexcept {
    if (count_ != 0) __builtin_prefetch(bucket_of(hash));
  }

  /// Asks for the first line of the entry that the bucket itself promises; best after prefetch.
  void prefetch_entry(std::uint64_t hash) const noexcept {
    if (count_ == 0) return;
    const Bucket* bucket = bucket_of(hash);
    const std::uint64_t hits = bucket->matches(pattern_of(hash));
    if (hits != 0) {
      __builtin_prefetch(bucket->slots[slot_of(hits)].entry);
    } else if (bucket->chained()) {
      __builtin_prefetch(bucket->child());
    }
  }

  /// What the first bucket promises: an entry of this hash, or by chance another one. When it has none but leads to a
  /// further bucket, the entry there is asked for, as prefetch_entry did with that bucket. Null when there is none yet.
  const Entry* likely(std::uint64_t hash) const noexcept {
    if (count_ == 0) return nullptr;
    const Bucket* bucket = bucket_of(hash);
    std::uint64_t hits = bucket->matches(pattern_of(hash));
    if (hits != 0) return bucket->slots[slot_of(hits)].entry;
    if (bucket->chained()) {
      bucket = bucket->child();
      hits = bucket->matches(pattern_of(hash));
      if (hits != 0) __builtin_prefetch(bucket->slots[slot_of(hits)].entry);
    }
    return nullptr;
  }

  /// visit(Entry&) for every entry, in no order. The table must not change meanwhile.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::uint32_t index = 0; index < count_; ++index) each_of(bucket_at(index), visit);
  }

  /// Visits what one cursor stands for, a bucket or the two it was split into, and returns the next cursor, 0 at the
  /// end. From cursor 0 back to 0 every entry that is there all the time is visited at least once, however the table
  /// grows or shrinks between the calls. The visitor must not change the table.
  template <class Visit>
  std::uint64_t scan(std::uint64_t cursor, Visit&& visit) const {
    if (count_ == 0) return 0;
    const std::uint32_t lower = static_cast<std::uint32_t>(cursor) & low_mask_;
    each_of(bucket_at(lower), visit);
    const std::uint64_t upper = std::uint64_t{lower} + low_mask_ + 1;
    if (upper < count_) each_of(bucket_at(static_cast<std::uint32_t>(upper)), visit);
    return detail::next_cursor(cursor, low_mask_);
  }

  /// Scans until about `count` entries were visited or the end is reached, but never through more than 10 * count
  /// cursors.
  template <class Visit>
  std::uint64_t scan_some(std::uint64_t cursor, std::size_t count, Visit&& visit) const {
    std::size_t visited = 0;
    const auto counted = [&](Entry& entry) {
      ++visited;
      visit(entry);
    };
    std::size_t steps = 0;
    do {
      cursor = scan(cursor, counted);
      ++steps;
    } while (cursor != 0 && visited < count && steps < 10 * count);
    return cursor;
  }

  /// Any entry, every one as likely as the next; null when empty. Expected O(1).
  Entry* random(base::Random& random) const noexcept {
    if (size_ == 0) return nullptr;
    for (;;) {
      // Drawing a place that may lie behind the end of the chain, and drawing again then, is what makes it fair.
      constexpr unsigned kPlaces = 3 * Bucket::kSlots;
      const Bucket* bucket = bucket_at(static_cast<std::uint32_t>(random.below(count_)));
      unsigned place = static_cast<unsigned>(random.below(kPlaces));
      while (place >= bucket->count() && bucket->chained()) {
        place -= bucket->count();
        bucket = bucket->child();
      }
      if (place < bucket->count()) return bucket->slots[place].entry;
    }
  }

 private:
  using Bucket = detail::Bucket<Entry>;
  struct Place {
    Bucket* parent;  // the bucket that chains to it, null for the first of a chain
    Bucket* bucket;  // null: not found
    unsigned slot;
  };
  struct Load {
    std::size_t entries;
    std::size_t buckets;
  };
  static constexpr Load kMaxLoad{13, 2};
  static constexpr Load kMinLoad{5, 2};

  // A tag comes from the bits of the hash that no bucket index reaches; 0 means empty.
  static std::uint64_t tag_of(std::uint64_t hash) noexcept { return hash >> 56 != 0 ? hash >> 56 : 1; }
  static std::uint64_t pattern_of(std::uint64_t hash) noexcept { return tag_of(hash) * 0x0001010101010101ULL; }
  static unsigned slot_of(std::uint64_t hits) noexcept { return static_cast<unsigned>(std::countr_zero(hits)) / 8; }

  std::uint32_t index_of(std::uint64_t hash) const noexcept {
    const std::uint32_t low = static_cast<std::uint32_t>(hash);
    const std::uint32_t wide = low & (2 * low_mask_ + 1);
    return wide < count_ ? wide : low & low_mask_;
  }
  Bucket* bucket_at(std::uint32_t index) const noexcept {
    const std::uint32_t position = index + 1;
    const unsigned segment = segment_of(position);
    return directory_[segment] + (position ^ (1U << segment));
  }
  Bucket* bucket_of(std::uint64_t hash) const noexcept { return bucket_at(index_of(hash)); }
  static unsigned segment_of(std::uint32_t position) noexcept {
    return 31U - static_cast<unsigned>(std::countl_zero(position));
  }
  unsigned segments() const noexcept { return segment_of(count_) + 1; }
  static unsigned directory_capacity(unsigned segments) noexcept { return segments <= 4 ? 4 : std::bit_ceil(segments); }

  static Bucket* allocate_buckets(std::size_t count) {
    return static_cast<Bucket*>(::operator new (count * sizeof(Bucket), std::align_val_t{alignof(Bucket)}));
  }
  static void free_buckets(Bucket* buckets) noexcept {
    ::operator delete (static_cast<void*>(buckets), std::align_val_t{alignof(Bucket)});
  }

  Place locate(std::string_view key, std::uint64_t hash) const noexcept {
    const std::uint64_t pattern = pattern_of(hash);
    Bucket* parent = nullptr;
    for (Bucket* bucket = bucket_of(hash);; bucket = bucket->child()) {
      for (std::uint64_t hits = bucket->matches(pattern); hits != 0; hits &= hits - 1) {
        const unsigned slot = slot_of(hits);
        if (same_text(Traits::key(*bucket->slots[slot].entry), key)) [[likely]]
          return {parent, bucket, slot};
      }
      if (!bucket->chained()) return {nullptr, nullptr, 0};
      parent = bucket;
    }
  }

  void append(Bucket* bucket, std::uint64_t tag, Entry* entry) {
    while (bucket->chained()) bucket = bucket->child();
    const unsigned slot = bucket->count();
    if (slot < Bucket::kSlots) {
      bucket->put(slot, tag, entry);
      return;
    }
    Bucket* child = new (allocate_buckets(1)) Bucket;
    ++children_;
    child->put(0, bucket->tag(slot - 1), bucket->slots[slot - 1].entry);
    child->put(1, tag, entry);
    bucket->chain(child);
  }

  /// The chain's last entry fills the hole; a child left with one entry gives it to its parent and goes.
  void remove(Place place) noexcept {
    Bucket* parent = place.parent;
    Bucket* last = place.bucket;
    while (last->chained()) {
      parent = last;
      last = last->child();
    }
    const unsigned tail = last->count() - 1;
    place.bucket->put(place.slot, last->tag(tail), last->slots[tail].entry);
    last->cut(tail);
    if (parent == nullptr || tail != 1) return;
    parent->head &= ~Bucket::kChained;
    parent->put(Bucket::kSlots - 1, last->tag(0), last->slots[0].entry);
    drop_child(last);
  }

  void drop_child(Bucket* child) noexcept {
    free_buckets(child);
    --children_;
  }

  template <class Visit>
  static void each_of(const Bucket* bucket, Visit& visit) {
    for (;; bucket = bucket->child()) {
      const unsigned count = bucket->count();
      for (unsigned slot = 0; slot < count; ++slot) visit(*bucket->slots[slot].entry);
      if (!bucket->chained()) return;
    }
  }

  /// Empties a chain into `take(tag, entry)`; only the first bucket stays, empty.
  template <class Take>
  void drain(Bucket* first, Take&& take) {
    Bucket old = *first;
    first->head = 0;
    Bucket* child = nullptr;
    for (Bucket* bucket = &old;;) {
      const unsigned count = bucket->count();
      for (unsigned slot = 0; slot < count; ++slot) take(bucket->tag(slot), bucket->slots[slot].entry);
      Bucket* next = bucket->chained() ? bucket->child() : nullptr;
      if (child != nullptr) drop_child(child);
      if (next == nullptr) return;
      child = bucket = next;
    }
  }

  void clear_bucket(Bucket* bucket) noexcept {
    drain(bucket, [](std::uint64_t, Entry* entry) { Traits::destroy(entry); });
  }

  void add_first_bucket() {
    only_ = new (allocate_buckets(1)) Bucket;
    count_ = 1;
  }

  /// A segment is twice as long as the one before it and stays as it comes: a bucket is written when it is first used,
  /// so a long segment neither takes time nor memory before.
  void add_segment(unsigned segment) {
    if (segment == 1 || (segment >= 4 && std::has_single_bit(segment))) {
      const unsigned capacity = directory_capacity(segment + 1);
      Bucket** larger = static_cast<Bucket**>(::operator new(capacity * sizeof(Bucket*)));
      for (unsigned i = 0; i < segment; ++i) larger[i] = directory_[i];
      if (directory_ != &only_) ::operator delete(directory_);
      directory_ = larger;
    }
    directory_[segment] = allocate_buckets(std::size_t{1} << segment);
  }

  void split() {
    FAIRLANE_ASSERT(count_ < 0x80000000U);
    const std::uint32_t width = low_mask_ + 1;
    if (std::has_single_bit(count_ + 1)) add_segment(segment_of(count_ + 1));
    Bucket* lower = bucket_at(count_ - width);
    Bucket* upper = new (bucket_at(count_)) Bucket;
    ++count_;
    if (count_ == 2 * width) low_mask_ = 2 * low_mask_ + 1;
    // Where an entry belongs is known from its key alone: ask for all of them before looking at the first.
    each_of(lower, prefetch_one);
    drain(lower, [&](std::uint64_t tag, Entry* entry) {
      const bool moves = (base::hash_bytes(Traits::key(*entry)) & width) != 0;
      append(moves ? upper : lower, tag, entry);
    });
    // The entries of the bucket that will be split next have until then to come.
    each_of(bucket_at(count_ - low_mask_ - 1), prefetch_one);
  }

  void join() {
    if (count_ == 1) return;
    --count_;
    if (count_ == low_mask_) low_mask_ >>= 1;
    Bucket* upper = bucket_at(count_);
    Bucket* lower = bucket_at(count_ - low_mask_ - 1);
    drain(upper, [&](std::uint64_t tag, Entry* entry) { append(lower, tag, entry); });
    const unsigned segment = segment_of(count_ + 1);
    if (!std::has_single_bit(count_ + 1)) return;
    free_buckets(directory_[segment]);
    if (segment == 1) {
      only_ = directory_[0];
      ::operator delete(directory_);
      directory_ = &only_;
    }
  }

  static void prefetch_one(const Entry& entry) noexcept { __builtin_prefetch(&entry); }

  void take(Table& other) noexcept {
    only_ = other.only_;
    directory_ = other.directory_ == &other.only_ ? &only_ : other.directory_;
    size_ = other.size_;
    count_ = other.count_;
    low_mask_ = other.low_mask_;
    children_ = other.children_;
    other.forget();
  }

  void forget() noexcept {
    only_ = nullptr;
    directory_ = &only_;
    size_ = 0;
    count_ = low_mask_ = children_ = 0;
  }

  // Buckets 0 .. count_-1 lie in segments of 1, 2, 4, ... buckets. low_mask_ + 1 is the largest power of two that is at
  // most count_; bucket i of the lower ones with i + low_mask_ + 1 < count_ has been split. Every bucket of a chain but
  // the last is full, and the last but for the first of a chain holds two entries or more.
  Bucket** directory_ = &only_;
  Bucket* only_ = nullptr;  // the one segment of a small table, which needs no directory
  std::size_t size_ = 0;
  std::uint32_t count_ = 0;
  std::uint32_t low_mask_ = 0;
  std::uint32_t children_ = 0;
};

}  // namespace fairlane::data
