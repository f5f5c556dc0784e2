#include "fairlane/engine/pubsub.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "fairlane/base/random.hpp"
#include "fairlane/base/text_match.hpp"

namespace fairlane::engine {
namespace {

/// Writes down who received what.
class Recorder : public Courier {
 public:
  void deliver(const Message& message, const Receivers& receivers) override {
    for (Subscriber* receiver : receivers) {
      std::string line = names.at(receiver) + " ";
      if (message.topic == Topic::shard) line += "(shard) ";
      if (message.topic == Topic::pattern) line += std::string(message.pattern) + " ";
      heard.push_back(line + std::string(message.channel) + " " + std::string(message.text));
    }
  }
  std::map<Subscriber*, std::string> names;
  std::vector<std::string> heard;
};

class PubSubTest : public testing::Test {
 protected:
  PubSubTest() {
    pubsub.set_courier(recorder);
    recorder.names = {{&ann, "ann"}, {&bob, "bob"}};
  }
  std::vector<std::string> heard() { return std::exchange(recorder.heard, {}); }

  PubSub pubsub;
  Recorder recorder;
  Subscriber ann;
  Subscriber bob;
};

using Lines = std::vector<std::string>;

TEST_F(PubSubTest, receivers_hear_in_order_of_subscription) {
  pubsub.subscribe(bob, Topic::channel, "news");
  pubsub.subscribe(ann, Topic::channel, "news");
  EXPECT_EQ(pubsub.publish("news", "x"), 2U);
  EXPECT_EQ(heard(), (Lines{"bob news x", "ann news x"}));
}

TEST_F(PubSubTest, channels_come_before_patterns_and_a_client_hears_once_for_each) {
  pubsub.subscribe(ann, Topic::pattern, "n*");
  pubsub.subscribe(ann, Topic::channel, "news");
  EXPECT_EQ(pubsub.publish("news", "x"), 2U);
  EXPECT_EQ(heard(), (Lines{"ann news x", "ann n* news x"}));
  EXPECT_EQ(pubsub.publish("other", "x"), 0U);
}

TEST_F(PubSubTest, shard_channels_are_a_world_of_their_own) {
  pubsub.subscribe(ann, Topic::shard, "news");
  pubsub.subscribe(bob, Topic::pattern, "*");
  EXPECT_EQ(pubsub.publish_shard("news", "x"), 1U);
  EXPECT_EQ(pubsub.publish("news", "y"), 1U);
  EXPECT_EQ(heard(), (Lines{"ann (shard) news x", "bob * news y"}));
}

TEST_F(PubSubTest, subscribing_twice_changes_nothing) {
  EXPECT_TRUE(pubsub.subscribe(ann, Topic::channel, "a"));
  EXPECT_FALSE(pubsub.subscribe(ann, Topic::channel, "a"));
  EXPECT_EQ(ann.subscriptions(), 1U);
  EXPECT_TRUE(pubsub.unsubscribe(ann, Topic::channel, "a"));
  EXPECT_FALSE(pubsub.unsubscribe(ann, Topic::channel, "a"));
  EXPECT_FALSE(ann.subscribed());
  EXPECT_EQ(pubsub.names(Topic::channel), 0U);
}

TEST_F(PubSubTest, who_leaves_is_nowhere_any_more) {
  for (const char* name : {"a", "b", "c"}) {
    pubsub.subscribe(ann, Topic::channel, name);
    pubsub.subscribe(ann, Topic::pattern, name);
    pubsub.subscribe(ann, Topic::shard, name);
  }
  pubsub.subscribe(bob, Topic::channel, "b");
  pubsub.leave(ann);
  EXPECT_FALSE(ann.subscribed());
  EXPECT_EQ(pubsub.names(Topic::channel), 1U);
  EXPECT_EQ(pubsub.names(Topic::pattern), 0U);
  EXPECT_EQ(pubsub.names(Topic::shard), 0U);
  EXPECT_EQ(pubsub.publish("b", "x"), 1U);
}

TEST(PubSub, agrees_with_a_model_under_random_subscriptions) {
  constexpr std::uint64_t kSeed = 11;
  SCOPED_TRACE(kSeed);
  base::Random random(kSeed);
  const std::vector<std::string> names = {"a", "ab", "abc", "a*", "?b*", "*"};
  using Model = std::set<std::pair<std::size_t, std::string>>;
  std::array<Model, 3> model;
  std::vector<Subscriber> subscribers(5);
  PubSub pubsub;
  Recorder recorder;
  pubsub.set_courier(recorder);
  for (Subscriber& subscriber : subscribers) recorder.names[&subscriber] = "x";
  for (int step = 0; step < 5000; ++step) {
    const std::size_t who = random.below(subscribers.size());
    const std::size_t topic = random.below(3);
    const std::string& name = names[random.below(names.size())];
    switch (random.below(4)) {
      case 0:
      case 1:
        EXPECT_EQ(pubsub.subscribe(subscribers[who], static_cast<Topic>(topic), name),
                  model[topic].emplace(who, name).second);
        break;
      case 2:
        EXPECT_EQ(pubsub.unsubscribe(subscribers[who], static_cast<Topic>(topic), name),
                  model[topic].erase({who, name}) != 0);
        break;
      default:
        if (random.below(10) != 0) break;
        pubsub.leave(subscribers[who]);
        for (Model& one : model) std::erase_if(one, [&](const auto& entry) { return entry.first == who; });
    }
    std::size_t expected = 0;
    for (const auto& entry : model[0]) expected += entry.second == name ? 1U : 0U;
    EXPECT_EQ(pubsub.receivers(Topic::channel, name), expected);
    for (const auto& entry : model[1]) expected += base::glob_match(entry.second, name) ? 1U : 0U;
    ASSERT_EQ(pubsub.publish(name, ""), expected);
  }
  for (Subscriber& subscriber : subscribers) pubsub.leave(subscriber);
}

}  // namespace
}  // namespace fairlane::engine
