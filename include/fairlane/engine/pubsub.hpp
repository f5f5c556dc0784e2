#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "fairlane/base/hash.hpp"

namespace fairlane::engine {

class PubSub;
struct Subscriber;

/// Who receives what is published under one name, in order of subscription.
using Receivers = std::list<Subscriber*>;

/// The names of one kind that a client has subscribed to. Eight bytes while there are none.
class Subscriptions {
 public:
  bool empty() const noexcept { return places_ == nullptr; }
  std::size_t size() const noexcept { return places_ == nullptr ? 0 : places_->size(); }
  /// One of the names, only when there is any; good until it is unsubscribed.
  std::string_view any() const noexcept { return places_->begin()->first; }
  /// Does what is asked hold for any of the names?
  template <class Ask>
  bool any_of(Ask&& ask) const {
    return places_ != nullptr &&
           std::any_of(places_->begin(), places_->end(), [&](const auto& place) { return ask(place.first); });
  }

 private:
  friend class PubSub;
  /// Names are the registry's bytes.
  using Places = std::unordered_map<std::string_view, Receivers::iterator>;
  std::unique_ptr<Places> places_;
};

/// The three worlds of names: channels, patterns of channels, and shard channels, which no pattern reaches.
enum class Topic : std::uint8_t { channel, pattern, shard };

/// One client's side. Must stay where it is, and leave() before it ends, while it is subscribed to anything.
struct Subscriber {
  Subscriptions channels;
  Subscriptions patterns;
  Subscriptions shard_channels;

  Subscriptions& of(Topic topic) noexcept {
    return topic == Topic::channel ? channels : topic == Topic::pattern ? patterns : shard_channels;
  }
  bool subscribed() const noexcept { return !channels.empty() || !patterns.empty() || !shard_channels.empty(); }
  std::size_t subscriptions() const noexcept { return channels.size() + patterns.size() + shard_channels.size(); }
};

/// What was published, and by which kind of subscription it reaches the receivers.
struct Message {
  Topic topic;
  std::string_view pattern;  ///< only for Topic::pattern
  std::string_view channel;
  std::string_view text;
};

/// Takes messages to clients.
class Courier {
 public:
  virtual ~Courier() = default;
  /// The same message for all of them, at once. Must not change a subscription.
  virtual void deliver(const Message& message, const Receivers& receivers) = 0;
};

/// Who has subscribed to what. Knows clients, but not how to reach them: that is the courier's part. One engine thread.
class PubSub {
 public:
  /// To be called before anything is published.
  void set_courier(Courier& courier) noexcept { courier_ = &courier; }

  /// O(1). False when nothing changed: subscribed already, not subscribed. A name to unsubscribe must not be a view of
  /// Subscriptions::any().
  bool subscribe(Subscriber& subscriber, Topic topic, std::string_view name);
  bool unsubscribe(Subscriber& subscriber, Topic topic, std::string_view name);
  /// Ends every subscription of a client.
  void leave(Subscriber& subscriber);

  /// Delivers to the receivers of the channel, then to those of every pattern that matches it, a client once for each;
  /// returns how many. O(receivers + patterns).
  std::size_t publish(std::string_view channel, std::string_view text) const;
  /// Delivers to the receivers of the shard channel.
  std::size_t publish_shard(std::string_view channel, std::string_view text) const;

  /// Would anything published on an ordinary channel have a chance to be received?
  bool anyone_listens() const noexcept {
    return !registry(Topic::channel).empty() || !registry(Topic::pattern).empty();
  }
  /// Would this channel's messages be received? O(patterns).
  bool reaches_anyone(std::string_view channel) const;
  std::size_t receivers(Topic topic, std::string_view name) const;
  /// How many names have receivers.
  std::size_t names(Topic topic) const noexcept { return registry(topic).size(); }
  /// visit(name) for each of them, in no order.
  template <class Visit>
  void for_each_name(Topic topic, Visit&& visit) const {
    for (const auto& [name, receivers] : registry(topic)) visit(std::string_view(name));
  }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const noexcept { return base::hash_bytes(name); }
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(std::string_view a, std::string_view b) const noexcept { return a == b; }
  };
  using Registry = std::unordered_map<std::string, Receivers, Hash, Equal>;

  Registry& registry(Topic topic) noexcept { return registries_[static_cast<std::size_t>(topic)]; }
  const Registry& registry(Topic topic) const noexcept { return registries_[static_cast<std::size_t>(topic)]; }

  // A name is here exactly while it has receivers, and each of them has its place in the list among its own.
  std::array<Registry, 3> registries_;
  Courier* courier_ = nullptr;
};

}  // namespace fairlane::engine
