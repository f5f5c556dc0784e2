#include <algorithm>
#include <cmath>
#include <string>

#include "fairlane/rdb/value.hpp"
#include "rdb/format.hpp"
#include "rdb/listpack.hpp"
#include "rdb/stream.hpp"

namespace fairlane::rdb {
namespace {

void write_kind(Writer& out, Kind kind) { out.byte(static_cast<unsigned char>(kind)); }

/// Decides where redis-server begins a new piece of a list that grows at its tail.
class PieceRule {
 public:
  explicit PieceRule(std::int64_t rule) noexcept {
    constexpr std::int64_t kMostElements = 0xFFFF;
    constexpr std::int64_t kLargestClass = 5;
    if (rule >= 0) {
      elements_ = static_cast<std::size_t>(std::min(rule, kMostElements));
    } else {
      bytes_ = std::size_t{2048} << std::min(-rule, kLargestClass);
    }
  }
  bool fits(const ListpackWriter& piece, std::size_t size) const noexcept {
    constexpr std::size_t kOverhead = 8;  // that an element is reckoned to have
    constexpr std::size_t kSafeBytes = 8192;
    const std::size_t grown = piece.bytes() + size + kOverhead;
    if (bytes_ != 0) return grown <= bytes_;
    return grown <= kSafeBytes && piece.count() < elements_;
  }

 private:
  std::size_t elements_ = 0;
  std::size_t bytes_ = 0;  // 0: elements are counted
};

/// Elements from here on are a piece of their own that is not packed.
constexpr std::size_t kPlainSize = std::size_t{1} << 30;

/// Pieces one behind the other, and how many there are.
class PieceWriter {
 public:
  explicit PieceWriter(const WriteRules& rules) : out_(rules), rule_(rules.list_piece) {}

  void append(std::string_view element) {
    const bool plain = element.size() >= kPlainSize;
    if (plain || !rule_.fits(piece_, element.size())) end_piece();
    if (!plain) return piece_.append(element);
    write(kPlainPiece, element);
  }
  void finish(Writer& out) {
    end_piece();
    out.length(count_);
    out.raw(out_.written());
  }

 private:
  void end_piece() {
    if (piece_.count() > 0) write(kPackedPiece, piece_.take());
  }
  void write(std::uint64_t how, std::string_view bytes) {
    ++count_;
    out_.length(how);
    out_.text(bytes);
  }

  Writer out_;
  PieceRule rule_;
  ListpackWriter piece_;
  std::size_t count_ = 0;
};

void write_string(Writer& out, const engine::Entry& entry) {
  engine::Scratch scratch;
  write_kind(out, Kind::string);
  out.text(entry.text(scratch));
}

void write_list(Writer& out, const data::List& list) {
  write_kind(out, Kind::list_of_listpacks);
  PieceWriter pieces(out.rules());
  list.for_each(0, list.size(), [&](std::string_view element) { pieces.append(element); });
  pieces.finish(out);
}

void write_intset(Writer& out, const data::Set& set) {
  write_kind(out, Kind::set_intset);
  std::string bytes;
  append_little_endian(bytes, set.integer_width(), 4);
  append_little_endian(bytes, set.size(), 4);
  set.for_each([&](std::string_view member) {
    const auto value = base::parse_integer(member);
    append_little_endian(bytes, static_cast<std::uint64_t>(*value), set.integer_width());
  });
  out.text(bytes);
}

void write_set(Writer& out, const data::Set& set) {
  if (set.is_intset()) return write_intset(out, set);
  write_kind(out, Kind::set);
  out.length(set.size());
  set.for_each([&](std::string_view member) { out.text(member); });
}

void append_score(ListpackWriter& packed, double score) {
  constexpr double kMostInteger = 0x1p62;
  if (std::abs(score) <= kMostInteger && std::trunc(score) == score) {
    packed.append(static_cast<std::int64_t>(score));
  } else {
    packed.append(base::NumberText(score).view());
  }
}

void write_small_sorted_set(Writer& out, const data::SortedSet& set) {
  write_kind(out, Kind::sorted_set_listpack);
  ListpackWriter packed;
  for (auto at = set.first(); at.valid(); at.next()) {
    packed.append(at.item().member);
    append_score(packed, at.item().score);
  }
  out.text(packed.take());
}

void write_sorted_set(Writer& out, const data::SortedSet& set) {
  if (!set.large()) return write_small_sorted_set(out, set);
  write_kind(out, Kind::sorted_set);
  out.length(set.size());
  // From the back, as redis-server does: whoever reads it inserts at the front of a skip list.
  for (auto at = set.last(); at.valid(); at.prev()) {
    out.text(at.item().member);
    out.binary_double(at.item().score);
  }
}

void write_hash(Writer& out, const data::Hash& hash) {
  if (hash.is_table()) {
    write_kind(out, Kind::hash);
    out.length(hash.size());
    hash.for_each([&](std::string_view field, std::string_view value) {
      out.text(field);
      out.text(value);
    });
    return;
  }
  write_kind(out, Kind::hash_listpack);
  ListpackWriter packed;
  hash.for_each([&](std::string_view field, std::string_view value) {
    packed.append(field);
    packed.append(value);
  });
  out.text(packed.take());
}

}  // namespace

void write_value(Writer& out, const engine::Entry& entry) {
  switch (entry.type()) {
    case engine::Type::string:
      return write_string(out, entry);
    case engine::Type::list:
      return write_list(out, entry.value<data::List>());
    case engine::Type::set:
      return write_set(out, entry.value<data::Set>());
    case engine::Type::sorted_set:
      return write_sorted_set(out, entry.value<data::SortedSet>());
    case engine::Type::hash:
      return write_hash(out, entry.value<data::Hash>());
    case engine::Type::stream:
      write_kind(out, Kind::stream);
      return write_stream(out, entry.value<data::Stream>());
  }
}

std::size_t value_size(const engine::Entry& entry, const WriteRules& rules) {
  Writer out(rules);
  write_value(out, entry);
  return out.written().size() - 1;
}

}  // namespace fairlane::rdb
