#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fairlane/engine/changes.hpp"

namespace fairlane::engine {

class PubSub;

/// Which keyspace events are published: the value of notify-keyspace-events. Classes of events, and K and E for the two
/// channels of each.
class EventClasses {
 public:
  /// Nothing when a letter has no meaning. "A" stands for all classes but m and n.
  static std::optional<EventClasses> parse(std::string_view letters) noexcept;
  /// The letters again, in the order and with the abbreviation that CONFIG GET shows.
  std::string text() const;

  bool has(char letter) const noexcept { return (bits_ & bit(letter)) != 0; }
  bool any() const noexcept { return bits_ != 0; }

 private:
  static std::uint16_t bit(char letter) noexcept;

  std::uint16_t bits_ = 0;
};

/// Publishes changes of keys: __keyspace@db__:key gets the event's name, __keyevent@db__:event the key. Costs nothing
/// while it is not asked to.
class Notifications : public ChangeObserver {
 public:
  Notifications(Changes& changes, const PubSub& pubsub) noexcept;

  void configure(EventClasses classes) noexcept;
  EventClasses classes() const noexcept { return classes_; }

  void on_change(const Change& change) override;

 private:
  void publish(DbIndex db, std::string_view key, const Event& event);
  void start_channel(std::string_view kind, DbIndex db);

  Changes* changes_;
  const PubSub* pubsub_;
  EventClasses classes_;
  std::string channel_;  // kept for its room
};

}  // namespace fairlane::engine
