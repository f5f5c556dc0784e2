#include "fairlane/data/hash.hpp"

#include <array>
#include <cstdlib>
#include <cstring>
#include <new>

#include "fairlane/base/assert.hpp"
#include "fairlane/base/copy_text.hpp"
#include "fairlane/base/number.hpp"

namespace fairlane::data {

using detail::HashEntry;
using detail::HashTable;

namespace {

std::size_t entry_size(std::size_t field_length, std::size_t value_length) noexcept {
  return sizeof(HashEntry) + field_length + value_length;
}
std::size_t entry_memory(const HashEntry& entry) noexcept {
  return allocation_size(entry_size(entry.field_length, entry.value_length));
}

void write_value(HashEntry& entry, std::string_view value) noexcept {
  entry.value_length = static_cast<std::uint32_t>(value.size());
  base::copy_text(entry.bytes() + entry.field_length, value);
}

HashEntry* make_entry(std::string_view field, std::string_view value) {
  void* memory = std::malloc(entry_size(field.size(), value.size()));
  if (memory == nullptr) throw std::bad_alloc();
  HashEntry* entry = new (memory) HashEntry;
  entry->field_length = static_cast<std::uint32_t>(field.size());
  base::copy_text(entry->bytes(), field);
  write_value(*entry, value);
  return entry;
}

void insert_entry(HashTable& table, std::string_view field, std::string_view value, std::uint64_t hash) {
  HashEntry* entry = make_entry(field, value);
  table.entry_bytes += entry_memory(*entry);
  table.entries.insert(entry, hash);
}

bool longer_than(std::size_t length, std::string_view field, std::string_view value) noexcept {
  return field.size() > length || value.size() > length;
}

/// Where the field begins among the pairs between; null when absent.
const char* find_pair(const char* at, const char* end, const Packed::Short& field) noexcept {
  if (field.known()) {
    const char byte = field.byte();
    while (at != end && *at != byte) at = Packed::skip(Packed::skip(at));
    return at != end ? at : nullptr;
  }
  const std::string_view text = field.text();
  if (text.size() < 128) {
    // A short text is its length and its bytes, so most others differ in the first byte.
    while (at != end) {
      const auto first = static_cast<unsigned char>(*at);
      if (first == text.size() && same_text({at + 1, first}, text)) return at;
      at = Packed::skip(first < 128 ? at + 1 + first : Packed::skip(at));
    }
    return nullptr;
  }
  while (at != end) {
    const Packed::Text found = Packed::read(at);
    if (same_text(found.text, text)) return at;
    at = Packed::skip(found.next);
  }
  return nullptr;
}

const char* find_pair(const Packed& block, const Packed::Short& field) noexcept {
  return find_pair(block.begin(), block.end(), field);
}

}  // namespace

void detail::HashTraits::destroy(HashEntry* entry) noexcept { std::free(entry); }

std::optional<std::string_view> Hash::find_in_table(std::string_view field) const noexcept {
  if (timed()) return plain().find(field);
  const HashEntry* entry = table().entries.find(field, base::hash_bytes(field));
  if (entry == nullptr) return std::nullopt;
  return entry->value();
}

std::optional<std::string_view> Hash::find_in_block(const Text& field) const noexcept {
  if (where_.null()) return std::nullopt;
  const char* at = find_pair(packed(), field);
  if (at == nullptr) return std::nullopt;
  return Packed::read(Packed::skip(at)).text;
}

/// Whether the block may take so many bytes and a field more.
bool Hash::holds(std::size_t bytes, bool outgrown, const Limits& limits) const noexcept {
  const std::size_t most_bytes = outgrown ? kOutgrownBytes : Packed::kMaxBytes;
  const std::size_t most_fields = outgrown ? limits.max_searched : Packed::kMaxCount;
  if (where_.null()) return bytes <= most_bytes;
  return packed().used() + bytes <= most_bytes && packed().count() < most_fields;
}

Hash::Put Hash::put_in_block(const Text& field, const Text& value, const Limits& limits) {
  bool outgrown = where_.kind() == Kind::outgrown || longer_than(limits.max_packed_value, field.text(), value.text());
  if (!holds(field.size() + value.size(), outgrown, limits)) {
    become_table();
    return put_table(field.text(), value.text());
  }
  const Put put = put_packed(field, value);
  outgrown = outgrown || packed().count() > limits.max_packed_entries;
  if (!outgrown) return put;
  if (packed().count() > limits.max_searched || packed().used() > kOutgrownBytes) {
    become_table();
  } else {
    where_ = {&packed(), Kind::outgrown};
  }
  return put;
}

template <class Source>
std::size_t Hash::put_each(std::span<const Source> fields_and_values, const Limits& limits) {
  FAIRLANE_ASSERT(fields_and_values.size() % 2 == 0);
  if (where_.null() && put_first(fields_and_values, limits)) return size();
  std::size_t inserted = 0;
  for (std::size_t i = 0; i < fields_and_values.size(); i += 2) {
    if (put(fields_and_values[i], fields_and_values[i + 1], limits) == Put::inserted) ++inserted;
  }
  return inserted;
}

std::size_t Hash::put_all(std::span<const std::string_view> fields_and_values, const Limits& limits) {
  return put_each(fields_and_values, limits);
}

std::size_t Hash::put_texts(std::span<const Text> fields_and_values, const Limits& limits) {
  return put_each(fields_and_values, limits);
}

/// Writes a new block at one go and tells whether it did; leaves long lists and repeated fields to put.
template <class Source>
bool Hash::put_first(std::span<const Source> fields_and_values, const Limits& limits) {
  std::array<char, 1024> texts;
  const std::size_t count = fields_and_values.size() / 2;
  if (count == 0 || count > kOutgrownFields) return false;
  bool outgrown = count > limits.max_packed_entries;
  std::uint64_t seen = 0;  // known texts among the fields: a new one needs no search
  char* end = texts.data();
  for (std::size_t i = 0; i < fields_and_values.size(); i += 2) {
    const Text field(fields_and_values[i]);
    const Text value(fields_and_values[i + 1]);
    const std::size_t room = texts.size() - static_cast<std::size_t>(end - texts.data());
    if (field.size() + value.size() > room) return false;
    if ((seen & field.bit()) != 0 || (!field.known() && find_pair(texts.data(), end, field) != nullptr)) return false;
    seen |= field.bit();
    outgrown = outgrown || longer_than(limits.max_packed_value, field.text(), value.text());
    end = value.write(field.write(end));
  }
  const std::string_view written(texts.data(), static_cast<std::size_t>(end - texts.data()));
  where_ = {Packed::create(written, count), outgrown ? Kind::outgrown : Kind::packed};
  return true;
}

Hash::Put Hash::put_packed(const Packed::Short& field, const Packed::Short& value) {
  if (where_.null()) where_ = {Packed::create(field.size() + value.size()), Kind::packed};
  Packed* block = &packed();
  const char* found = find_pair(*block, field);
  if (found == nullptr) {
    const std::size_t offset = block->used();
    block = Packed::replace(block, offset, 0, field.size() + value.size(), 1);
    value.write(field.write(block->begin() + offset));
    where_ = {block, where_.kind()};
    return Put::inserted;
  }
  const char* old = Packed::skip(found);
  const std::size_t old_size = static_cast<std::size_t>(Packed::skip(old) - old);
  const std::size_t offset = static_cast<std::size_t>(old - block->begin());
  if (old_size != value.size()) {
    block = Packed::replace(block, offset, old_size, value.size(), 0);
    where_ = {block, where_.kind()};
  }
  value.write(block->begin() + offset);
  return Put::updated;
}

Hash::Put Hash::put_table(std::string_view field, std::string_view value) {
  const std::uint64_t hash = base::hash_bytes(field);
  HashTable& into = table();
  HashEntry** slot = into.entries.find_slot(field, hash);
  if (slot == nullptr) {
    insert_entry(into, field, value, hash);
    return Put::inserted;
  }
  replace_value(*slot, value);
  return Put::updated;
}

void Hash::replace_value(HashEntry*& entry, std::string_view value) {
  if (entry->value_length != value.size()) {
    HashTable& of = table();
    of.entry_bytes -= entry_memory(*entry);
    void* memory = std::realloc(entry, entry_size(entry->field_length, value.size()));
    if (memory == nullptr) throw std::bad_alloc();
    entry = static_cast<HashEntry*>(memory);
    entry->value_length = static_cast<std::uint32_t>(value.size());
    of.entry_bytes += entry_memory(*entry);
  }
  write_value(*entry, value);
}

void Hash::become_table() {
  HashTable* table = new HashTable;
  for_each([&](std::string_view field, std::string_view value) {
    insert_entry(*table, field, value, base::hash_bytes(field));
  });
  release();
  where_ = {table, Kind::table};
}

std::optional<std::int64_t> Hash::add(const Text& field, std::int64_t delta, const Limits& limits) {
  if (timed()) return plain().add(field, delta, limits);
  if (!is_block()) return add_in_table(field.text(), delta);
  const auto old = find(field);
  if (!old) {
    put(field, Text(base::NumberText(delta)), limits);
    return delta;
  }
  const auto value = base::parse_integer(*old);
  std::int64_t sum = 0;
  if (!value || __builtin_add_overflow(*value, delta, &sum)) return std::nullopt;
  const base::NumberText text(sum);
  if (text.view().size() == old->size()) {
    // No number is a known text, so the bytes are this hash's own.
    std::memcpy(const_cast<char*>(old->data()), text.view().data(), old->size());
  } else {
    put(field, Text(text), limits);
  }
  return sum;
}

std::optional<std::int64_t> Hash::add_in_table(std::string_view field, std::int64_t delta) {
  const std::uint64_t hash = base::hash_bytes(field);
  HashEntry** slot = table().entries.find_slot(field, hash);
  if (slot == nullptr) {
    insert_entry(table(), field, base::NumberText(delta), hash);
    return delta;
  }
  const auto value = base::parse_integer((*slot)->value());
  std::int64_t sum = 0;
  if (!value || __builtin_add_overflow(*value, delta, &sum)) return std::nullopt;
  replace_value(*slot, base::NumberText(sum));
  return sum;
}

Hash::Down Hash::count_down(std::string_view field, const Limits& limits) {
  if (!is_block()) return timed() ? count_down_timed(field, limits) : count_down_in_table(field);
  const auto text = find(field);
  if (!text) return Down::absent;
  if (base::parse_integer(*text).value_or(0) > 1) {
    add(field, -1, limits);
    return Down::counted;
  }
  erase(field);
  return Down::erased;
}

/// Looks for the field once.
Hash::Down Hash::count_down_in_table(std::string_view field) {
  Down down = Down::absent;
  HashEntry* entry = table().entries.extract_if(field, base::hash_bytes(field), [&](HashEntry*& found) {
    const std::int64_t count = base::parse_integer(found->value()).value_or(0);
    down = count > 1 ? Down::counted : Down::erased;
    if (count > 1) replace_value(found, base::NumberText(count - 1));
    return count <= 1;
  });
  if (entry != nullptr) drop(entry);
  return down;
}

/// Ends an entry that was taken out of the table.
void Hash::drop(HashEntry* entry) noexcept {
  table().entry_bytes -= entry_memory(*entry);
  detail::HashTraits::destroy(entry);
  if (table().entries.empty()) release();
}

bool Hash::erase(std::string_view field) {
  if (where_.null()) return false;
  if (timed()) return erase_timed(field);
  if (!is_block()) {
    HashEntry* entry = table().entries.extract(field, base::hash_bytes(field));
    if (entry == nullptr) return false;
    drop(entry);
    return true;
  }
  const char* at = find_pair(packed(), Packed::Short(field));
  if (at == nullptr) return false;
  if (packed().count() == 1) {
    release();
    return true;
  }
  const std::size_t stale = static_cast<std::size_t>(Packed::skip(Packed::skip(at)) - at);
  const std::size_t offset = static_cast<std::size_t>(at - packed().begin());
  where_ = {Packed::replace(&packed(), offset, stale, 0, -1), where_.kind()};
  return true;
}

void Hash::release() noexcept {
  if (where_.null()) return;
  if (is_block()) {
    Packed::destroy(&packed());
  } else if (timed()) {
    delete &beside();
  } else {
    delete &table();
  }
  where_ = {};
}

Hash::Pair Hash::at(std::size_t index) const noexcept {
  if (timed()) return plain().at(index);
  FAIRLANE_ASSERT(!where_.null() && is_block() && index < packed().count());
  const char* at = packed().begin();
  for (; index > 0; --index) at = Packed::skip(Packed::skip(at));
  const Packed::Text field = Packed::read(at);
  return {field.text, Packed::read(field.next).text};
}

Hash::Pair Hash::random(base::Random& random) const noexcept {
  FAIRLANE_ASSERT(!where_.null());
  if (timed()) return plain().random(random);
  if (is_block()) return at(static_cast<std::size_t>(random.below(packed().count())));
  const HashEntry* entry = table().entries.random(random);
  return {entry->field(), entry->value()};
}

std::size_t Hash::memory() const noexcept {
  if (where_.null()) return 0;
  if (is_block()) return packed().memory();
  if (timed()) {
    return allocation_size(sizeof(detail::TimedHash)) + plain().memory() + beside().deadlines.memory();
  }
  return allocation_size(sizeof(HashTable)) + table().entries.memory() + table().entry_bytes;
}

Hash Hash::clone() const {
  Hash copy;
  if (where_.null()) return copy;
  if (is_block()) {
    copy.where_ = {packed().clone(), where_.kind()};
    return copy;
  }
  if (timed()) return clone_timed();
  copy.where_ = {new HashTable, Kind::table};
  for_each([&](std::string_view field, std::string_view value) {
    insert_entry(copy.table(), field, value, base::hash_bytes(field));
  });
  return copy;
}

}  // namespace fairlane::data
