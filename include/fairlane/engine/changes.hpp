#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "fairlane/engine/event.hpp"

namespace fairlane::engine {

using DbIndex = std::uint32_t;

/// One change of one key, as those who listen are told.
struct Change {
  DbIndex db;
  std::string_view key;  ///< good during the call
  Event event;
  bool created;   ///< the key did not exist before, and no event of its own (events::kNew) has told so
  bool grew;      ///< elements may have been added: waiting clients have something to look at
  bool removed;   ///< the key is gone, or the value that it held (events::kReplaced)
  bool modified;  ///< false for a mere notification (a key miss, a new key)
};

/// Told of every change, at once; must not change a key itself.
class ChangeObserver {
 public:
  virtual ~ChangeObserver() = default;
  virtual void on_change(const Change& change) = 0;
};

/// Who listens, in the order in which they are told.
enum class Listener : std::uint8_t { watch, tracking, wait_queue, notifications };

/// The one place through which every change of a key becomes known. Costs an increment and a test while nobody listens.
class Changes {
 public:
  void attach(Listener who, ChangeObserver& observer) noexcept {
    observers_[static_cast<std::size_t>(who)] = &observer;
  }
  /// An observer says itself whether it wants to hear anything at present.
  void set_interest(Listener who, bool wanted) noexcept {
    const auto bit = static_cast<std::uint8_t>(1U << static_cast<unsigned>(who));
    interest_ = static_cast<std::uint8_t>(wanted ? interest_ | bit : interest_ & ~bit);
  }
  void publish(const Change& change) {
    if (change.modified) ++modifications_;
    if (interest_ != 0) [[unlikely]]
      tell(change);
  }
  bool anyone_listens() const noexcept { return interest_ != 0; }
  /// Changes since the start.
  std::uint64_t modifications() const noexcept { return modifications_; }

 private:
  void tell(const Change& change);

  std::array<ChangeObserver*, 4> observers_{};
  std::uint64_t modifications_ = 0;
  std::uint8_t interest_ = 0;
};

}  // namespace fairlane::engine
