#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "fairlane/base/assert.hpp"
#include "fairlane/engine/entry.hpp"
#include "fairlane/engine/event.hpp"

namespace fairlane::engine {

class Database;

/// A value somebody reads: absent, of another type, or there. Good until the key changes.
template <class T>
class Found {
 public:
  explicit Found(const Entry* entry) noexcept : entry_(entry) {}

  bool absent() const noexcept { return entry_ == nullptr; }
  bool wrong_type() const noexcept { return entry_ != nullptr && entry_->type() != type_of<T>; }
  const T& operator*() const noexcept { return entry_->value<T>(); }
  const T* operator->() const noexcept { return &entry_->value<T>(); }

 private:
  const Entry* entry_;
};

/// A string somebody reads.
class FoundString {
 public:
  explicit FoundString(const Entry* entry) noexcept : entry_(entry) {}

  bool absent() const noexcept { return entry_ == nullptr; }
  bool wrong_type() const noexcept { return entry_ != nullptr && entry_->type() != Type::string; }
  bool is_integer() const noexcept { return entry_->is_integer(); }
  std::int64_t integer() const noexcept { return entry_->integer(); }
  std::string_view text(Scratch& scratch) const noexcept { return entry_->text(scratch); }
  std::size_t size() const noexcept { return entry_->text_size(); }

 private:
  const Entry* entry_;
};

/// A container value somebody changes. Ask wrong_type() and absent() first; change it through -> ; end with commit(),
/// which tells everybody who listens and removes the key when the value is empty now. A key that upsert() made is
/// taken back when nothing was committed. At most one Edit of a key at a time, and no other change of the database
/// while one is open, except of other keys.
template <class T>
class [[nodiscard]] Edit {
 public:
  Edit(Database& database, Entry* entry, bool created) noexcept
      : database_(&database), entry_(entry), created_(created) {}
  Edit(Edit&& other) noexcept
      : database_(other.database_), entry_(other.entry_), created_(other.created_), finished_(other.finished_) {
    other.finished_ = true;
  }
  Edit& operator=(Edit&&) = delete;
  ~Edit() {
    if (created_ && !finished_) abandon();
  }

  bool absent() const noexcept { return entry_ == nullptr; }
  bool wrong_type() const noexcept { return entry_ != nullptr && entry_->type() != type_of<T>; }
  /// Was the key made by this edit?
  bool created() const noexcept { return created_; }
  const T& peek() const noexcept { return entry_->value<T>(); }
  T* operator->() noexcept { return &entry_->value<T>(); }
  T& operator*() noexcept { return entry_->value<T>(); }
  std::string_view key() const noexcept { return entry_->key(); }

  /// Publishes a change that is not the last: the edit goes on and ends with commit().
  void announce(Event event);
  /// Publishes the change and removes the key when the value is empty. The edit is over.
  void commit(Event event);

 private:
  void abandon() noexcept;

  Database* database_;
  Entry* entry_;
  bool created_;
  bool finished_ = false;
};

/// A string value somebody changes; the same rules. Assigning keeps the deadline.
class [[nodiscard]] EditString {
 public:
  EditString(Database& database, Entry** slot, std::string_view key) noexcept
      : database_(&database), slot_(slot), key_(key) {}

  bool absent() const noexcept { return slot_ == nullptr; }
  bool wrong_type() const noexcept { return slot_ != nullptr && (*slot_)->type() != Type::string; }
  bool is_integer() const noexcept { return (*slot_)->is_integer(); }
  std::int64_t integer() const noexcept { return (*slot_)->integer(); }
  std::string_view text(Scratch& scratch) const noexcept { return (*slot_)->text(scratch); }
  std::size_t size() const noexcept { return absent() ? 0 : (*slot_)->text_size(); }

  /// Each makes the key when it was absent.
  void assign(std::string_view value);
  /// Keeps the text even of an integer as it is.
  void assign_text(std::string_view value);
  void assign_integer(std::int64_t value);
  /// `size` bytes, zero-filled where it grew; the bytes may be written until the next call. Marks the string as edited.
  char* resize(std::size_t size);
  void commit(Event event);

 private:
  void relocate(Entry* entry) noexcept;
  void create(Entry* entry);

  Database* database_;
  Entry** slot_;
  std::string_view key_;
  bool created_ = false;
};

/// The deadline of a key, for whoever looks at it and then changes it. Publishes nothing: call Database::published().
class [[nodiscard]] EditDeadline {
 public:
  EditDeadline(Database& database, Entry** slot) noexcept : database_(&database), slot_(slot) {}

  bool absent() const noexcept { return slot_ == nullptr; }
  /// The rest only when there is a key. Milliseconds since 1970, or none.
  std::optional<std::int64_t> when() const noexcept {
    return (*slot_)->has_deadline() ? std::optional((*slot_)->deadline()) : std::nullopt;
  }
  /// A deadline that has passed is kept: the key is gone when next looked at.
  void set(std::int64_t when);
  /// False when there was none.
  bool clear();

 private:
  Database* database_;
  Entry** slot_;
};

}  // namespace fairlane::engine
