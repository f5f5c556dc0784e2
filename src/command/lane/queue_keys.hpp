#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fairlane/base/buffer.hpp"
#include "fairlane/base/copy_text.hpp"
#include "fairlane/engine/hashed_key.hpp"

namespace fairlane::command {

/// The keys that a queue has once; the names of them all begin with "emq:{q}:".
enum class QueueKey : std::uint8_t {
  ring,    ///< list: the rota
  active,  ///< sorted set: leased jobs by deadline
  paused,  ///< set of lanes
  limits,  ///< hashes by lane
  in_flight,
  weights,
  meta,       ///< hash
  completed,  ///< hashes with a field "count"
  failed,
  wake,       ///< list of tokens
  ungrouped,  ///< sorted sets of jobs
  schedule,
  dead,
  finished,  ///< sorted set of completed jobs that are kept, by the time of their completion
  rates,     ///< hash by lane: "jobs milliseconds"
  buckets,   ///< hash by lane: how far its bucket of tokens is spent, see rate.hpp
  events,    ///< no key: the channel
};

/// What hangs off a job's row: keys with the row's name and one of these behind it. Noted by every database.
inline constexpr std::array<std::string_view, 2> kAttachments = {":logs", ":lock"};

/// The names of a queue's keys, their hashes and where they are, remembered while it is the same queue that is asked
/// for: most commands follow one for the same queue. Names with a lane or an id in them are good until the next such
/// name.
class QueueKeys {
 public:
  void open(std::string_view queue) {
    if (queue != this->queue()) [[unlikely]]
      switch_to(queue);
  }
  std::string_view queue() const noexcept { return {prefix_.data() + kBefore.size(), queue_size_}; }

  engine::RememberedKey operator[](QueueKey key) {
    Slot& slot = slots_[static_cast<std::size_t>(key)];
    if (slot.size == 0) [[unlikely]]
      write(key, slot);
    return {{slot.text.data(), slot.size}, slot.hash, slot.place};
  }
  /// `hash` is the one that was told of the same name before, 0 when not known.
  engine::HashedKey backlog(std::string_view lane, std::uint64_t hash = 0) {
    return name("g:", lane, ":pending", hash);
  }
  engine::HashedKey row(std::string_view id, std::uint64_t hash = 0) { return name("job:", id, {}, hash); }
  /// Names of a row with something behind: begin_row(), then as many as there are.
  void begin_row(std::string_view id) {
    write_name("job:", id, {});
    row_size_ = name_.size();
  }
  engine::HashedKey behind_row(std::string_view suffix) {
    name_.truncate(row_size_);
    name_.append(suffix);
    return engine::HashedKey::of(name_.view());
  }
  /// Another number for every queue that was switched to.
  std::uint64_t switches() const noexcept { return switches_; }

 private:
  static constexpr std::string_view kBefore = "emq:{";
  static constexpr std::string_view kBehind = "}:";
  static constexpr std::size_t kLongestPrefix = 5 + 128 + 2;
  static constexpr std::size_t kLongestSuffix = 17;
  static constexpr std::size_t kKeys = static_cast<std::size_t>(QueueKey::events) + 1;

  struct Slot {
    engine::KeyPlace place;
    std::uint64_t hash = 0;
    std::uint8_t size = 0;  // 0: not written yet
    std::array<char, kLongestPrefix + kLongestSuffix> text;
  };

  void switch_to(std::string_view queue);
  void write(QueueKey key, Slot& slot) noexcept;
  engine::HashedKey name(std::string_view before, std::string_view variable, std::string_view behind,
                         std::uint64_t hash) {
    write_name(before, variable, behind);
    return hash != 0 ? engine::HashedKey{name_.view(), hash} : engine::HashedKey::of(name_.view());
  }
  void write_name(std::string_view before, std::string_view variable, std::string_view behind) {
    name_.truncate(prefix_size());
    const std::size_t size = before.size() + variable.size() + behind.size();
    base::copy_text(base::copy_text(base::copy_text(name_.reserve(size), before), variable), behind);
    name_.grow_by(size);
  }
  std::size_t prefix_size() const noexcept { return kBefore.size() + queue_size_ + kBehind.size(); }

  std::array<char, kLongestPrefix> prefix_{};
  std::size_t queue_size_ = 0;
  std::array<Slot, kKeys> slots_;
  base::Buffer name_;  // begins with the prefix
  std::size_t row_size_ = 0;
  std::uint64_t switches_ = 0;
};

}  // namespace fairlane::command
