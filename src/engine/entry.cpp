#include "fairlane/engine/entry.hpp"

#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "fairlane/base/copy_text.hpp"

namespace fairlane::engine {
namespace {

/// Strings up to this length lie behind the key. Longer ones would make every change of the entry's layout copy them.
constexpr std::size_t kMaxEmbedded = 256;

void* checked_malloc(std::size_t size) {
  void* memory = std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

constexpr std::size_t round_up(std::size_t size) { return (size + 15) & ~std::size_t{15}; }

/// Calls `action` with the container's value as its own type.
template <class E, class F>
auto with_container(E& entry, F&& action) {
  switch (entry.type()) {
    case Type::list:
      return action(entry.template value<data::List>());
    case Type::set:
      return action(entry.template value<data::Set>());
    case Type::hash:
      return action(entry.template value<data::Hash>());
    case Type::stream:
      return action(entry.template value<data::Stream>());
    default:
      return action(entry.template value<data::SortedSet>());
  }
}

}  // namespace

struct Entry::HeapText {
  std::size_t size;
  std::size_t room;

  char* bytes() noexcept { return reinterpret_cast<char*>(this + 1); }
  static HeapText* make(std::size_t room) {
    auto* text = static_cast<HeapText*>(checked_malloc(sizeof(HeapText) + room));
    text->size = 0;
    text->room = room;
    return text;
  }
};

std::string_view type_name(Type type) noexcept {
  constexpr std::string_view kNames[] = {"string", "list", "set", "zset", "hash", "stream"};
  return kNames[static_cast<std::size_t>(type)];
}

static_assert(sizeof(data::List) == 8 && sizeof(data::Set) == 8 && sizeof(data::SortedSet) == 8 &&
              sizeof(data::Hash) == 8 && sizeof(data::Stream) == 8);

Entry* Entry::allocate(std::string_view key, Type type, bool with_deadline, std::size_t value_room) {
  static_assert(sizeof(Entry) == 16 && sizeof(DeadlineBlock) == 16);
  const std::size_t used = header_size(with_deadline) + key.size();
  const std::size_t size = round_up(used + value_room);
  auto* entry = static_cast<Entry*>(checked_malloc(size));
  entry->set_word(0);
  entry->meta_ = static_cast<std::uint32_t>(type) << 24 | (with_deadline ? kDeadlineBit : 0);
  entry->key_length_ = static_cast<std::uint32_t>(key.size());
  if (with_deadline) *entry->deadline_block() = {0, kNoPosition, 0};
  base::copy_text(const_cast<char*>(entry->key_bytes()), key);
  if (type == Type::string) entry->set_embedded(0, static_cast<std::uint32_t>(size - used));
  return entry;
}

Entry* Entry::make(std::string_view key, Type type) {
  Entry* entry = allocate(key, type, false, 0);
  with_container(*entry, [](auto& value) { std::construct_at(&value); });
  return entry;
}

Entry* Entry::make_string(std::string_view key, std::string_view value, bool with_deadline) {
  const std::optional<std::int64_t> number =
      value.size() <= base::kIntegerChars ? base::parse_integer(value) : std::nullopt;
  if (!number) return make_text(key, value, with_deadline);
  Entry* entry = allocate(key, Type::string, with_deadline, 0);
  entry->set_form(Form::integer);
  entry->set_word(static_cast<std::uint64_t>(*number));
  return entry;
}

Entry* Entry::make_text(std::string_view key, std::string_view value, bool with_deadline) {
  const std::size_t room = value.size() <= kMaxEmbedded ? value.size() : 0;
  Entry* entry = allocate(key, Type::string, with_deadline, room);
  entry->set_form(Form::embedded);
  entry->set_text(value);
  return entry;
}

void Entry::release_text() noexcept {
  if (form() == Form::heap) std::free(heap_text());
}

void Entry::destroy(Entry* entry) noexcept {
  if (entry->type() == Type::string) {
    entry->release_text();
  } else {
    with_container(*entry, [](auto& value) { std::destroy_at(&value); });
  }
  std::free(entry);
}

/// Puts bytes where they fit: behind the key, or in an allocation. The entry is a string in embedded form with its
/// room.
void Entry::set_text(std::string_view value) {
  if (value.size() <= embedded_room()) {
    base::copy_text(embedded_bytes(), value);
    set_embedded(static_cast<std::uint32_t>(value.size()), embedded_room());
    return;
  }
  HeapText* text = HeapText::make(value.size());
  std::memcpy(text->bytes(), value.data(), value.size());
  text->size = value.size();
  set_word(reinterpret_cast<std::uintptr_t>(text));
  set_form(Form::heap);
}

Entry* Entry::with_key(Entry* entry, std::string_view key) {
  const bool embedded = entry->type() == Type::string && entry->form() == Form::embedded;
  Entry* renamed = allocate(key, entry->type(), entry->has_deadline(), embedded ? entry->embedded_size() : 0);
  if (entry->has_deadline()) *renamed->deadline_block() = *entry->deadline_block();
  renamed->meta_ = entry->meta_;
  if (embedded) {
    renamed->set_text({entry->embedded_bytes(), entry->embedded_size()});
  } else {
    renamed->set_word(entry->word());
  }
  std::free(entry);
  return renamed;
}

Entry* Entry::with_deadline(Entry* entry, bool wanted) {
  if (entry->has_deadline() == wanted) return entry;
  const bool embedded = entry->type() == Type::string && entry->form() == Form::embedded;
  Entry* changed = allocate(entry->key(), entry->type(), wanted, embedded ? entry->embedded_size() : 0);
  changed->meta_ = (entry->meta_ & ~kDeadlineBit) | (wanted ? kDeadlineBit : 0);
  if (embedded) {
    changed->set_text({entry->embedded_bytes(), entry->embedded_size()});
  } else {
    changed->set_word(entry->word());
  }
  std::free(entry);
  return changed;
}

Entry* Entry::clone(const Entry* entry, std::string_view key) {
  Entry* copy = nullptr;
  if (entry->type() == Type::string) {
    Scratch scratch;
    const auto make = entry->is_integer() ? make_string : make_text;
    copy = make(key, entry->text(scratch), entry->has_deadline());
    copy->set_edited(entry->edited());
  } else {
    copy = allocate(key, entry->type(), entry->has_deadline(), 0);
    with_container(*entry, [copy](const auto& value) {
      using T = std::remove_cvref_t<decltype(value)>;
      std::construct_at(&copy->value<T>(), value.clone());
    });
  }
  if (entry->has_deadline()) copy->set_deadline(entry->deadline());
  copy->touch(entry->access());
  return copy;
}

std::string_view Entry::text(Scratch& scratch) const noexcept {
  switch (form()) {
    case Form::integer:
      return {scratch.data(), base::format_integer(scratch.data(), integer())};
    case Form::embedded:
      return {embedded_bytes(), embedded_size()};
    default:
      return {heap_text()->bytes(), heap_text()->size};
  }
}

std::size_t Entry::text_size() const noexcept {
  Scratch scratch;
  return text(scratch).size();
}

Entry* Entry::assign(Entry* entry, std::string_view value) {
  if (value.size() <= base::kIntegerChars) {
    if (const auto number = base::parse_integer(value)) {
      entry->assign_integer(*number);
      return entry;
    }
  }
  return assign_text(entry, value);
}

Entry* Entry::assign_text(Entry* entry, std::string_view value) {
  entry->set_edited(false);
  if (entry->form() == Form::embedded && value.size() <= entry->embedded_room()) {
    entry->set_text(value);
    return entry;
  }
  if (entry->form() == Form::heap && value.size() > kMaxEmbedded && value.size() <= entry->heap_text()->room &&
      value.size() >= entry->heap_text()->room / 2) {
    std::memcpy(entry->heap_text()->bytes(), value.data(), value.size());
    entry->heap_text()->size = value.size();
    return entry;
  }
  Entry* fresh = make_text(entry->key(), value, entry->has_deadline());
  if (entry->has_deadline()) *fresh->deadline_block() = *entry->deadline_block();
  fresh->touch(entry->access());
  destroy(entry);
  return fresh;
}

Entry* Entry::resize(Entry* entry, std::size_t size) {
  Scratch scratch;
  const std::string_view old = entry->text(scratch);
  if (entry->form() == Form::heap && size <= entry->heap_text()->room) {
    HeapText* text = entry->heap_text();
    if (size > text->size) std::memset(text->bytes() + text->size, 0, size - text->size);
    text->size = size;
    entry->set_edited(true);
    return entry;
  }
  if (entry->form() == Form::embedded && size <= entry->embedded_room()) {
    if (size > old.size()) std::memset(entry->embedded_bytes() + old.size(), 0, size - old.size());
    entry->set_embedded(static_cast<std::uint32_t>(size), entry->embedded_room());
    entry->set_edited(true);
    return entry;
  }
  // Strings that are appended to grow again: leave as much room as there is text, a megabyte at most.
  const std::size_t room = size + (old.empty() ? 0 : (size < (1U << 20) ? size : (1U << 20)));
  HeapText* text = HeapText::make(room);
  const std::size_t kept = old.size() < size ? old.size() : size;
  if (kept != 0) std::memcpy(text->bytes(), old.data(), kept);
  std::memset(text->bytes() + kept, 0, size - kept);
  text->size = size;
  entry->release_text();
  entry->set_word(reinterpret_cast<std::uintptr_t>(text));
  entry->set_form(Form::heap);
  entry->set_edited(true);
  return entry;
}

char* Entry::editable() noexcept {
  FAIRLANE_ASSERT(form() != Form::integer);
  return form() == Form::heap ? heap_text()->bytes() : embedded_bytes();
}

std::size_t Entry::memory() const noexcept {
  std::size_t size = header_size(has_deadline()) + key_length_;
  if (type() != Type::string) return round_up(size) + with_container(*this, [](const auto& v) { return v.memory(); });
  if (form() == Form::embedded) size += embedded_room();
  size = round_up(size);
  if (form() == Form::heap) size += sizeof(HeapText) + heap_text()->room;
  return size;
}

}  // namespace fairlane::engine
