#include "fairlane/engine/notifications.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fairlane/engine/keyspace.hpp"
#include "fairlane/engine/pubsub.hpp"

namespace fairlane::engine {
namespace {

std::string shown(std::string_view letters) {
  const auto classes = EventClasses::parse(letters);
  return classes ? classes->text() : "(refused)";
}

TEST(EventClasses, are_shown_in_one_order_and_as_short_as_can_be) {
  EXPECT_EQ(shown(""), "");
  EXPECT_EQ(shown("KEA"), "AKE");
  EXPECT_EQ(shown("xgE"), "gxE");
  EXPECT_EQ(shown("g$lshzxetdKE"), "AKE");
  EXPECT_EQ(shown("mK"), "Km");
  EXPECT_EQ(shown("KEAm"), "AKEm");
}

TEST(EventClasses, new_keys_are_shown_only_beside_single_classes) {
  EXPECT_EQ(shown("nK"), "nK");
  EXPECT_EQ(shown("AnK"), "AK");
  EXPECT_TRUE(EventClasses::parse("AnK")->has('n'));
  EXPECT_FALSE(EventClasses::parse("AK")->has('n'));
}

TEST(EventClasses, letters_without_a_meaning_are_refused) {
  EXPECT_EQ(shown("q"), "(refused)");
  EXPECT_EQ(shown("K E"), "(refused)");
}

class Recorder : public Courier {
 public:
  void deliver(const Message& message, const Receivers&) override {
    heard.push_back(std::string(message.channel) + " " + std::string(message.text));
  }
  std::vector<std::string> heard;
};

class NotificationsTest : public testing::Test {
 protected:
  NotificationsTest() : notifications(keyspace.shared().changes, pubsub) {
    pubsub.set_courier(recorder);
    pubsub.subscribe(client, Topic::pattern, "__key*");
  }
  ~NotificationsTest() override { pubsub.leave(client); }
  std::vector<std::string> heard() { return std::exchange(recorder.heard, {}); }
  void configure(std::string_view letters) { notifications.configure(*EventClasses::parse(letters)); }
  void set(std::string_view key) {
    Database& database = keyspace.at(0);
    const bool created = database.store_string(key, "v", Deadline::clear);
    database.published(key, events::kSet, created, true);
  }

  using Lines = std::vector<std::string>;
  Keyspace keyspace{2};
  PubSub pubsub;
  Recorder recorder;
  Subscriber client;
  Notifications notifications;
};

TEST_F(NotificationsTest, nothing_is_published_unless_asked_for) {
  set("k");
  EXPECT_FALSE(keyspace.shared().changes.anyone_listens());
  configure("$g");
  set("k");
  EXPECT_EQ(heard(), Lines{});
}

TEST_F(NotificationsTest, the_keyspace_channel_comes_before_the_keyevent_channel) {
  configure("KE$");
  set("k");
  EXPECT_EQ(heard(), (Lines{"__keyspace@0__:k set", "__keyevent@0__:set k"}));
}

TEST_F(NotificationsTest, only_the_classes_asked_for_are_published) {
  configure("KlE");
  set("k");
  EXPECT_EQ(heard(), Lines{});
  configure("Eg$");
  set("k");
  keyspace.at(0).erase("k");
  EXPECT_EQ(heard(), (Lines{"__keyevent@0__:set k", "__keyevent@0__:del k"}));
}

TEST_F(NotificationsTest, a_new_key_is_told_before_what_made_it) {
  configure("EnA");
  set("k");
  set("k");
  EXPECT_EQ(heard(), (Lines{"__keyevent@0__:new k", "__keyevent@0__:set k", "__keyevent@0__:set k"}));
}

TEST_F(NotificationsTest, whole_keys_are_told_as_new_first_even_over_another_key) {
  configure("EnA");
  set("a");
  set("b");
  heard();
  keyspace.at(0).rename("a", "b");
  EXPECT_EQ(heard(), (Lines{"__keyevent@0__:new b", "__keyevent@0__:rename_from a", "__keyevent@0__:rename_to b"}));
  keyspace.at(0).copy_to("b", keyspace.at(0), "c");
  EXPECT_EQ(heard(), (Lines{"__keyevent@0__:new c", "__keyevent@0__:copy_to c"}));
  keyspace.at(0).move_to("c", keyspace.at(1));
  EXPECT_EQ(heard(), (Lines{"__keyevent@1__:new c", "__keyevent@0__:move_from c", "__keyevent@1__:move_to c"}));
}

TEST_F(NotificationsTest, a_miss_is_told_only_on_request) {
  configure("KEA");
  keyspace.at(0).find_string("none");
  EXPECT_EQ(heard(), Lines{});
  configure("Em");
  keyspace.at(0).find_string("none");
  EXPECT_EQ(heard(), Lines{"__keyevent@0__:keymiss none"});
}

}  // namespace
}  // namespace fairlane::engine
