#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "fairlane/base/hash.hpp"
#include "fairlane/base/random.hpp"
#include "fairlane/data/table.hpp"
#include "fairlane/engine/access.hpp"
#include "fairlane/engine/changes.hpp"
#include "fairlane/engine/edit.hpp"
#include "fairlane/engine/entry.hpp"
#include "fairlane/engine/expiry_index.hpp"
#include "fairlane/engine/hashed_key.hpp"
#include "fairlane/engine/kept_hashes.hpp"
#include "fairlane/engine/key_ends.hpp"
#include "fairlane/engine/key_versions.hpp"

namespace fairlane::engine {

/// What the databases of one keyspace share.
struct Shared {
  Changes changes;
  std::int64_t now = 0;               ///< milliseconds since 1970, the same during one unit of work
  std::uint32_t access_clock = 0;     ///< what a touched entry remembers: seconds since 1970
  AccessRule access_rule;             ///< and what else it remembers
  base::Random access_chance;         ///< for counting accesses
  bool touch_on_read = true;          ///< false for a client that asked for NO-TOUCH
  bool deadline_came_nearer = false;  ///< some database has a new nearest deadline: set the timer anew
  bool keep_expired = false;          ///< CLIENT PAUSE: what is past its deadline is absent to readers, but stays
  std::uint64_t last_version = 0;     ///< the last one that was given out, see KeyVersions
  KeyEnds noted_ends;                 ///< set before the first key comes
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;
  std::uint64_t expired = 0;

  /// Marks an access to an entry.
  void touch(Entry& entry) noexcept {
    if (access_rule.counted) [[unlikely]] {
      entry.touch(next_counted_access(access_rule, entry.access(), access_clock, access_chance));
    } else {
      entry.touch(access_clock);
    }
  }
  /// The same for one that is new.
  void touch_first(Entry& entry) noexcept {
    entry.touch(access_rule.counted ? counted_access(kFirstCount, access_clock) : access_clock);
  }
};

struct EntryTraits {
  using Entry = engine::Entry;
  static std::string_view key(const Entry& entry) noexcept { return entry.key(); }
  static void destroy(Entry* entry) noexcept { Entry::destroy(entry); }
};

/// What store() does with the deadline of a key it overwrites.
enum class Deadline : std::uint8_t { clear, keep };

/// Whether a string is stored at all, and the deadline it gets.
struct StoreRule {
  enum class If : std::uint8_t { always, absent, present };
  If condition = If::always;
  Deadline deadline = Deadline::clear;    ///< without a new one
  std::optional<std::int64_t> when = {};  ///< a new deadline in milliseconds since 1970
};
enum class Stored : std::uint8_t { refused, created, replaced };

/// One numbered database: keys, values and their deadlines. Keys and fields past their deadline do not exist: whoever
/// meets one removes it first, but for a reader while shared().keep_expired. One engine thread; a view of a key or
/// value is good until that key changes.
class Database {
 public:
  Database(Shared& shared, DbIndex index) noexcept : shared_(&shared), index_(index) {}
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  DbIndex index() const noexcept { return index_; }
  std::size_t size() const noexcept { return table_.size(); }
  Shared& shared() noexcept { return *shared_; }

  // --- reading; counts a hit or a miss and marks the access
  template <class T>
  Found<T> find(std::string_view key) {
    return Found<T>(find_entry(key));
  }
  FoundString find_string(std::string_view key) { return FoundString(find_entry(key)); }
  const Entry* find_entry(std::string_view key);
  /// Counts and tells of a miss, but marks no access.
  const Entry* inspect(std::string_view key);
  /// The same without counting, marking or telling anybody.
  const Entry* peek(std::string_view key);
  const Entry* peek(HashedKey key) { return readable(key.text, key.hash); }
  const Entry* peek(const RememberedKey& key) { return readable(recall(key)); }
  /// May there be a key that ends like one of shared().noted_ends? False while none came since the database was empty.
  bool holds_noted() const noexcept { return holds_noted_; }
  bool contains(std::string_view key) { return peek(key) != nullptr; }

  // --- changing
  template <class T>
  Edit<T> edit(HashedKey key) {
    return Edit<T>(*this, touched(live(key.text, key.hash)), false);
  }
  template <class T>
  Edit<T> edit(const RememberedKey& key) {
    return Edit<T>(*this, touched(live(recall(key))), false);
  }
  template <class T>
  Edit<T> edit(std::string_view key) {
    return edit<T>(HashedKey::of(key));
  }
  template <class T>
  Edit<T> upsert(HashedKey key) {
    Entry* entry = live(key.text, key.hash);
    return entry != nullptr ? Edit<T>(*this, touched(entry), false) : make<T>(key);
  }
  template <class T>
  Edit<T> upsert(const RememberedKey& key) {
    Entry* entry = live(recall(key));
    if (entry != nullptr) [[likely]]
      return Edit<T>(*this, touched(entry), false);
    Edit<T> edit = make<T>(key);
    find_place(key);
    return edit;
  }
  template <class T>
  Edit<T> upsert(std::string_view key) {
    return upsert<T>(HashedKey::of(key));
  }
  EditString edit_string(std::string_view key) {
    Entry** slot = live_slot(key, base::hash_bytes(key));
    if (slot != nullptr) touched(*slot);
    return EditString(*this, slot, key);
  }
  /// Makes or overwrites a key of whatever type with a string. Publishes nothing: call published(key, event) after.
  /// Returns whether the key is new.
  bool store_string(std::string_view key, std::string_view value, Deadline deadline);
  /// The same under conditions and with a deadline.
  Stored store_string(std::string_view key, std::string_view value, const StoreRule& rule);
  /// Makes or overwrites a key of whatever type with a container; clears the deadline. An empty value removes the key.
  /// Publishes `event`, or "del" when an empty value removed a key. Returns whether the key exists now.
  template <class T>
  bool store(std::string_view key, T value, Event event);
  /// Removes a key; false when it was not there. Publishes the event.
  bool erase(HashedKey key, Event event = events::kDel);
  bool erase(std::string_view key, Event event = events::kDel) { return erase(HashedKey::of(key), event); }
  /// Tells everybody about a change made through store_string() or expire_at().
  void published(std::string_view key, Event event, bool created = false, bool grew = false);
  /// A notification that is no modification (a key miss). With `wakes` those who wait for the key look again.
  void notify(std::string_view key, Event event, bool wakes = false);

  // --- deadlines, in milliseconds since 1970
  EditDeadline edit_deadline(std::string_view key) {
    return EditDeadline(*this, live_slot(key, base::hash_bytes(key)));
  }
  /// Sets the deadline of a key that exists. A deadline that has passed is kept: the key is gone when next looked at.
  void expire_at(std::string_view key, std::int64_t when);
  /// Takes the deadline away; false when the key is absent or has none.
  bool persist(std::string_view key);
  /// Of keys and of fields of hashes.
  std::optional<std::int64_t> nearest_deadline() const noexcept;
  /// Removes up to `most` keys and fields whose deadline is not after shared().now, nearest first; returns how many.
  std::size_t expire_due(std::size_t most);
  const ExpiryIndex& expiry() const noexcept { return expiry_; }

  // --- whole keys; each removes what was at the destination
  /// Gives a key that exists another name; value and deadline stay. Publishes new, rename_from and
  /// rename_to.
  void rename(std::string_view from, std::string_view to);
  /// Copies a key that exists to a key of this or another database. Publishes new and copy_to there.
  void copy_to(std::string_view from, Database& target, std::string_view to);
  /// Moves a key that exists to another database where it does not. Publishes new, move_from and move_to.
  void move_to(std::string_view key, Database& target);

  // --- all keys
  /// The keys from `cursor` on, about `count` of them or a little more; returns the next cursor, 0 at the end. A key
  /// that is there from the first call to the last is visited at least once. Visits keys past their deadline, too.
  template <class F>
  std::uint64_t scan(std::uint64_t cursor, F&& visit) const {
    return table_.scan(cursor, [&](const Entry& entry) { visit(entry); });
  }
  template <class F>
  void for_each(F&& visit) const {
    table_.for_each([&](const Entry& entry) { visit(entry); });
  }
  /// A key chosen at random, live; null when there is none. O(N) while shared().keep_expired and few are live.
  const Entry* random(base::Random& random);
  /// Any entry, or any with a deadline, whether past it or not, every one as likely as the next; null when there is
  /// none. O(1).
  const Entry* any_entry(base::Random& random) const noexcept { return table_.random(random); }
  const Entry* any_with_deadline(base::Random& random) const noexcept {
    return expiry_.size() == 0 ? nullptr : expiry_.at(random.below(expiry_.size()));
  }
  /// Is there a key that has run out and was kept?
  bool keeps_expired(std::string_view key) const noexcept {
    const Entry* entry = table_.find(key, base::hash_bytes(key));
    return entry != nullptr && expired(*entry);
  }
  /// Has the key run out, or every field of it?
  bool expired(const Entry& entry) const noexcept { return entry.ages() && (past_deadline(entry) || ran_empty(entry)); }
  /// Removes everything and publishes nothing.
  void clear();
  /// Exchanges the contents with another database.
  void swap(Database& other) noexcept;

  /// Ask for the memory where a key is looked for, and some time later for that of the key.
  void prefetch(std::uint64_t hash) const noexcept { table_.prefetch(hash); }
  void prefetch_entry(std::uint64_t hash) const noexcept { table_.prefetch_entry(hash); }
  /// And for what the key's entry, which should have come by now, leads to.
  void prefetch_value(std::uint64_t hash) const noexcept {
    if (const Entry* entry = likely(hash)) entry->prefetch_value();
  }
  /// For the same purpose: the key's entry, or by chance that of another key. Null when there is none.
  const Entry* likely(std::uint64_t hash) const noexcept { return table_.likely(hash); }
  /// Bytes of the tables themselves, without keys and values.
  std::size_t table_memory() const noexcept { return table_.memory() + expiry_.memory() + field_expiry_.memory(); }

 private:
  template <class T>
  friend class Edit;
  friend class EditString;
  friend class EditDeadline;

  Entry** live_slot(std::string_view key, std::uint64_t hash);
  Entry* touched(Entry* entry) noexcept {
    if (entry != nullptr) shared_->touch(*entry);
    return entry;
  }
  Entry* touched_first(Entry* entry) noexcept {
    shared_->touch_first(*entry);
    return entry;
  }
  Entry* live(std::string_view key, std::uint64_t hash) { return live(table_.find(key, hash)); }
  Entry* live(Entry* entry) { return entry == nullptr || !entry->ages() ? entry : live_checked(entry); }
  Entry* readable(std::string_view key, std::uint64_t hash) { return readable(table_.find(key, hash)); }
  Entry* readable(Entry* entry) { return entry == nullptr || !entry->ages() ? entry : readable_checked(entry); }
  Entry* recall(const RememberedKey& key) {
    return key.place->version == versions_.of(key.hash) ? key.place->entry : find_place(key);
  }
  /// Keeps the place unless the entry ages, so that it may be no more, or is a string, which moves.
  Entry* find_place(const RememberedKey& key);
  template <class T>
  Edit<T> make(const HashedKey& key) {
    Entry* entry = touched_first(Entry::make(key.text, type_of<T>));
    insert(entry, key.hash);
    return Edit<T>(*this, entry, true);
  }
  /// Removes what is past its deadline: null when that is the entry, or the last field of it.
  Entry* live_checked(Entry* entry);
  /// The same for one who only reads: while shared().keep_expired it may be a copy without the fields that have run
  /// out.
  Entry* readable_checked(Entry* entry);
  bool past_deadline(const Entry& entry) const noexcept {
    return entry.has_deadline() && entry.deadline() <= shared_->now;
  }
  bool ran_empty(const Entry& entry) const noexcept {
    return entry.has_field_deadlines() && entry.value<data::Hash>().all_due(shared_->now);
  }
  bool has_due_field(const Entry& entry) const noexcept {
    return entry.has_field_deadlines() &&
           entry.value<data::Hash>().nearest_deadline().value_or(INT64_MAX) <= shared_->now;
  }
  /// Erases up to `most` fields that have run out, and the key with the last one: null then.
  Entry* erase_due_fields(Entry* entry, std::size_t most);
  /// Says of a key that has run out how it ended.
  void publish_end(const Entry& entry);
  /// Fields have run out, `all` of them or some.
  void publish_due_fields(const Entry& entry, bool all);
  /// A live key chosen at random by looking at all.
  const Entry* search_live(base::Random& random);
  void insert(Entry* entry, std::uint64_t hash) {
    versions_.change(hash, shared_->last_version);
    if (shared_->noted_ends.noted(entry->key())) [[unlikely]]
      holds_noted_ = true;
    table_.insert(entry, hash);
  }
  /// Takes an entry out of the table and the indexes and destroys it.
  void remove(Entry* entry) noexcept;
  void remove_from_indexes(Entry* entry) noexcept;
  Entry* extract(std::string_view key, std::uint64_t hash) noexcept;
  /// Puts an entry in place of whatever has its key; returns whether the key is new.
  bool put(Entry* entry);
  void replace_string(Entry** slot, std::string_view value, Deadline deadline);
  void set_deadline(Entry* entry, std::int64_t when);
  /// The nearest deadline of a hash's fields may be another one: gives it its place in the index.
  void settle_fields(Entry* entry);
  Entry* set_deadline_room(Entry** slot, bool wanted) noexcept;
  void commit_container(Entry* entry, Event event, bool created, bool empty);

  Shared* shared_;
  DbIndex index_;
  data::Table<EntryTraits> table_;
  ExpiryIndex expiry_;
  FieldExpiryIndex field_expiry_;
  KeptHashes kept_hashes_;
  bool holds_noted_ = false;
  KeyVersions versions_;  // changed with every pointer in the table but those to strings, whose places nobody keeps
};

template <class T>
bool Database::store(std::string_view key, T value, Event event) {
  if (value.empty()) {
    erase(key);
    return false;
  }
  Entry* entry = Entry::make(key, type_of<T>);
  entry->value<T>() = std::move(value);
  const bool created = put(entry);
  published(key, event, created, true);
  return true;
}

template <class T>
void Edit<T>::announce(Event event) {
  database_->published(entry_->key(), event, std::exchange(created_, false), true);
}

template <class T>
void Edit<T>::commit(Event event) {
  finished_ = true;
  if constexpr (type_of<T> == Type::hash) {
    if (peek().timed()) [[unlikely]]
      database_->settle_fields(entry_);
  }
  database_->commit_container(entry_, event, created_, peek().empty());
}

template <class T>
void Edit<T>::abandon() noexcept {
  database_->remove(entry_);
}

inline void Database::commit_container(Entry* entry, Event event, bool created, bool empty) {
  shared_->changes.publish({index_, entry->key(), event, created, true, false, true});
  if (empty) [[unlikely]] {
    // The key's bytes go with the entry: tell first, while nobody can look it up through an observer.
    shared_->changes.publish({index_, entry->key(), events::kDel, false, false, true, true});
    remove(entry);
  }
}

inline const Entry* Database::inspect(std::string_view key) {
  Entry* entry = readable(key, base::hash_bytes(key));
  if (entry != nullptr) {
    ++shared_->hits;
    return entry;
  }
  ++shared_->misses;
  if (shared_->changes.anyone_listens()) [[unlikely]]
    notify(key, events::kKeyMiss);
  return nullptr;
}

inline const Entry* Database::find_entry(std::string_view key) {
  const Entry* entry = inspect(key);
  if (entry != nullptr && shared_->touch_on_read) shared_->touch(*const_cast<Entry*>(entry));
  return entry;
}

}  // namespace fairlane::engine
