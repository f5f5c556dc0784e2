#include "fairlane/engine/pubsub.hpp"

#include <algorithm>

#include "fairlane/base/text_match.hpp"

namespace fairlane::engine {

bool PubSub::subscribe(Subscriber& subscriber, Topic topic, std::string_view name) {
  auto& places = subscriber.of(topic).places_;
  if (places == nullptr) places = std::make_unique<Subscriptions::Places>();
  if (places->contains(name)) return false;
  Registry& names = registry(topic);
  auto found = names.find(name);
  if (found == names.end()) found = names.emplace(std::string(name), Receivers{}).first;
  Receivers& receivers = found->second;
  places->emplace(found->first, receivers.insert(receivers.end(), &subscriber));
  return true;
}

bool PubSub::unsubscribe(Subscriber& subscriber, Topic topic, std::string_view name) {
  auto& places = subscriber.of(topic).places_;
  if (places == nullptr) return false;
  const auto place = places->find(name);
  if (place == places->end()) return false;
  Registry& names = registry(topic);
  const auto found = names.find(name);
  found->second.erase(place->second);
  places->erase(place);
  if (places->empty()) places.reset();
  if (found->second.empty()) names.erase(found);
  return true;
}

void PubSub::leave(Subscriber& subscriber) {
  for (const Topic topic : {Topic::channel, Topic::pattern, Topic::shard}) {
    const Subscriptions& mine = subscriber.of(topic);
    while (!mine.empty()) unsubscribe(subscriber, topic, std::string(mine.any()));
  }
}

std::size_t PubSub::publish(std::string_view channel, std::string_view text) const {
  std::size_t count = 0;
  const Registry& channels = registry(Topic::channel);
  if (const auto found = channels.find(channel); found != channels.end()) {
    courier_->deliver({Topic::channel, {}, channel, text}, found->second);
    count += found->second.size();
  }
  for (const auto& [pattern, receivers] : registry(Topic::pattern)) {
    if (!base::glob_match(pattern, channel)) continue;
    courier_->deliver({Topic::pattern, pattern, channel, text}, receivers);
    count += receivers.size();
  }
  return count;
}

std::size_t PubSub::publish_shard(std::string_view channel, std::string_view text) const {
  const Registry& channels = registry(Topic::shard);
  const auto found = channels.find(channel);
  if (found == channels.end()) return 0;
  courier_->deliver({Topic::shard, {}, channel, text}, found->second);
  return found->second.size();
}

bool PubSub::reaches_anyone(std::string_view channel) const {
  if (registry(Topic::channel).find(channel) != registry(Topic::channel).end()) return true;
  const Registry& patterns = registry(Topic::pattern);
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const auto& entry) { return base::glob_match(entry.first, channel); });
}

std::size_t PubSub::receivers(Topic topic, std::string_view name) const {
  const auto found = registry(topic).find(name);
  return found == registry(topic).end() ? 0 : found->second.size();
}

}  // namespace fairlane::engine
