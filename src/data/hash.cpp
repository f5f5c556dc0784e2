#include "fairlane/data/hash.hpp"

#include <cstdlib>
#include <cstring>
#include <new>

#include "fairlane/base/assert.hpp"

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
  if (!value.empty()) std::memcpy(entry.bytes() + entry.field_length, value.data(), value.size());
}

HashEntry* make_entry(std::string_view field, std::string_view value) {
  void* memory = std::malloc(entry_size(field.size(), value.size()));
  if (memory == nullptr) throw std::bad_alloc();
  HashEntry* entry = new (memory) HashEntry;
  entry->field_length = static_cast<std::uint32_t>(field.size());
  if (!field.empty()) std::memcpy(entry->bytes(), field.data(), field.size());
  write_value(*entry, value);
  return entry;
}

void insert_entry(HashTable& table, std::string_view field, std::string_view value, std::uint64_t hash) {
  HashEntry* entry = make_entry(field, value);
  table.entry_bytes += entry_memory(*entry);
  table.entries.insert(entry, hash);
}

}  // namespace

void detail::HashTraits::destroy(HashEntry* entry) noexcept { std::free(entry); }

/// Where the field begins in the block; null when absent.
const char* Hash::find_packed(std::string_view field) const noexcept {
  const char* const end = packed().end();
  const char* at = packed().begin();
  if (const unsigned number = known_text_number(field); number != 0) {
    const char name = Packed::known_byte(number);
    while (at != end && *at != name) at = Packed::skip(Packed::skip(at));
    return at != end ? at : nullptr;
  }
  while (at != end) {
    const Packed::Text text = Packed::read(at);
    if (text.text == field) return at;
    at = Packed::skip(text.next);
  }
  return nullptr;
}

std::optional<std::string_view> Hash::find(std::string_view field) const noexcept {
  if (where_.null()) return std::nullopt;
  if (is_table()) {
    const HashEntry* entry = table().entries.find(field, base::hash_bytes(field));
    if (entry == nullptr) return std::nullopt;
    return entry->value();
  }
  const char* at = find_packed(field);
  if (at == nullptr) return std::nullopt;
  return Packed::read(Packed::skip(at)).text;
}

bool Hash::fits(std::string_view field, std::string_view value, const Limits& limits) const noexcept {
  if (field.size() > limits.max_packed_value || value.size() > limits.max_packed_value) return false;
  const std::size_t used = where_.null() ? 0 : packed().used();
  return size() < Packed::kMaxCount && used + Packed::size_of(field) + Packed::size_of(value) <= Packed::kMaxBytes;
}

Hash::Put Hash::put(std::string_view field, std::string_view value, const Limits& limits) {
  if (!where_.null() && is_table()) return put_table(field, value);
  if (!fits(field, value, limits)) {
    become_table();
    return put_table(field, value);
  }
  const Put put = put_packed(field, value);
  if (size() > limits.max_packed_entries) become_table();
  return put;
}

std::size_t Hash::put_all(std::span<const std::string_view> fields_and_values, const Limits& limits) {
  FAIRLANE_ASSERT(fields_and_values.size() % 2 == 0);
  if (where_.null()) {
    std::size_t bytes = 0;
    bool fit = fields_and_values.size() / 2 <= limits.max_packed_entries;
    for (std::size_t i = 0; i < fields_and_values.size() && fit; i += 2) {
      bytes += Packed::size_of_known(fields_and_values[i]) + Packed::size_of_known(fields_and_values[i + 1]);
      fit = fits(fields_and_values[i], fields_and_values[i + 1], limits) && bytes <= Packed::kMaxBytes;
    }
    if (fit && !fields_and_values.empty()) where_ = {Packed::create(bytes), Kind::packed};
  }
  std::size_t inserted = 0;
  for (std::size_t i = 0; i < fields_and_values.size(); i += 2) {
    if (put(fields_and_values[i], fields_and_values[i + 1], limits) == Put::inserted) ++inserted;
  }
  return inserted;
}

Hash::Put Hash::put_packed(std::string_view field, std::string_view value) {
  const std::size_t value_size = Packed::size_of_known(value);
  if (where_.null()) where_ = {Packed::create(Packed::size_of_known(field) + value_size), Kind::packed};
  Packed* block = &packed();
  const char* found = find_packed(field);
  if (found == nullptr) {
    const std::size_t offset = block->used();
    block = Packed::replace(block, offset, 0, Packed::size_of_known(field) + value_size, 1);
    Packed::write_known(Packed::write_known(block->begin() + offset, field), value);
    where_ = {block, Kind::packed};
    return Put::inserted;
  }
  const char* old = Packed::skip(found);
  const std::size_t old_size = static_cast<std::size_t>(Packed::skip(old) - old);
  const std::size_t offset = static_cast<std::size_t>(old - block->begin());
  if (old_size != value_size) {
    block = Packed::replace(block, offset, old_size, value_size, 0);
    where_ = {block, Kind::packed};
  }
  Packed::write_known(block->begin() + offset, value);
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
  if ((*slot)->value_length != value.size()) {
    into.entry_bytes -= entry_memory(**slot);
    void* memory = std::realloc(*slot, entry_size(field.size(), value.size()));
    if (memory == nullptr) throw std::bad_alloc();
    *slot = static_cast<HashEntry*>(memory);
    (*slot)->value_length = static_cast<std::uint32_t>(value.size());
    into.entry_bytes += entry_memory(**slot);
  }
  write_value(**slot, value);
  return Put::updated;
}

void Hash::become_table() {
  HashTable* table = new HashTable;
  for_each([&](std::string_view field, std::string_view value) {
    insert_entry(*table, field, value, base::hash_bytes(field));
  });
  clear();
  where_ = {table, Kind::table};
}

bool Hash::erase(std::string_view field) {
  if (where_.null()) return false;
  if (is_table()) {
    HashEntry* entry = table().entries.extract(field, base::hash_bytes(field));
    if (entry == nullptr) return false;
    table().entry_bytes -= entry_memory(*entry);
    detail::HashTraits::destroy(entry);
    if (table().entries.empty()) clear();
    return true;
  }
  const char* at = find_packed(field);
  if (at == nullptr) return false;
  if (packed().count() == 1) {
    clear();
    return true;
  }
  const std::size_t stale = static_cast<std::size_t>(Packed::skip(Packed::skip(at)) - at);
  const std::size_t offset = static_cast<std::size_t>(at - packed().begin());
  where_ = {Packed::replace(&packed(), offset, stale, 0, -1), Kind::packed};
  return true;
}

void Hash::clear() noexcept {
  if (where_.null()) return;
  if (is_table()) {
    delete &table();
  } else {
    Packed::destroy(&packed());
  }
  where_ = {};
}

Hash::Pair Hash::at(std::size_t index) const noexcept {
  FAIRLANE_ASSERT(!where_.null() && !is_table() && index < packed().count());
  const char* at = packed().begin();
  for (; index > 0; --index) at = Packed::skip(Packed::skip(at));
  const Packed::Text field = Packed::read(at);
  return {field.text, Packed::read(field.next).text};
}

Hash::Pair Hash::random(base::Random& random) const noexcept {
  FAIRLANE_ASSERT(!where_.null());
  if (!is_table()) return at(static_cast<std::size_t>(random.below(packed().count())));
  const HashEntry* entry = table().entries.random(random);
  return {entry->field(), entry->value()};
}

std::size_t Hash::memory() const noexcept {
  if (where_.null()) return 0;
  if (!is_table()) return packed().memory();
  return allocation_size(sizeof(HashTable)) + table().entries.memory() + table().entry_bytes;
}

Hash Hash::clone() const {
  Hash copy;
  if (where_.null()) return copy;
  if (!is_table()) {
    copy.where_ = {packed().clone(), Kind::packed};
    return copy;
  }
  copy.where_ = {new HashTable, Kind::table};
  for_each([&](std::string_view field, std::string_view value) {
    insert_entry(copy.table(), field, value, base::hash_bytes(field));
  });
  return copy;
}

}  // namespace fairlane::data
