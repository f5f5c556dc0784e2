#include <cmath>
#include <string>
#include <vector>

#include "fairlane/base/number.hpp"
#include "fairlane/rdb/value.hpp"
#include "rdb/format.hpp"
#include "rdb/listpack.hpp"
#include "rdb/stream.hpp"
#include "rdb/ziplist.hpp"

namespace fairlane::rdb {
namespace {

using data::Hash;
using data::List;
using data::Set;
using data::SortedSet;

/// The value, or nothing when it is empty or was not read to its end.
template <class T>
std::optional<Value> complete(T& value, bool well_read) {
  if (!well_read || value.empty()) return std::nullopt;
  return Value(std::move(value));
}

/// What was kept in one piece stays packed whatever the length of its texts; only their number counts.
template <class Limits>
Limits for_packed(Limits limits) noexcept {
  limits.max_packed_value = UINT32_MAX;
  return limits;
}

/// add(text, text) for one pair after the other while it says so.
template <class Add>
bool add_pairs(Elements& elements, Add&& add) {
  while (auto first = elements.next()) {
    auto second = elements.next();
    if (!second || !add(first->text(), second->text())) return false;
  }
  return elements.well_formed();
}

// --- lists

bool add_elements(List& list, Elements& elements) {
  while (auto element = elements.next()) list.push_back(element->text());
  return elements.well_formed();
}

bool add_ziplist(List& list, std::string_view bytes) {
  ZiplistElements elements(bytes);
  return add_elements(list, elements);
}

bool add_piece(List& list, std::uint64_t how, std::string_view bytes) {
  if (how == kPlainPiece) {
    list.push_back(bytes);
    return true;
  }
  ListpackElements elements(bytes);
  return how == kPackedPiece && add_elements(list, elements);
}

std::optional<Value> read_list(Reader& in, Kind kind) {
  List list;
  if (kind == Kind::list_ziplist) return complete(list, add_ziplist(list, in.text()));
  const std::uint64_t count = in.length();
  for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
    bool good = true;
    if (kind == Kind::list) {
      list.push_back(in.text());
    } else if (kind == Kind::list_of_ziplists) {
      good = add_ziplist(list, in.text());
    } else {
      const std::uint64_t how = in.length();
      good = add_piece(list, how, in.text());
    }
    if (!good) in.fail();
  }
  return complete(list, in.ok());
}

// --- sets

std::optional<Value> read_set(Reader& in, const Set::Limits& limits) {
  Set set;
  const std::uint64_t count = in.length();
  for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
    if (!set.add(in.text(), limits)) in.fail();
  }
  return complete(set, in.ok());
}

std::optional<Value> read_set_listpack(Reader& in, const Set::Limits& limits) {
  Set set;
  ListpackElements elements(in.text());
  while (auto member = elements.next()) {
    if (!set.add(member->text(), limits)) return std::nullopt;
  }
  return complete(set, elements.well_formed());
}

/// The bytes of an integer, their number, and the integers in ascending order.
std::optional<Value> read_intset(Reader& in, const Set::Limits& limits) {
  Reader bytes(in.text());
  const std::uint64_t width = bytes.little_endian(4);
  const std::uint64_t count = bytes.little_endian(4);
  if (width != 2 && width != 4 && width != 8) return std::nullopt;
  Set set;
  std::optional<std::int64_t> last;
  for (std::uint64_t i = 0; i < count && bytes.ok(); ++i) {
    const std::string_view integer = bytes.raw(width);
    if (!bytes.ok()) break;
    const std::int64_t value = read_signed(integer);
    if (last && value <= *last) return std::nullopt;
    last = value;
    set.add(base::NumberText(value), limits);
  }
  return complete(set, bytes.ok() && bytes.at_end());
}

// --- sorted sets

/// A score before there were eight bytes for it: a length and as many characters, or one of three lengths that say all.
std::optional<double> read_score_text(Reader& in) {
  constexpr unsigned char kNan = 253;
  constexpr unsigned char kInfinite = 254;
  constexpr unsigned char kMinusInfinite = 255;
  const unsigned char size = in.byte();
  if (size == kNan) return std::nullopt;
  if (size == kInfinite) return HUGE_VAL;
  if (size == kMinusInfinite) return -HUGE_VAL;
  return base::parse_double(in.raw(size));
}

bool add_member(SortedSet& set, std::string_view member, std::optional<double> score, const SortedSet::Limits& limits) {
  return score && !std::isnan(*score) && set.put(member, *score, limits) == SortedSet::Put::inserted;
}

/// The packed encoding of redis-server has no -0.
std::optional<Value> complete_sorted_set(SortedSet& set, bool well_read, const SortedSet::Limits& limits) {
  if (!well_read || set.empty() || set.large()) return complete(set, well_read);
  std::vector<std::string> minus_zeros;
  for (auto at = set.first(); at.valid(); at.next()) {
    if (at.item().score == 0 && std::signbit(at.item().score)) minus_zeros.emplace_back(at.item().member);
  }
  // A put of 0 would leave the -0, which is equal.
  for (const std::string& member : minus_zeros) set.erase(member);
  for (const std::string& member : minus_zeros) set.put(member, 0, limits);
  return complete(set, true);
}

std::optional<Value> read_sorted_set(Reader& in, Kind kind, const SortedSet::Limits& limits) {
  SortedSet set;
  const std::uint64_t count = in.length();
  for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
    const std::string_view member = in.text();
    const auto score = kind == Kind::sorted_set ? in.binary_double() : read_score_text(in);
    if (!in.ok() || !add_member(set, member, score, limits)) in.fail();
  }
  return complete_sorted_set(set, in.ok(), limits);
}

std::optional<Value> read_packed_sorted_set(Elements& elements, const SortedSet::Limits& limits) {
  SortedSet set;
  const bool well_read = add_pairs(elements, [&](std::string_view member, std::string_view score) {
    return add_member(set, member, base::parse_double(score), limits);
  });
  return complete_sorted_set(set, well_read, limits);
}

// --- hashes

std::optional<Value> read_hash(Reader& in, const Hash::Limits& limits) {
  Hash hash;
  const std::uint64_t count = in.length();
  for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
    const std::string field(in.text());
    const std::string_view value = in.text();
    if (!in.ok() || hash.put(field, value, limits) != Hash::Put::inserted) in.fail();
  }
  return complete(hash, in.ok());
}

std::optional<Value> read_packed_hash(Elements& elements, const Hash::Limits& limits) {
  Hash hash;
  const bool well_read = add_pairs(elements, [&](std::string_view field, std::string_view value) {
    return hash.put(field, value, limits) == Hash::Put::inserted;
  });
  return complete(hash, well_read);
}

/// A value in one piece, whose elements are of this form.
template <class Form>
std::optional<Value> read_packed(Reader& in, Kind kind, const ReadLimits& limits) {
  Form elements(in.text());
  const bool sorted_set = kind == Kind::sorted_set_ziplist || kind == Kind::sorted_set_listpack;
  if (sorted_set) return read_packed_sorted_set(elements, for_packed(limits.sorted_set));
  return read_packed_hash(elements, kind == Kind::hash_zipmap ? limits.hash : for_packed(limits.hash));
}

std::optional<Value> read_string(Reader& in) {
  std::string text(in.text());
  return in.ok() ? std::optional<Value>(std::move(text)) : std::nullopt;
}

}  // namespace

std::optional<Value> read_value(Reader& in, const ReadLimits& limits) {
  const auto kind = static_cast<Kind>(in.byte());
  if (!in.ok()) return std::nullopt;
  switch (kind) {
    case Kind::string:
      return read_string(in);
    case Kind::list:
    case Kind::list_ziplist:
    case Kind::list_of_ziplists:
    case Kind::list_of_listpacks:
      return read_list(in, kind);
    case Kind::set:
      return read_set(in, limits.set);
    case Kind::set_intset:
      return read_intset(in, limits.set);
    case Kind::set_listpack:
      return read_set_listpack(in, limits.set);
    case Kind::sorted_set_of_texts:
    case Kind::sorted_set:
      return read_sorted_set(in, kind, limits.sorted_set);
    case Kind::hash:
      return read_hash(in, limits.hash);
    case Kind::hash_zipmap:
      return read_packed<ZipmapElements>(in, kind, limits);
    case Kind::sorted_set_ziplist:
    case Kind::hash_ziplist:
      return read_packed<ZiplistElements>(in, kind, limits);
    case Kind::sorted_set_listpack:
    case Kind::hash_listpack:
      return read_packed<ListpackElements>(in, kind, limits);
    case Kind::stream_of_early:
    case Kind::stream:
    case Kind::stream_of_later: {
      auto stream = read_stream(in, kind);
      return stream ? std::optional<Value>(std::move(*stream)) : std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace fairlane::rdb
