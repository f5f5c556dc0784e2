#include <string>
#include <vector>

#include "rdb/listpack.hpp"
#include "rdb/stream.hpp"

namespace fairlane::rdb {
namespace {

using data::Stream;
using data::StreamConsumer;
using data::StreamEntry;
using data::StreamGroup;
using data::StreamId;

constexpr std::size_t kTimeBytes = 8;

std::string bytes_of(StreamId id) {
  std::string bytes;
  for (const std::uint64_t half : {id.ms, id.seq}) {
    for (int shift = 56; shift >= 0; shift -= 8) bytes += static_cast<char>(half >> shift & 0xffU);
  }
  return bytes;
}

void write_id(Writer& out, StreamId id) {
  out.length(id.ms);
  out.length(id.seq);
}

void write_time(Writer& out, std::int64_t millis) { out.little_endian(static_cast<std::uint64_t>(millis), kTimeBytes); }

std::int64_t distance(std::uint64_t from, std::uint64_t to) noexcept { return static_cast<std::int64_t>(to - from); }

/// What stands at the head of a block.
struct EntryCounts {
  std::int64_t live = 0;
  std::int64_t erased = 0;
};

std::vector<EntryCounts> count_entries(const Stream& stream) {
  std::vector<EntryCounts> blocks;
  stream.for_each_kept([&](const StreamEntry&, Stream::Kept kept) {
    if (kept.starts_block) blocks.emplace_back();
    ++(kept.erased ? blocks.back().erased : blocks.back().live);
  });
  return blocks;
}

/// Writes one block after the other, each a listpack: how many entries live and how many are erased, the names of the
/// first entry's fields with their number before and a 0 behind them, and the entries.
class BlockWriter {
 public:
  explicit BlockWriter(Writer& out) noexcept : out_(out) {}

  void begin(const StreamEntry& first, const EntryCounts& counts) {
    end();
    first_ = first.id;
    block_.append(counts.live);
    block_.append(counts.erased);
    block_.append(static_cast<std::int64_t>(first.fields()));
    first.for_each_field([&](std::string_view name, std::string_view) { block_.append(name); });
    block_.append(std::int64_t{0});
  }

  /// Flags, the distances of the id from the first, the fields, and how many elements that was.
  void add(const StreamEntry& entry, bool erased) {
    const bool names_of_block = entry.names_of_block();
    const std::size_t before = block_.count();
    block_.append((erased ? kErasedEntry : 0) | (names_of_block ? kNamesOfBlock : 0));
    block_.append(distance(first_.ms, entry.id.ms));
    block_.append(distance(first_.seq, entry.id.seq));
    if (!names_of_block) block_.append(static_cast<std::int64_t>(entry.fields()));
    entry.for_each_field([&](std::string_view name, std::string_view value) {
      if (!names_of_block) block_.append(name);
      block_.append(value);
    });
    block_.append(static_cast<std::int64_t>(block_.count() - before));
  }

  void end() {
    if (block_.count() == 0) return;
    out_.text(bytes_of(first_));
    out_.text(block_.take());
  }

 private:
  Writer& out_;
  StreamId first_;
  ListpackWriter block_;
};

void write_blocks(Writer& out, const Stream& stream) {
  const std::vector<EntryCounts> counts = count_entries(stream);
  out.length(counts.size());
  BlockWriter blocks(out);
  auto block = counts.begin();
  stream.for_each_kept([&](const StreamEntry& entry, Stream::Kept kept) {
    if (kept.starts_block) blocks.begin(entry, *block++);
    blocks.add(entry, kept.erased);
  });
  blocks.end();
}

void write_consumer(Writer& out, const StreamConsumer& consumer) {
  out.text(consumer.name);
  write_time(out, consumer.seen);
  out.length(consumer.pending.size());
  for (const StreamId id : consumer.pending) out.raw(bytes_of(id));
}

void write_group(Writer& out, const StreamGroup& group) {
  write_id(out, group.last_id);
  out.length(static_cast<std::uint64_t>(group.entries_read));
  out.length(group.pending.size());
  for (const auto& [id, entry] : group.pending) {
    out.raw(bytes_of(id));
    write_time(out, entry.delivered);
    out.length(entry.count);
  }
  out.length(group.consumers.size());
  for (const auto& [name, consumer] : group.consumers) write_consumer(out, *consumer);
}

}  // namespace

void write_stream(Writer& out, const Stream& stream) {
  write_blocks(out, stream);
  out.length(stream.size());
  write_id(out, stream.last_id());
  write_id(out, stream.first_id());
  write_id(out, stream.max_deleted_id());
  out.length(stream.entries_added());
  out.length(stream.groups().size());
  for (const auto& [name, group] : stream.groups()) {
    out.text(name);
    write_group(out, group);
  }
}

}  // namespace fairlane::rdb
