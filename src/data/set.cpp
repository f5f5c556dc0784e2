#include "fairlane/data/set.hpp"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <new>

#include "data/intset.hpp"
#include "fairlane/base/assert.hpp"

namespace fairlane::data {

using detail::SetEntry;
using detail::SetTable;

namespace {

std::size_t entry_memory(const SetEntry& entry) noexcept { return allocation_size(sizeof(SetEntry) + entry.length); }

void insert_entry(SetTable& table, std::string_view member, std::uint64_t hash) {
  void* memory = std::malloc(sizeof(SetEntry) + member.size());
  if (memory == nullptr) throw std::bad_alloc();
  SetEntry* entry = new (memory) SetEntry;
  entry->length = static_cast<std::uint32_t>(member.size());
  if (!member.empty()) std::memcpy(entry->bytes(), member.data(), member.size());
  table.entry_bytes += entry_memory(*entry);
  table.entries.insert(entry, hash);
}

}  // namespace

void detail::SetTraits::destroy(SetEntry* entry) noexcept { std::free(entry); }

std::size_t Set::size() const noexcept {
  if (where_.null()) return 0;
  switch (where_.kind()) {
    case Kind::packed:
      return packed().count();
    case Kind::table:
      return table().entries.size();
    case Kind::intset:
      return intset().size();
  }
  return 0;
}

std::size_t Set::integer_width() const noexcept { return intset().width(); }

std::string_view Set::integer_at(std::size_t index, Scratch& scratch) const noexcept {
  const char* end = std::to_chars(scratch.data(), scratch.data() + scratch.size(), intset().at(index)).ptr;
  return {scratch.data(), static_cast<std::size_t>(end - scratch.data())};
}

/// Where the member begins in the block; null when absent.
const char* Set::find_packed(std::string_view member) const noexcept {
  const char* const end = packed().end();
  for (const char* at = packed().begin(); at != end;) {
    const Packed::Text text = Packed::read(at);
    if (same_text(text.text, member)) return at;
    at = text.next;
  }
  return nullptr;
}

bool Set::contains(std::string_view member) const noexcept {
  if (where_.null()) return false;
  if (where_.kind() == Kind::table) return table().entries.find(member, base::hash_bytes(member)) != nullptr;
  if (where_.kind() == Kind::packed) return find_packed(member) != nullptr;
  const auto value = canonical_integer(member);
  return value.has_value() && intset().contains(*value);
}

bool Set::add(std::string_view member, const Limits& limits) {
  if (where_.null() || where_.kind() == Kind::intset) {
    if (const auto value = canonical_integer(member)) {
      if (where_.null()) where_ = {Intset::create(), Kind::intset};
      const Intset::Change change = Intset::add(&intset(), *value);
      where_ = {change.set, Kind::intset};
      if (change.done && size() > limits.max_intset_entries) become_table();
      return change.done;
    }
  }
  return add_text(member, limits);
}

bool Set::add_text(std::string_view member, const Limits& limits) {
  if (!where_.null() && where_.kind() == Kind::table) return add_table(member);
  if (!where_.null() && where_.kind() == Kind::packed && find_packed(member) != nullptr) return false;
  const std::size_t room = Packed::size_of(member);
  constexpr std::size_t kLongestInteger = 21;
  const bool packs = !where_.null() && where_.kind() == Kind::packed;
  const std::size_t used = packs ? packed().used() : size() * kLongestInteger;
  if (size() >= limits.max_packed_entries || size() >= Packed::kMaxCount || member.size() > limits.max_packed_value ||
      used + room > Packed::kMaxBytes) {
    become_table();
    return add_table(member);
  }
  if (!packs) become_packed(room);
  const std::size_t offset = packed().used();
  Packed* block = Packed::replace(&packed(), offset, 0, room, 1);
  Packed::write(block->begin() + offset, member);
  where_ = {block, Kind::packed};
  return true;
}

bool Set::add_table(std::string_view member) {
  const std::uint64_t hash = base::hash_bytes(member);
  if (table().entries.find(member, hash) != nullptr) return false;
  insert_entry(table(), member, hash);
  return true;
}

/// From nothing or an intset to a block with room for as many bytes more.
void Set::become_packed(std::size_t room) {
  for_each([&](std::string_view member) { room += Packed::size_of(member); });
  Packed* block = Packed::create(room);
  for_each([&](std::string_view member) {
    const std::size_t offset = block->used();
    block = Packed::replace(block, offset, 0, Packed::size_of(member), 1);
    Packed::write(block->begin() + offset, member);
  });
  clear();
  where_ = {block, Kind::packed};
}

void Set::become_table() {
  SetTable* table = new SetTable;
  for_each([&](std::string_view member) { insert_entry(*table, member, base::hash_bytes(member)); });
  clear();
  where_ = {table, Kind::table};
}

bool Set::erase(std::string_view member) {
  if (where_.null()) return false;
  if (where_.kind() == Kind::table) {
    SetEntry* entry = table().entries.extract(member, base::hash_bytes(member));
    if (entry == nullptr) return false;
    table().entry_bytes -= entry_memory(*entry);
    detail::SetTraits::destroy(entry);
  } else if (where_.kind() == Kind::packed) {
    const char* at = find_packed(member);
    if (at == nullptr) return false;
    const std::size_t stale = static_cast<std::size_t>(Packed::skip(at) - at);
    const std::size_t offset = static_cast<std::size_t>(at - packed().begin());
    where_ = {Packed::replace(&packed(), offset, stale, 0, -1), Kind::packed};
  } else {
    const auto value = canonical_integer(member);
    if (!value.has_value()) return false;
    const Intset::Change change = Intset::erase(&intset(), *value);
    where_ = {change.set, Kind::intset};
    if (!change.done) return false;
  }
  if (size() == 0) clear();
  return true;
}

void Set::clear() noexcept {
  if (where_.null()) return;
  switch (where_.kind()) {
    case Kind::packed:
      Packed::destroy(&packed());
      break;
    case Kind::table:
      delete &table();
      break;
    case Kind::intset:
      Intset::destroy(&intset());
      break;
  }
  where_ = {};
}

std::string_view Set::random(base::Random& random, Scratch& scratch) const noexcept {
  FAIRLANE_ASSERT(!where_.null());
  if (where_.kind() == Kind::table) return table().entries.random(random)->member();
  std::size_t index = static_cast<std::size_t>(random.below(size()));
  if (where_.kind() == Kind::intset) return integer_at(index, scratch);
  const char* at = packed().begin();
  for (; index > 0; --index) at = Packed::skip(at);
  return Packed::read(at).text;
}

std::string Set::pop(base::Random& random) {
  Scratch scratch;
  std::string member(this->random(random, scratch));
  erase(member);
  return member;
}

std::size_t Set::memory() const noexcept {
  if (where_.null()) return 0;
  switch (where_.kind()) {
    case Kind::packed:
      return packed().memory();
    case Kind::table:
      return allocation_size(sizeof(SetTable)) + table().entries.memory() + table().entry_bytes;
    case Kind::intset:
      return intset().memory();
  }
  return 0;
}

Set Set::clone() const {
  Set copy;
  if (where_.null()) return copy;
  if (where_.kind() == Kind::packed) {
    copy.where_ = {packed().clone(), Kind::packed};
  } else if (where_.kind() == Kind::intset) {
    copy.where_ = {intset().clone(), Kind::intset};
  } else {
    copy.where_ = {new SetTable, Kind::table};
    for_each([&](std::string_view member) { insert_entry(copy.table(), member, base::hash_bytes(member)); });
  }
  return copy;
}

}  // namespace fairlane::data
