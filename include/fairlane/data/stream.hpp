#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fairlane/base/number.hpp"

namespace fairlane::data {

/// What orders the entries of a stream: milliseconds since 1970, and a number within them.
struct StreamId {
  std::uint64_t ms = 0;
  std::uint64_t seq = 0;

  auto operator<=>(const StreamId&) const = default;
  bool zero() const noexcept { return ms == 0 && seq == 0; }
  static constexpr StreamId least() noexcept { return {0, 0}; }
  static constexpr StreamId most() noexcept { return {UINT64_MAX, UINT64_MAX}; }
  /// The neighbours; false when there is none.
  bool increment() noexcept;
  bool decrement() noexcept;
};

/// One entry while it is looked at. Good until the stream changes.
class StreamEntry {
 public:
  StreamId id;

  std::size_t fields() const noexcept { return fields_; }
  /// Are the names those of the first entry of its block, erased or not?
  bool names_of_block() const noexcept { return names_ != nullptr; }
  /// visit(name, value) for each field in its order; the two are good during the visit.
  template <class F>
  void for_each_field(F&& visit) const {
    Digits of_name;
    Digits of_value;
    const char* names = names_;
    const char* at = values_;
    for (std::size_t i = 0; i < fields_; ++i) {
      const std::string_view name = take(names != nullptr ? names : at, of_name);
      visit(name, take(at, of_value));
    }
  }

 private:
  friend class StreamBlock;
  /// Room for a text that is kept as a number.
  using Digits = std::array<char, base::kIntegerChars>;
  static std::string_view take(const char*& at, Digits& digits) noexcept;

  std::size_t fields_ = 0;
  const char* names_ = nullptr;  // those of the block's first entry; null: each stands before its value
  const char* values_ = nullptr;
};

class StreamBlock;
struct StreamBlockDeleter {
  void operator()(StreamBlock* block) const noexcept;
};
using StreamBlockPointer = std::unique_ptr<StreamBlock, StreamBlockDeleter>;

/// An entry that a consumer was given and has not acknowledged.
struct PendingEntry {
  struct StreamConsumer* consumer;
  std::int64_t delivered;  ///< milliseconds since 1970
  std::uint64_t count;     ///< deliveries
};

struct StreamConsumer {
  std::string name;
  std::int64_t seen;  ///< milliseconds since 1970
  std::set<StreamId> pending;
};

/// A group of consumers that share a stream's entries. Consumers stay where they are while they live.
struct StreamGroup {
  static constexpr std::int64_t kUnknown = -1;

  StreamId last_id;                      ///< that was given to anybody
  std::int64_t entries_read = kUnknown;  ///< of all that were ever added
  std::map<StreamId, PendingEntry> pending;
  std::map<std::string, std::unique_ptr<StreamConsumer>, std::less<>> consumers;

  StreamConsumer* find(std::string_view name) noexcept;
  /// Adds one when there is none of the name; `created` tells.
  StreamConsumer& consumer(std::string_view name, std::int64_t now, bool& created);
  /// The entry belongs to this consumer from now on. One that was not pending counts as delivered once.
  PendingEntry& give(StreamId id, StreamConsumer& consumer);
  /// False when it is not pending.
  bool acknowledge(StreamId id);
  /// Removes a consumer and what is pending for it, and returns how many entries that was; nothing when it is unknown.
  std::optional<std::size_t> remove(std::string_view name);
};

/// A log of entries ordered by id, each a list of fields and values, with groups of consumers. The handle is one
/// pointer. Null is the empty value, which owns nothing; a stream that was made may have no entries.
///
/// Entries lie in blocks of bounded size, found by the id of their first entry: an entry whose field names are those of
/// the block's first entry holds values alone. An erased entry is marked, and its block goes with the last one. Blocks
/// begin where redis-server's would, since trimming by whole blocks shows where that is.
class Stream {
 public:
  /// Of a block: the options stream-node-max-entries and stream-node-max-bytes; 0 is no limit.
  struct Limits {
    std::size_t entries = 100;
    std::size_t bytes = 4096;
  };

  Stream() noexcept;
  Stream(Stream&& other) noexcept;
  Stream& operator=(Stream&& other) noexcept;
  ~Stream();

  Stream clone() const;
  /// Makes a stream without entries out of the empty value.
  void make();

  bool empty() const noexcept { return root_ == nullptr; }
  std::size_t size() const noexcept;
  /// Bytes. O(blocks and pending entries).
  std::size_t memory() const noexcept;

  StreamId last_id() const noexcept;
  /// Zero when there are no entries.
  StreamId first_id() const noexcept;
  StreamId max_deleted_id() const noexcept;
  std::uint64_t entries_added() const noexcept;
  /// The rest requires that the stream was made, except append().
  void set_last_id(StreamId id) noexcept;
  void set_max_deleted_id(StreamId id) noexcept;
  void set_entries_added(std::uint64_t count) noexcept;

  /// Adds an entry; names and values alternate, one pair at least. The id is above last_id().
  void append(StreamId id, std::span<const std::string_view> words, const Limits& limits);
  bool erase(StreamId id);

  /// Removes the oldest entries, as many as leave `most`, or those below `least`. `whole_blocks` removes no more than
  /// can go by the block, and at most `limit` entries (0: no limit). Returns how many went.
  std::size_t trim_to_size(std::size_t most, bool whole_blocks, std::size_t limit);
  std::size_t trim_to_id(StreamId least, bool whole_blocks, std::size_t limit);

  /// visit(const StreamEntry&) for the entries from `first` to `last`, both included, while it returns true. It must
  /// not change the stream's entries.
  template <class F>
  void for_each(StreamId first, StreamId last, const F& visit) const {
    walk(first, last, false, Visitor(visit));
  }
  /// The same from the last to the first.
  template <class F>
  void for_each_reverse(StreamId first, StreamId last, const F& visit) const {
    walk(first, last, true, Visitor(visit));
  }
  bool contains(StreamId id) const;

  /// What a copy must know of an entry to have the same blocks: an erased one is kept as long as its block.
  struct Kept {
    bool starts_block;
    bool erased;
  };
  /// visit(const StreamEntry&, Kept) for all entries, erased ones included, in the order of their ids.
  template <class F>
  void for_each_kept(const F& visit) const {
    walk_kept(
        [](const void* object, const StreamEntry& entry, Kept kept) { (*static_cast<const F*>(object))(entry, kept); },
        &visit);
  }
  /// Adds an entry to a stream that was made, as for_each_kept() told of it, and counts nothing: the last id and what
  /// was added are set apart. The id is above those of all entries; the first entry starts a block.
  void append_kept(StreamId id, std::span<const std::string_view> words, Kept kept);

  /// What XINFO tells: blocks, and the nodes of the radix tree that redis-server would find them by.
  std::size_t blocks() const noexcept;
  std::size_t tree_nodes() const;

  using Groups = std::map<std::string, StreamGroup, std::less<>>;
  const Groups& groups() const noexcept;
  StreamGroup* find_group(std::string_view name) noexcept;
  /// Null when there is one of the name.
  StreamGroup* add_group(std::string_view name, StreamId last_id, std::int64_t entries_read);
  bool remove_group(std::string_view name);

  /// How many entries were ever added up to this id, as far as that can be told; StreamGroup::kUnknown otherwise.
  std::int64_t entries_up_to(StreamId id) const noexcept;
  /// Was an entry from `first` on erased, other than those before all that are left?
  bool erased_from(StreamId first) const noexcept;

 private:
  struct Root;
  /// A reference to a callable, so that the walk is no template.
  class Visitor {
   public:
    template <class F>
    explicit Visitor(const F& visit) noexcept
        : object_(&visit), call_([](const void* object, const StreamEntry& entry) {
            return bool((*static_cast<const F*>(object))(entry));
          }) {}
    bool operator()(const StreamEntry& entry) const { return call_(object_, entry); }

   private:
    const void* object_;
    bool (*call_)(const void*, const StreamEntry&);
  };
  void walk(StreamId first, StreamId last, bool reverse, const Visitor& visit) const;
  void walk_kept(void (*visit)(const void* object, const StreamEntry& entry, Kept kept), const void* object) const;
  void note_first();

  Root* root_ = nullptr;
};

}  // namespace fairlane::data
