#include "fairlane/rdb/value.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "fairlane/base/number.hpp"
#include "fairlane/base/random.hpp"
#include "fairlane/rdb/digest.hpp"
#include "fairlane/rdb/payload.hpp"
#include "rdb/lzf.hpp"

namespace fairlane::rdb {
namespace {

using engine::Entry;

struct EntryDeleter {
  void operator()(Entry* entry) const noexcept { Entry::destroy(entry); }
};
using EntryPointer = std::unique_ptr<Entry, EntryDeleter>;

std::string written(const Entry& entry, WriteRules rules = {}) {
  Writer out(rules);
  write_value(out, entry);
  return out.take();
}

EntryPointer read(std::string_view bytes) {
  Reader in(bytes);
  auto value = read_value(in, {});
  return EntryPointer(value && in.at_end() ? make_entry("k", *value, false) : nullptr);
}

/// Values of every type, of texts that are short and long, numbers and not.
class RandomValues {
 public:
  explicit RandomValues(std::uint64_t seed) : random_(seed) {}

  EntryPointer next() {
    switch (random_.below(6)) {
      case 0:
        return EntryPointer(Entry::make_string("k", text(), false));
      case 1:
        return list();
      case 2:
        return set();
      case 3:
        return sorted_set();
      case 4:
        return hash();
      default:
        return stream();
    }
  }

 private:
  std::string text() {
    constexpr std::size_t kSizes[] = {0, 1, 5, 20, 21, 63, 64, 300, 4095, 4096, 9000};
    if (random_.below(2) == 0) return number();
    std::string text(kSizes[random_.below(std::size(kSizes))], 'a');
    for (char& c : text) c = static_cast<char>('a' + random_.below(random_.below(8) + 1));
    return text;
  }
  std::string number() {
    const auto value = static_cast<std::int64_t>(random_.below(UINT64_MAX)) >> random_.below(64);
    return std::to_string(value);
  }
  std::size_t size() { return 1 + random_.below(random_.below(2) == 0 ? 10 : 700); }

  template <class T>
  static EntryPointer empty_entry() {
    return EntryPointer(Entry::make("k", engine::type_of<T>));
  }
  EntryPointer list() {
    auto entry = empty_entry<data::List>();
    for (std::size_t i = size(); i > 0; --i) entry->value<data::List>().push_back(text());
    return entry;
  }
  EntryPointer set() {
    auto entry = empty_entry<data::Set>();
    const bool numbers = random_.below(2) == 0;
    for (std::size_t i = size(); i > 0; --i) entry->value<data::Set>().add(numbers ? number() : text(), {});
    return entry;
  }
  EntryPointer sorted_set() {
    auto entry = empty_entry<data::SortedSet>();
    for (std::size_t i = size(); i > 0; --i) {
      const double score = static_cast<double>(random_.below(100)) / (1 + static_cast<double>(random_.below(3)));
      entry->value<data::SortedSet>().put(text(), score);
    }
    return entry;
  }
  EntryPointer hash() {
    auto entry = empty_entry<data::Hash>();
    for (std::size_t i = size(); i > 0; --i) entry->value<data::Hash>().put(text(), text(), data::Hash::Limits{});
    return entry;
  }
  EntryPointer stream() {
    auto entry = empty_entry<data::Stream>();
    auto& stream = entry->value<data::Stream>();
    std::vector<data::StreamId> ids;
    data::StreamId id{1, 1};
    for (std::size_t i = size(); i > 0; --i) {
      id = {id.ms + random_.below(3), id.seq + 1};
      const std::string name = random_.below(4) == 0 ? text() : "name";
      const std::string value = text();
      stream.append(id, std::vector<std::string_view>{name, value}, {});
      ids.push_back(id);
    }
    for (const data::StreamId one : ids) {
      if (random_.below(5) == 0) stream.erase(one);
    }
    add_group(stream, ids);
    return entry;
  }
  void add_group(data::Stream& stream, const std::vector<data::StreamId>& ids) {
    data::StreamGroup& group = *stream.add_group("group", ids.back(), 7);
    for (const char* name : {"idle", "one", "two"}) {
      bool created = false;
      data::StreamConsumer& consumer = group.consumer(name, 1234567890123, created);
      for (std::size_t i = *name == 'i' ? 0 : random_.below(4); i > 0; --i) {
        group.give(ids[random_.below(ids.size())], consumer).delivered = 1234567890000;
      }
    }
  }

  base::Random random_;
};

TEST(StoredValue, is_the_same_when_it_is_read) {
  RandomValues values(20261201);
  for (int i = 0; i < 150; ++i) {
    const EntryPointer entry = values.next();
    for (const WriteRules rules : {WriteRules{}, WriteRules{.compress = false, .list_piece = 3}}) {
      const EntryPointer twin = read(written(*entry, rules));
      ASSERT_NE(twin, nullptr) << "value " << i;
      EXPECT_EQ(digest_of(*twin), digest_of(*entry)) << "value " << i;
      // Tables have no order of their own.
      const bool ordered = entry->type() != engine::Type::set && entry->type() != engine::Type::hash;
      if (ordered) {
        EXPECT_EQ(written(*twin), written(*entry)) << "value " << i;
      }
    }
  }
}

TEST(StoredValue, is_refused_when_its_end_is_missing) {
  RandomValues values(1);
  for (int i = 0; i < 60; ++i) {
    const std::string whole = written(*values.next(), {.compress = i % 2 == 0});
    const std::size_t step = 1 + whole.size() / 50;
    for (std::size_t size = 0; size < whole.size(); size += step) {
      EXPECT_EQ(read(whole.substr(0, size)), nullptr) << "value " << i << ", " << size << " bytes";
    }
  }
}

TEST(StoredValue, with_other_bytes_is_refused_or_another_value) {
  RandomValues values(2);
  base::Random random(3);
  for (int i = 0; i < 100; ++i) {
    const std::string whole = written(*values.next(), {.compress = i % 2 == 0});
    for (int change = 0; change < 10; ++change) {
      std::string changed = whole;
      changed[random.below(changed.size())] = static_cast<char>(random.below(256));
      const EntryPointer entry = read(changed);
      if (entry == nullptr) continue;
      const EntryPointer twin = read(written(*entry));
      ASSERT_NE(twin, nullptr);
      EXPECT_EQ(digest_of(*twin), digest_of(*entry));
    }
  }
}

TEST(Payload, opens_when_nothing_was_changed) {
  const std::string sealed = seal("body");
  EXPECT_EQ(open(sealed), "body");
  EXPECT_EQ(open(seal("")), "");
  EXPECT_EQ(open(sealed.substr(1)), std::nullopt);
  EXPECT_EQ(open(""), std::nullopt);
  for (std::size_t i = 0; i < sealed.size(); ++i) {
    std::string changed = sealed;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_EQ(open(changed), std::nullopt);
  }
}

TEST(Lzf, expands_to_what_was_compressed) {
  base::Random random(4);
  for (int i = 0; i < 500; ++i) {
    std::string text(random.below(3000), '\0');
    const std::uint64_t letters = 1 + random.below(20);
    for (char& c : text) c = static_cast<char>(random.below(letters));
    const std::string compressed = lzf_compress(text, text.size());
    if (compressed.empty()) continue;
    EXPECT_LE(compressed.size(), text.size());
    EXPECT_EQ(lzf_expand(compressed, text.size()), text);
    EXPECT_EQ(lzf_expand(compressed, text.size() + 1), std::nullopt);
    EXPECT_EQ(lzf_expand(compressed.substr(0, compressed.size() - 1), text.size()), std::nullopt);
  }
}

TEST(Lzf, gives_up_when_there_is_too_little_room) {
  EXPECT_EQ(lzf_compress("abcdefghijklmnopqrstuvwxyz", 22), "");
  EXPECT_NE(lzf_compress(std::string(100, 'a'), 96), "");
  EXPECT_EQ(lzf_compress(std::string(100, 'a'), 4), "");
}

}  // namespace
}  // namespace fairlane::rdb
