#include "fairlane/engine/database.hpp"

#include <algorithm>
#include <utility>

namespace fairlane::engine {

Database::~Database() = default;

Entry* Database::live_checked(Entry* entry) {
  if (!past_deadline(*entry)) return has_due_field(*entry) ? erase_due_fields(entry, SIZE_MAX) : entry;
  publish_end(*entry);
  remove(entry);
  return nullptr;
}

Entry* Database::readable_checked(Entry* entry) {
  if (!shared_->keep_expired) [[likely]]
    return live_checked(entry);
  if (expired(*entry)) return nullptr;
  return has_due_field(*entry) ? kept_hashes_.live_part(entry, shared_->now) : entry;
}

Entry* Database::erase_due_fields(Entry* entry, std::size_t most) {
  auto& hash = entry->value<data::Hash>();
  kept_hashes_.forget(entry);
  const std::size_t erased = hash.erase_due(shared_->now, most);
  settle_fields(entry);
  if (erased == 0) return entry;
  publish_due_fields(*entry, hash.empty());
  if (!hash.empty()) return entry;
  remove(entry);
  return nullptr;
}

void Database::publish_end(const Entry& entry) {
  if (!past_deadline(entry)) return publish_due_fields(entry, true);
  ++shared_->expired;
  shared_->changes.publish({index_, entry.key(), events::kExpired, false, false, true, true});
}

void Database::publish_due_fields(const Entry& entry, bool all) {
  // One change, whatever is said of it: who expects the key to end expects one.
  shared_->changes.publish({index_, entry.key(), events::kHExpired, false, false, all, true});
  if (all) notify(entry.key(), events::kDel);
}

Entry** Database::live_slot(std::string_view key, std::uint64_t hash) {
  Entry** slot = table_.find_slot(key, hash);
  if (slot == nullptr || !(*slot)->ages()) return slot;
  return live_checked(*slot) != nullptr ? slot : nullptr;
}

Entry* Database::find_place(const RememberedKey& key) {
  Entry* entry = table_.find(key.text, key.hash);
  const bool stays = entry == nullptr || (!entry->ages() && entry->type() != Type::string);
  *key.place = stays ? KeyPlace{entry, versions_.of(key.hash)} : KeyPlace{};
  return entry;
}

const Entry* Database::peek(std::string_view key) { return readable(key, base::hash_bytes(key)); }

void Database::remove_from_indexes(Entry* entry) noexcept {
  if (entry->has_deadline()) expiry_.remove(entry);
  if (!entry->has_field_deadlines()) return;
  field_expiry_.remove(entry);
  kept_hashes_.forget(entry);
}

void Database::remove(Entry* entry) noexcept {
  remove_from_indexes(entry);
  const std::uint64_t hash = base::hash_bytes(entry->key());
  versions_.change(hash, shared_->last_version);
  table_.extract(entry->key(), hash);
  Entry::destroy(entry);
}

Entry* Database::extract(std::string_view key, std::uint64_t hash) noexcept {
  Entry* entry = table_.extract(key, hash);
  versions_.change(hash, shared_->last_version);
  if (entry != nullptr) remove_from_indexes(entry);
  return entry;
}

bool Database::put(Entry* entry) {
  const std::uint64_t hash = base::hash_bytes(entry->key());
  Entry** slot = live_slot(entry->key(), hash);
  shared_->touch_first(*entry);
  const bool created = slot == nullptr;
  if (created) {
    insert(entry, hash);
  } else {
    remove_from_indexes(*slot);
    versions_.change(hash, shared_->last_version);
    Entry::destroy(std::exchange(*slot, entry));
  }
  if (entry->has_deadline()) {
    entry->set_expiry_position(Entry::kNoPosition);
    expiry_.set(entry, entry->deadline());
    shared_->deadline_came_nearer = true;
  }
  if (entry->type() == Type::hash && entry->value<data::Hash>().timed()) settle_fields(entry);
  return created;
}

bool Database::store_string(std::string_view key, std::string_view value, Deadline deadline) {
  const std::uint64_t hash = base::hash_bytes(key);
  Entry** slot = live_slot(key, hash);
  if (slot != nullptr) {
    replace_string(slot, value, deadline);
    return false;
  }
  insert(touched_first(Entry::make_string(key, value, false)), hash);
  return true;
}

Stored Database::store_string(std::string_view key, std::string_view value, const StoreRule& rule) {
  const std::uint64_t hash = base::hash_bytes(key);
  Entry** slot = live_slot(key, hash);
  if (slot == nullptr) {
    if (rule.condition == StoreRule::If::present) return Stored::refused;
    Entry* entry = touched_first(Entry::make_string(key, value, rule.when.has_value()));
    insert(entry, hash);
    if (rule.when) set_deadline(entry, *rule.when);
    return Stored::created;
  }
  if (rule.condition == StoreRule::If::absent) return Stored::refused;
  replace_string(slot, value, rule.when ? Deadline::keep : rule.deadline);
  if (rule.when) set_deadline(set_deadline_room(slot, true), *rule.when);
  return Stored::replaced;
}

void Database::replace_string(Entry** slot, std::string_view value, Deadline deadline) {
  Entry* old = *slot;
  if (old->type() != Type::string) {
    const bool keeps = deadline == Deadline::keep && old->has_deadline();
    Entry* entry = Entry::make_string(old->key(), value, keeps);
    const std::int64_t when = keeps ? old->deadline() : 0;
    remove_from_indexes(old);
    versions_.change(base::hash_bytes(old->key()), shared_->last_version);
    shared_->changes.publish({index_, old->key(), events::kReplaced, false, false, true, false});
    Entry::destroy(std::exchange(*slot, entry));
    if (keeps) expiry_.set(entry, when);
    touched(entry);
    return;
  }
  if (old->has_deadline() && deadline == Deadline::clear) old = set_deadline_room(slot, false);
  Entry* entry = Entry::assign(old, value);
  if (entry != old) {
    *slot = entry;
    if (entry->has_deadline()) expiry_.relocated(entry);
  }
  touched(entry);
}

bool Database::erase(HashedKey key, Event event) {
  Entry* entry = extract(key.text, key.hash);
  if (entry == nullptr) return false;
  const bool there = !expired(*entry);
  if (there) {
    shared_->changes.publish({index_, entry->key(), event, false, false, true, true});
  } else {
    publish_end(*entry);
  }
  Entry::destroy(entry);
  return there;
}

void Database::published(std::string_view key, Event event, bool created, bool grew) {
  shared_->changes.publish({index_, key, event, created, grew, false, true});
}

void Database::notify(std::string_view key, Event event, bool wakes) {
  shared_->changes.publish({index_, key, event, false, wakes, false, false});
}

Entry* Database::set_deadline_room(Entry** slot, bool wanted) noexcept {
  if ((*slot)->has_deadline() && !wanted) expiry_.remove(*slot);
  if ((*slot)->type() != Type::string) versions_.change(base::hash_bytes((*slot)->key()), shared_->last_version);
  kept_hashes_.forget(*slot);
  *slot = Entry::with_deadline(*slot, wanted);
  if ((*slot)->has_field_deadlines()) field_expiry_.relocated(*slot);
  return *slot;
}

void Database::expire_at(std::string_view key, std::int64_t when) {
  Entry** slot = table_.find_slot(key, base::hash_bytes(key));
  FAIRLANE_ASSERT(slot != nullptr);
  set_deadline(set_deadline_room(slot, true), when);
}

void Database::set_deadline(Entry* entry, std::int64_t when) {
  expiry_.set(entry, when);
  if (expiry_.nearest() == entry) shared_->deadline_came_nearer = true;
}

void Database::settle_fields(Entry* entry) {
  const auto nearest = entry->value<data::Hash>().nearest_deadline();
  if (!nearest) {
    field_expiry_.remove(entry);
    entry->set_field_deadlines(false);
    return;
  }
  // Who remembers the place of an entry looks at it as one that does not age.
  if (!entry->has_field_deadlines()) versions_.change(base::hash_bytes(entry->key()), shared_->last_version);
  entry->set_field_deadlines(true);
  field_expiry_.set(entry, *nearest);
  if (field_expiry_.nearest() == entry) shared_->deadline_came_nearer = true;
}

std::optional<std::int64_t> Database::nearest_deadline() const noexcept {
  const auto key = expiry_.nearest_deadline();
  const auto field = field_expiry_.nearest_deadline();
  return key && field ? std::min(*key, *field) : key ? key : field;
}

bool Database::persist(std::string_view key) {
  Entry** slot = live_slot(key, base::hash_bytes(key));
  if (slot == nullptr || !(*slot)->has_deadline()) return false;
  set_deadline_room(slot, false);
  return true;
}

std::size_t Database::expire_due(std::size_t most) {
  std::size_t count = 0;
  for (; count < most && expiry_.nearest_deadline().value_or(INT64_MAX) <= shared_->now; ++count) {
    live_checked(expiry_.nearest());
  }
  while (count < most && field_expiry_.nearest_deadline().value_or(INT64_MAX) <= shared_->now) {
    Entry* entry = field_expiry_.nearest();
    const std::size_t fields = entry->value<data::Hash>().size();
    entry = erase_due_fields(entry, most - count);
    count += fields - (entry != nullptr ? entry->value<data::Hash>().size() : 0);
  }
  return count;
}

void Database::rename(std::string_view from, std::string_view to) {
  Entry* entry = extract(from, base::hash_bytes(from));
  FAIRLANE_ASSERT(entry != nullptr);
  put(Entry::with_key(entry, to));
  // Whatever was there has been removed before: Redis calls the key new, and says so first.
  notify(to, events::kNew);
  shared_->changes.publish({index_, from, events::kRenameFrom, false, false, true, true});
  published(to, events::kRenameTo, false, true);
}

void Database::copy_to(std::string_view from, Database& target, std::string_view to) {
  const Entry* entry = peek(from);
  FAIRLANE_ASSERT(entry != nullptr);
  target.put(Entry::clone(entry, to));
  target.published(to, events::kCopyTo, true, true);
}

void Database::move_to(std::string_view key, Database& target) {
  Entry* entry = extract(key, base::hash_bytes(key));
  FAIRLANE_ASSERT(entry != nullptr);
  target.put(entry);
  target.notify(key, events::kNew);
  shared_->changes.publish({index_, key, events::kMoveFrom, false, false, true, true});
  target.published(key, events::kMoveTo, false, true);
}

const Entry* Database::random(base::Random& random) {
  // Usually a key past its deadline is removed and another one drawn, so the loop ends. Those that are kept may be all.
  constexpr int kMostDraws = 100;
  for (int draws = 0; !table_.empty(); ++draws) {
    Entry* entry = readable_checked(table_.random(random));
    if (entry != nullptr) return entry;
    if (shared_->keep_expired && draws == kMostDraws) return search_live(random);
  }
  return nullptr;
}

const Entry* Database::search_live(base::Random& random) {
  const Entry* found = nullptr;
  std::size_t live = 0;
  // Each live key takes the place of the one before with a chance that leaves all of them the same.
  table_.for_each([&](const Entry& entry) {
    if (!expired(entry) && random.below(++live) == 0) found = &entry;
  });
  return found;
}

void Database::clear() {
  expiry_.clear();
  field_expiry_.clear();
  kept_hashes_.clear();
  table_.clear();
  versions_.change_all(shared_->last_version);
  holds_noted_ = false;
}

void Database::swap(Database& other) noexcept {
  std::swap(table_, other.table_);
  std::swap(expiry_, other.expiry_);
  std::swap(field_expiry_, other.field_expiry_);
  std::swap(kept_hashes_, other.kept_hashes_);
  std::swap(versions_, other.versions_);
  std::swap(holds_noted_, other.holds_noted_);
}

void EditString::relocate(Entry* entry) noexcept {
  if (entry == *slot_) return;
  *slot_ = entry;
  if (entry->has_deadline()) database_->expiry_.relocated(entry);
}

void EditString::create(Entry* entry) {
  const std::uint64_t hash = base::hash_bytes(key_);
  database_->insert(database_->touched_first(entry), hash);
  slot_ = database_->table_.find_slot(key_, hash);
  created_ = true;
}

void EditString::assign(std::string_view value) {
  absent() ? create(Entry::make_string(key_, value, false)) : relocate(Entry::assign(*slot_, value));
}

void EditString::assign_text(std::string_view value) {
  absent() ? create(Entry::make_text(key_, value, false)) : relocate(Entry::assign_text(*slot_, value));
}

void EditString::assign_integer(std::int64_t value) {
  if (absent()) return assign(base::NumberText(value));
  (*slot_)->assign_integer(value);
}

char* EditString::resize(std::size_t size) {
  if (absent()) assign({});
  relocate(Entry::resize(*slot_, size));
  return (*slot_)->editable();
}

void EditDeadline::set(std::int64_t when) { database_->set_deadline(database_->set_deadline_room(slot_, true), when); }

bool EditDeadline::clear() {
  if (!(*slot_)->has_deadline()) return false;
  database_->set_deadline_room(slot_, false);
  return true;
}

void EditString::commit(Event event) { database_->published(key_, event, created_, true); }

}  // namespace fairlane::engine
