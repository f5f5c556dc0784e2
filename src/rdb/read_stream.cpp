#include <array>
#include <memory>
#include <string>
#include <vector>

#include "rdb/listpack.hpp"
#include "rdb/stream.hpp"

namespace fairlane::rdb {
namespace {

using data::Stream;
using data::StreamConsumer;
using data::StreamGroup;
using data::StreamId;

constexpr std::size_t kIdBytes = 16;
constexpr std::size_t kTimeBytes = 8;

StreamId id_of(std::string_view bytes) noexcept {
  StreamId id;
  for (std::size_t i = 0; i < kIdBytes / 2; ++i) {
    id.ms = id.ms << 8 | static_cast<unsigned char>(bytes[i]);
    id.seq = id.seq << 8 | static_cast<unsigned char>(bytes[kIdBytes / 2 + i]);
  }
  return id;
}

/// Reads one block of a stream, and adds its entries.
class BlockReader {
 public:
  BlockReader(Stream& stream, StreamId first, std::string_view block) noexcept
      : stream_(stream), first_(first), elements_(block) {}

  bool run() {
    const std::int64_t live = integer();
    const std::int64_t erased = integer();
    // An empty block is one that should have gone.
    if (!read_names() || live <= 0 || erased < 0) return false;
    for (bool begins = true; auto flags = next_integer(); begins = false) {
      if (!read_entry(*flags, begins)) return false;
    }
    return elements_.well_formed() && good_ && live_ == live && erased_ == erased;
  }
  /// Of the last entry, erased or not; when run() went well.
  StreamId last_id() const noexcept { return last_; }

 private:
  /// Nothing at the end, and when the element is a text.
  std::optional<std::int64_t> next_integer() {
    const auto element = elements_.next();
    if (!element) return std::nullopt;
    if (!element->integer()) good_ = false;
    return element->integer();
  }
  std::int64_t integer() {
    const auto value = next_integer();
    if (!value) good_ = false;
    return value.value_or(0);
  }
  void read_text(std::vector<std::string>& texts) {
    auto element = elements_.next();
    if (element) texts.emplace_back(element->text());
    good_ = good_ && element.has_value();
  }

  bool read_names() {
    const std::int64_t count = integer();
    for (std::int64_t i = 0; i < count && good_; ++i) read_text(names_);
    return integer() == 0 && good_ && count > 0;
  }

  bool read_entry(std::int64_t flags, bool begins) {
    StreamId id = first_;
    id.ms += static_cast<std::uint64_t>(integer());
    id.seq += static_cast<std::uint64_t>(integer());
    const bool named = (flags & kNamesOfBlock) != 0;
    // The names of a block are those of its first entry, and redis-server says so there.
    if (begins && (!named || id != first_)) return false;
    if (!begins && id <= last_) return false;
    last_ = id;
    read_fields(named);
    if (!good_ || words_.empty()) return false;
    const bool erased = (flags & kErasedEntry) != 0;
    ++(erased ? erased_ : live_);
    stream_.append_kept(id, words(named), {begins, erased});
    return true;
  }

  /// Names and values, or values alone, and how many elements the entry has had.
  void read_fields(bool named) {
    words_.clear();
    constexpr std::int64_t kIdAndFlags = 3;
    const std::int64_t fields = named ? static_cast<std::int64_t>(names_.size()) : integer();
    const std::int64_t per_field = named ? 1 : 2;
    for (std::int64_t i = 0; good_ && i / per_field < fields; ++i) read_text(words_);
    const std::int64_t elements = static_cast<std::int64_t>(words_.size()) + kIdAndFlags + (named ? 0 : 1);
    if (integer() != elements) good_ = false;
  }

  std::span<const std::string_view> words(bool named) {
    views_.clear();
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if (named) views_.emplace_back(names_[i]);
      views_.emplace_back(words_[i]);
    }
    return views_;
  }

  Stream& stream_;
  StreamId first_;
  ListpackElements elements_;
  std::vector<std::string> names_;
  std::vector<std::string> words_;
  std::vector<std::string_view> views_;
  StreamId last_;
  std::int64_t live_ = 0;
  std::int64_t erased_ = 0;
  bool good_ = true;
};

class StreamReader {
 public:
  StreamReader(Reader& in, Kind kind) noexcept : in_(in), kind_(kind) { stream_.make(); }

  std::optional<Stream> run() {
    if (!read_blocks() || !read_counters()) return std::nullopt;
    const std::uint64_t groups = in_.length();
    for (std::uint64_t i = 0; i < groups && in_.ok(); ++i) {
      if (!read_group()) in_.fail();
    }
    return in_.ok() ? std::optional(std::move(stream_)) : std::nullopt;
  }

 private:
  StreamId id() noexcept {
    const std::uint64_t ms = in_.length();
    return {ms, in_.length()};
  }
  std::int64_t time() noexcept { return static_cast<std::int64_t>(in_.little_endian(kTimeBytes)); }
  StreamId raw_id() noexcept {
    const std::string_view bytes = in_.raw(kIdBytes);
    return bytes.size() == kIdBytes ? id_of(bytes) : StreamId{};
  }

  bool read_blocks() {
    const std::uint64_t blocks = in_.length();
    for (std::uint64_t i = 0; i < blocks && in_.ok(); ++i) {
      const std::string_view key = in_.text();
      if (key.size() != kIdBytes) return false;
      const StreamId first = id_of(key);
      if (first <= last_entry_ && i > 0) return false;
      BlockReader block(stream_, first, in_.text());
      if (!in_.ok() || !block.run()) return false;
      last_entry_ = block.last_id();
    }
    return in_.ok();
  }

  bool read_counters() {
    if (in_.length() != stream_.size()) return false;
    stream_.set_last_id(id());
    if (stream_.last_id() < last_entry_) return false;
    if (kind_ == Kind::stream_of_early) {
      stream_.set_entries_added(stream_.size());
      return in_.ok();
    }
    id();  // the first entry's, which is known
    stream_.set_max_deleted_id(id());
    stream_.set_entries_added(in_.length());
    return in_.ok();
  }

  bool read_group() {
    const std::string name(in_.text());
    const StreamId last = id();
    const std::int64_t read =
        kind_ == Kind::stream_of_early ? stream_.entries_up_to(last) : static_cast<std::int64_t>(in_.length());
    StreamGroup* group = stream_.add_group(name, last, read);
    return group != nullptr && read_pending(*group) && read_consumers(*group);
  }

  /// Entries whose consumer comes later.
  bool read_pending(StreamGroup& group) {
    const std::uint64_t count = in_.length();
    for (std::uint64_t i = 0; i < count && in_.ok(); ++i) {
      const StreamId entry = raw_id();
      const std::int64_t delivered = time();
      if (!group.pending.try_emplace(entry, data::PendingEntry{nullptr, delivered, in_.length()}).second) return false;
    }
    return in_.ok();
  }

  bool read_consumers(StreamGroup& group) {
    const std::uint64_t count = in_.length();
    std::size_t owned = 0;
    for (std::uint64_t i = 0; i < count && in_.ok(); ++i) {
      const std::string name(in_.text());
      const std::int64_t seen = time();
      if (kind_ == Kind::stream_of_later) time();  // of activity, which 7.0 does not know
      bool created = false;
      StreamConsumer& consumer = group.consumer(name, seen, created);
      if (!created || !read_owned(group, consumer)) return false;
      owned += consumer.pending.size();
    }
    return in_.ok() && owned == group.pending.size();
  }

  bool read_owned(StreamGroup& group, StreamConsumer& consumer) {
    const std::uint64_t count = in_.length();
    for (std::uint64_t i = 0; i < count && in_.ok(); ++i) {
      const auto entry = group.pending.find(raw_id());
      if (entry == group.pending.end() || entry->second.consumer != nullptr) return false;
      entry->second.consumer = &consumer;
      consumer.pending.insert(entry->first);
    }
    return in_.ok();
  }

  Reader& in_;
  Kind kind_;
  Stream stream_;
  StreamId last_entry_;
};

}  // namespace

std::optional<Stream> read_stream(Reader& in, Kind kind) { return StreamReader(in, kind).run(); }

}  // namespace fairlane::rdb
