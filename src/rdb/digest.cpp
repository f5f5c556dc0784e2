#include "fairlane/rdb/digest.hpp"

#include <array>
#include <string>
#include <string_view>

#include "fairlane/base/number.hpp"

namespace fairlane::rdb {
namespace {

using base::Sha1Digest;

std::string_view view_of(const Sha1Digest& digest) noexcept {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

/// A digest while it grows.
class Digest {
 public:
  /// The order in which texts are added makes no difference.
  void add(std::string_view bytes) noexcept {
    const Sha1Digest one = base::sha1(bytes);
    for (std::size_t i = 0; i < one.size(); ++i) sum_[i] = static_cast<unsigned char>(sum_[i] ^ one[i]);
  }
  void add(const Digest& digest) noexcept { add(view_of(digest.sum_)); }
  /// The order of these does.
  void mix(std::string_view bytes) noexcept {
    add(bytes);
    sum_ = base::sha1(view_of(sum_));
  }
  void mix_number(std::uint32_t number) noexcept {
    std::array<char, 4> bytes;
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(number >> (24 - 8 * i) & 0xffU);
    mix({bytes.data(), bytes.size()});
  }
  const Sha1Digest& result() const noexcept { return sum_; }

 private:
  Sha1Digest sum_{};
};

std::uint32_t type_number(engine::Type type) noexcept {
  switch (type) {
    case engine::Type::string:
      return 0;
    case engine::Type::list:
      return 1;
    case engine::Type::set:
      return 2;
    case engine::Type::sorted_set:
      return 3;
    case engine::Type::hash:
      return 4;
    case engine::Type::stream:
      return 6;
  }
  return 0;
}

void add_pair(Digest& digest, std::string_view first, std::string_view second) noexcept {
  Digest pair;
  pair.mix(first);
  pair.mix(second);
  digest.add(pair);
}

void mix_string(Digest& digest, const engine::Entry& entry) {
  engine::Scratch scratch;
  digest.mix(entry.text(scratch));
}

void add_sorted_set(Digest& digest, const data::SortedSet& set) {
  for (auto at = set.first(); at.valid(); at.next()) {
    add_pair(digest, at.item().member, base::NumberText(at.item().score));
  }
}

void mix_stream(Digest& digest, const data::Stream& stream) {
  stream.for_each(data::StreamId::least(), data::StreamId::most(), [&](const data::StreamEntry& entry) {
    digest.mix(std::to_string(entry.id.ms) + "." + std::to_string(entry.id.seq));
    entry.for_each_field([&](std::string_view name, std::string_view value) {
      digest.mix(name);
      digest.mix(value);
    });
    return true;
  });
}

void mix_value(Digest& digest, const engine::Entry& entry) {
  digest.mix_number(type_number(entry.type()));
  switch (entry.type()) {
    case engine::Type::string:
      mix_string(digest, entry);
      break;
    case engine::Type::list: {
      const auto& list = entry.value<data::List>();
      list.for_each(0, list.size(), [&](std::string_view element) { digest.mix(element); });
      break;
    }
    case engine::Type::set:
      entry.value<data::Set>().for_each([&](std::string_view member) { digest.add(member); });
      break;
    case engine::Type::sorted_set:
      add_sorted_set(digest, entry.value<data::SortedSet>());
      break;
    case engine::Type::hash:
      entry.value<data::Hash>().for_each(
          [&](std::string_view field, std::string_view value) { add_pair(digest, field, value); });
      break;
    case engine::Type::stream:
      mix_stream(digest, entry.value<data::Stream>());
  }
  if (entry.has_deadline()) digest.add("!!expire!!");
}

}  // namespace

base::Sha1Digest digest_of(const engine::Entry& entry) {
  Digest digest;
  mix_value(digest, entry);
  return digest.result();
}

base::Sha1Digest digest_of(const engine::Keyspace& keyspace) {
  Digest all;
  for (engine::DbIndex index = 0; index < keyspace.count(); ++index) {
    const engine::Database& database = keyspace.at(index);
    if (database.size() == 0) continue;
    all.mix_number(index);
    database.for_each([&](const engine::Entry& entry) {
      Digest digest;
      digest.mix(entry.key());
      mix_value(digest, entry);
      all.add(digest);
    });
  }
  return all.result();
}

}  // namespace fairlane::rdb
