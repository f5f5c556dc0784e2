#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <optional>
#include <string_view>

#include "fairlane/base/assert.hpp"
#include "fairlane/base/number.hpp"
#include "fairlane/data/hash.hpp"
#include "fairlane/data/list.hpp"
#include "fairlane/data/set.hpp"
#include "fairlane/data/sorted_set.hpp"
#include "fairlane/data/stream.hpp"

namespace fairlane::engine {

enum class Type : std::uint8_t { string, list, set, sorted_set, hash, stream };

/// The name that TYPE answers.
std::string_view type_name(Type type) noexcept;

/// Room for the text of an integer value while somebody looks at it.
using Scratch = std::array<char, base::kIntegerChars>;

/// One key and its value in one allocation: a header of 16 bytes, the deadline when there is one, the key's bytes, and
/// a short string value behind them. A container value is the 8-byte handle of its data type; a long string is a
/// pointer.
///
/// Entries belong to a Database. Whatever changes an entry's layout (a deadline added, another key, a longer embedded
/// string) makes a new entry out of the old one, so those functions are static, take the old pointer and return the
/// new.
class Entry {
 public:
  /// How a string is kept: as an integer, behind the key, or in its own allocation.
  enum class Form : std::uint8_t { integer, embedded, heap };

  static constexpr std::uint32_t kNoPosition = data::Hash::kNoPosition;

  /// An empty container of the type; not for strings.
  static Entry* make(std::string_view key, Type type);
  /// A string; kept as an integer when it is a canonical one.
  static Entry* make_string(std::string_view key, std::string_view value, bool with_deadline);
  /// A string kept as text even when it is an integer's.
  static Entry* make_text(std::string_view key, std::string_view value, bool with_deadline);
  static void destroy(Entry* entry) noexcept;

  /// The same value and deadline under another key.
  static Entry* with_key(Entry* entry, std::string_view key);
  /// With or without the room for a deadline; a new deadline is 0 and has no position.
  static Entry* with_deadline(Entry* entry, bool wanted);
  /// A copy of the value and of the deadline, under `key`.
  static Entry* clone(const Entry* entry, std::string_view key);

  std::string_view key() const noexcept { return {key_bytes(), key_length_}; }
  Type type() const noexcept { return static_cast<Type>(meta_ >> 24 & 7U); }

  bool has_deadline() const noexcept { return (meta_ & kDeadlineBit) != 0; }
  /// Milliseconds since 1970; only when there is one.
  std::int64_t deadline() const noexcept { return deadline_block()->when; }
  void set_deadline(std::int64_t when) noexcept { deadline_block()->when = when; }
  /// Where the expiry index keeps the entry.
  std::uint32_t expiry_position() const noexcept { return deadline_block()->position; }
  void set_expiry_position(std::uint32_t position) noexcept { deadline_block()->position = position; }

  /// Is it a hash with fields that have a deadline, as far as the database has noted it?
  bool has_field_deadlines() const noexcept { return (meta_ & kFieldDeadlinesBit) != 0; }
  void set_field_deadlines(bool any) noexcept {
    meta_ = any ? meta_ | kFieldDeadlinesBit : meta_ & ~kFieldDeadlinesBit;
  }
  /// May time alone take the key or a part of it away?
  bool ages() const noexcept { return (meta_ & (kDeadlineBit | kFieldDeadlinesBit)) != 0; }

  /// 24 bits that the memory policy interprets: seconds of the last access.
  std::uint32_t access() const noexcept { return meta_ & 0xFFFFFFU; }
  void touch(std::uint32_t access) noexcept { meta_ = (meta_ & ~0xFFFFFFU) | (access & 0xFFFFFFU); }

  /// The container value. T matches type().
  template <class T>
  T& value() noexcept {
    return *std::launder(reinterpret_cast<T*>(slot_));
  }
  template <class T>
  const T& value() const noexcept {
    return *std::launder(reinterpret_cast<const T*>(slot_));
  }

  /// Asks for the first line of a container: the low bits of a handle say what it leads to.
  void prefetch_value() const noexcept {
    if (type() != Type::string) __builtin_prefetch(reinterpret_cast<const void*>(word() & ~std::uint64_t{7}));
  }

  // Strings only from here.
  Form form() const noexcept { return static_cast<Form>(meta_ >> 28 & 3U); }
  bool is_integer() const noexcept { return form() == Form::integer; }
  std::int64_t integer() const noexcept { return static_cast<std::int64_t>(word()); }
  /// The bytes of the value; those of an integer are written to the scratch.
  std::string_view text(Scratch& scratch) const noexcept;
  std::size_t text_size() const noexcept;
  /// Was the string edited in place (APPEND, SETRANGE)? OBJECT ENCODING then says "raw" however short it is.
  bool edited() const noexcept { return (meta_ & kEditedBit) != 0; }

  /// Replaces the value. The entry may move: the result is the entry from now on. Its key and deadline stay.
  static Entry* assign(Entry* entry, std::string_view value);
  static Entry* assign_text(Entry* entry, std::string_view value);
  void assign_integer(std::int64_t value) noexcept {
    if (form() == Form::heap) [[unlikely]]
      release_text();
    set_form(Form::integer);
    set_edited(false);
    set_word(static_cast<std::uint64_t>(value));
  }
  /// Makes the string `size` bytes long, zero-filled where it grew, and marks it as edited; returns the entry, whose
  /// bytes may then be written through editable().
  static Entry* resize(Entry* entry, std::size_t size);
  char* editable() noexcept;

  /// Bytes allocated for the entry and everything in it; large containers are asked for their own count.
  std::size_t memory() const noexcept;

 private:
  struct DeadlineBlock {
    std::int64_t when;
    std::uint32_t position;
    std::uint32_t unused;
  };
  struct HeapText;

  static constexpr std::uint32_t kDeadlineBit = 1U << 27;
  static constexpr std::uint32_t kEditedBit = 1U << 30;
  static constexpr std::uint32_t kFieldDeadlinesBit = 1U << 31;

  static Entry* allocate(std::string_view key, Type type, bool with_deadline, std::size_t value_room);
  static std::size_t header_size(bool with_deadline) noexcept {
    return sizeof(Entry) + (with_deadline ? sizeof(DeadlineBlock) : 0);
  }
  void set_text(std::string_view value);
  void release_text() noexcept;
  void set_form(Form form) noexcept { meta_ = (meta_ & ~(3U << 28)) | static_cast<std::uint32_t>(form) << 28; }
  void set_edited(bool edited) noexcept { meta_ = edited ? meta_ | kEditedBit : meta_ & ~kEditedBit; }
  /// An embedded string's length is the low half of the slot, its room the high half.
  std::uint32_t embedded_size() const noexcept { return static_cast<std::uint32_t>(word()); }
  std::uint32_t embedded_room() const noexcept { return static_cast<std::uint32_t>(word() >> 32); }
  void set_embedded(std::uint32_t size, std::uint32_t room) noexcept {
    set_word(static_cast<std::uint64_t>(room) << 32 | size);
  }
  HeapText* heap_text() const noexcept { return reinterpret_cast<HeapText*>(word()); }
  /// The bit that says "deadline" is worth 8; the block takes 16 bytes.
  const char* key_bytes() const noexcept {
    return reinterpret_cast<const char*>(this + 1) + ((meta_ & kDeadlineBit) >> 23);
  }
  char* embedded_bytes() noexcept { return const_cast<char*>(key_bytes()) + key_length_; }
  const char* embedded_bytes() const noexcept { return key_bytes() + key_length_; }
  DeadlineBlock* deadline_block() noexcept { return reinterpret_cast<DeadlineBlock*>(this + 1); }
  const DeadlineBlock* deadline_block() const noexcept { return reinterpret_cast<const DeadlineBlock*>(this + 1); }

  std::uint64_t word() const noexcept {
    std::uint64_t word;
    std::memcpy(&word, slot_, sizeof(word));
    return word;
  }
  void set_word(std::uint64_t word) noexcept { std::memcpy(slot_, &word, sizeof(word)); }

  alignas(8) unsigned char slot_[8];  // a container's handle, an integer, an embedded string's sizes, or a HeapText*
  std::uint32_t meta_;                // 24 bits access, 3 type, 1 deadline, 2 form, 1 edited, 1 field deadlines
  std::uint32_t key_length_;
};

/// The Type of each data type.
template <class T>
inline constexpr Type type_of = Type::string;
template <>
inline constexpr Type type_of<data::List> = Type::list;
template <>
inline constexpr Type type_of<data::Set> = Type::set;
template <>
inline constexpr Type type_of<data::SortedSet> = Type::sorted_set;
template <>
inline constexpr Type type_of<data::Hash> = Type::hash;
template <>
inline constexpr Type type_of<data::Stream> = Type::stream;

}  // namespace fairlane::engine
