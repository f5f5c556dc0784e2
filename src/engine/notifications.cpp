#include "fairlane/engine/notifications.hpp"

#include "fairlane/base/number.hpp"
#include "fairlane/engine/pubsub.hpp"

namespace fairlane::engine {
namespace {

/// In the order of CONFIG GET. The first ones are what "A" stands for; "n" is shown only where "A" is not.
constexpr std::string_view kLetters = "g$lshzxetdnKEm";
constexpr std::string_view kAll = kLetters.substr(0, 10);
constexpr std::string_view kUnlessAll = kLetters.substr(0, 11);
constexpr std::uint16_t kAllBits = (1U << kAll.size()) - 1;

}  // namespace

std::uint16_t EventClasses::bit(char letter) noexcept {
  const std::size_t place = kLetters.find(letter);
  return place == std::string_view::npos ? std::uint16_t{0} : static_cast<std::uint16_t>(1U << place);
}

std::optional<EventClasses> EventClasses::parse(std::string_view letters) noexcept {
  EventClasses classes;
  for (const char letter : letters) {
    const std::uint16_t bits = letter == 'A' ? kAllBits : bit(letter);
    if (bits == 0) return std::nullopt;
    classes.bits_ = static_cast<std::uint16_t>(classes.bits_ | bits);
  }
  return classes;
}

std::string EventClasses::text() const {
  std::string text;
  std::string_view rest = kLetters;
  bool all = true;
  for (const char letter : kAll) all = all && has(letter);
  if (all) {
    text += 'A';
    rest.remove_prefix(kUnlessAll.size());
  }
  for (const char letter : rest) {
    if (has(letter)) text += letter;
  }
  return text;
}

Notifications::Notifications(Changes& changes, const PubSub& pubsub) noexcept : changes_(&changes), pubsub_(&pubsub) {
  changes.attach(Listener::notifications, *this);
}

void Notifications::configure(EventClasses classes) noexcept {
  classes_ = classes;
  changes_->set_interest(Listener::notifications, classes.has('K') || classes.has('E'));
}

void Notifications::on_change(const Change& change) {
  if (!pubsub_->anyone_listens()) return;
  if (change.created) publish(change.db, change.key, events::kNew);
  publish(change.db, change.key, change.event);
}

void Notifications::publish(DbIndex db, std::string_view key, const Event& event) {
  if (!classes_.has(event.event_class)) return;
  if (classes_.has('K')) {
    start_channel("__keyspace@", db);
    channel_ += key;
    pubsub_->publish(channel_, event.name);
  }
  if (classes_.has('E')) {
    start_channel("__keyevent@", db);
    channel_ += event.name;
    pubsub_->publish(channel_, key);
  }
}

void Notifications::start_channel(std::string_view kind, DbIndex db) {
  channel_.assign(kind);
  channel_ += base::NumberText(db);
  channel_ += "__:";
}

}  // namespace fairlane::engine
