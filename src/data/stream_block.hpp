#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "fairlane/data/stream.hpp"

namespace fairlane::data {

/// Some entries of a stream, back to back in one allocation that begins with this header: the field names of the first
/// entry, then every entry. An entry is a byte of flags, its id as distances from the block's first id, its names when
/// they are not those of the first, and its values. Numbers are in base 128, the lower digits first. A text is twice
/// its length and its bytes; one that is an integer as it would be printed is that integer, marked by an odd number.
///
/// Adding to a block may move it.
class StreamBlock {
 public:
  /// A block with its first entry.
  static StreamBlockPointer create(StreamId id, std::span<const std::string_view> words);
  StreamBlockPointer clone() const;
  static void destroy(StreamBlock* block) noexcept;

  /// Adds an entry of a higher id.
  static void append(StreamBlockPointer& block, StreamId id, std::span<const std::string_view> words);
  /// Gives back the room behind the last entry.
  static void shrink(StreamBlockPointer& block);

  StreamId first_id() const noexcept { return base_; }
  /// Of the last entry, erased ones included.
  StreamId last_id() const noexcept { return last_; }
  std::uint32_t live() const noexcept { return live_; }
  std::uint32_t erased() const noexcept { return erased_; }
  std::size_t memory() const noexcept { return capacity_; }
  /// Bytes that the same entries take in the representation of redis-server, whose limits are about these.
  std::size_t counted_bytes() const noexcept;

  /// Marks an entry as erased; false when it is not there.
  bool erase(StreamId id) noexcept;
  /// The same for the live entry at a place.
  void mark_erased(std::uint32_t at) noexcept;
  /// Marks the oldest entries as erased while `wanted(id)` says so. Returns how many.
  template <class F>
  std::size_t erase_oldest(F&& wanted) {
    std::size_t count = 0;
    for (std::uint32_t at = entries_; at != used_;) {
      const Place place = read(at);
      if (!place.erased) {
        if (!wanted(place.entry.id)) break;
        mark_erased(at);
        ++count;
      }
      at = place.end;
    }
    return count;
  }

  /// An entry, and where the next one begins.
  struct Place {
    StreamEntry entry;
    bool erased;
    std::uint32_t end;
  };
  std::uint32_t begin() const noexcept { return entries_; }
  std::uint32_t end() const noexcept { return used_; }
  Place read(std::uint32_t at) const noexcept;

 private:
  bool same_names(std::span<const std::string_view> words) const noexcept;
  const char* bytes() const noexcept { return reinterpret_cast<const char*>(this); }
  char* bytes() noexcept { return reinterpret_cast<char*>(this); }

  StreamId base_;
  StreamId last_;
  std::uint32_t live_;
  std::uint32_t erased_;
  std::uint32_t used_;  // offsets from the header
  std::uint32_t capacity_;
  std::uint32_t entries_;
  std::uint32_t fields_;   // of the first entry
  std::uint64_t counted_;  // see counted_bytes(), but for the counters of entries
};

}  // namespace fairlane::data
