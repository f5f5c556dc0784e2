#include "fairlane/engine/database.hpp"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <string>

#include "fairlane/base/random.hpp"
#include "fairlane/engine/keyspace.hpp"
#include "fairlane/engine/watch.hpp"

namespace fairlane::engine {
namespace {

std::string text_of(Database& database, std::string_view key) {
  const FoundString found = database.find_string(key);
  if (found.absent() || found.wrong_type()) return "(none)";
  Scratch scratch;
  return std::string(found.text(scratch));
}

class Listening : public ChangeObserver {
 public:
  explicit Listening(Changes& changes) {
    changes.attach(Listener::notifications, *this);
    changes.set_interest(Listener::notifications, true);
  }
  void on_change(const Change& change) override {
    heard += std::string(change.event.name) + ":" + std::string(change.key) + " ";
  }
  std::string heard;
};

TEST(Database, strings_of_every_length_and_form_survive_edits_against_a_model) {
  constexpr std::uint64_t kSeed = 7;
  SCOPED_TRACE(kSeed);
  base::Random random(kSeed);
  Keyspace keyspace(1);
  Database& database = keyspace.at(0);
  std::map<std::string, std::string> model;
  for (int step = 0; step < 20000; ++step) {
    const std::string key = "key:" + std::to_string(random.below(50));
    const auto text = [&] {
      return random.below(3) == 0 ? std::to_string(random.below(100000)) : std::string(random.below(600), 'x');
    };
    switch (random.below(6)) {
      case 0: {
        const std::string value = text();
        database.store_string(key, value, Deadline::clear);
        model[key] = value;
        break;
      }
      case 1: {
        const std::string more = text();
        EditString edit = database.edit_string(key);
        const std::size_t old = edit.size();
        char* bytes = edit.resize(old + more.size());
        std::copy(more.begin(), more.end(), bytes + old);
        edit.commit(events::kAppend);
        model[key] += more;
        break;
      }
      case 2:
        EXPECT_EQ(database.erase(key), model.erase(key) == 1);
        break;
      case 3:
        if (model.contains(key)) database.expire_at(key, 1000 + static_cast<std::int64_t>(random.below(100000)));
        break;
      case 4:
        database.persist(key);
        break;
      default: {
        const std::string to = "key:" + std::to_string(random.below(50));
        if (!model.contains(key) || to == key) break;
        database.rename(key, to);
        model[to] = model[key];
        model.erase(key);
      }
    }
    ASSERT_EQ(database.size(), model.size());
    ASSERT_EQ(text_of(database, key), model.contains(key) ? model[key] : "(none)") << "step " << step;
  }
}

TEST(Database, a_key_is_gone_at_its_millisecond_and_says_so_once) {
  Keyspace keyspace(1);
  Listening listening(keyspace.shared().changes);
  Database& database = keyspace.at(0);
  database.store_string("k", "v", Deadline::clear);
  database.expire_at("k", 100);
  keyspace.shared().now = 99;
  EXPECT_TRUE(database.contains("k"));
  keyspace.shared().now = 100;
  EXPECT_FALSE(database.contains("k"));
  EXPECT_FALSE(database.contains("k"));
  EXPECT_EQ(listening.heard, "expired:k ");
  EXPECT_EQ(database.size(), 0U);
}

TEST(Database, due_keys_are_removed_nearest_first_and_no_more_than_asked) {
  Keyspace keyspace(2);
  Listening listening(keyspace.shared().changes);
  for (const auto& [key, when] : std::map<std::string, std::int64_t>{{"c", 30}, {"a", 10}, {"b", 20}, {"d", 400}}) {
    keyspace.at(1).store_string(key, "v", Deadline::clear);
    keyspace.at(1).expire_at(key, when);
  }
  keyspace.shared().now = 100;
  EXPECT_EQ(keyspace.nearest_deadline(), 10);
  EXPECT_EQ(keyspace.expire_due(2), 2U);
  EXPECT_EQ(listening.heard, "expired:a expired:b ");
  EXPECT_EQ(keyspace.expire_due(10), 1U);
  EXPECT_EQ(keyspace.nearest_deadline(), 400);
}

TEST(Database, a_key_made_by_an_edit_without_commit_is_taken_back) {
  Keyspace keyspace(1);
  { auto edit = keyspace.at(0).upsert<data::SortedSet>("q"); }
  EXPECT_EQ(keyspace.at(0).size(), 0U);
}

TEST(Database, an_emptied_value_takes_its_key_along_after_its_own_event) {
  Keyspace keyspace(1);
  Listening listening(keyspace.shared().changes);
  auto set = keyspace.at(0).upsert<data::SortedSet>("q");
  set->put("a", 1);
  set.commit(events::kZAdd);
  auto again = keyspace.at(0).edit<data::SortedSet>("q");
  again->erase("a");
  again.commit(events::kZRem);
  EXPECT_EQ(listening.heard, "zadd:q zrem:q del:q ");
  EXPECT_EQ(keyspace.at(0).size(), 0U);
}

TEST(Database, a_rule_decides_whether_a_string_is_stored_and_what_deadline_it_gets) {
  using If = StoreRule::If;
  Keyspace keyspace(1);
  Database& database = keyspace.at(0);
  const auto deadline = [&] { return database.edit_deadline("k").when(); };
  EXPECT_EQ(database.store_string("k", "a", {.condition = If::present}), Stored::refused);
  EXPECT_EQ(database.store_string("k", "a", {.condition = If::absent, .when = 50}), Stored::created);
  EXPECT_EQ(deadline(), 50);
  EXPECT_EQ(database.nearest_deadline(), 50);
  EXPECT_TRUE(keyspace.shared().deadline_came_nearer);
  EXPECT_EQ(database.store_string("k", "b", {.condition = If::absent}), Stored::refused);
  EXPECT_EQ(text_of(database, "k"), "a");
  EXPECT_EQ(database.store_string("k", "b", {.deadline = Deadline::keep}), Stored::replaced);
  EXPECT_EQ(deadline(), 50);
  EXPECT_EQ(database.store_string("k", std::string(300, 'x'), {.when = 70}), Stored::replaced);
  EXPECT_EQ(deadline(), 70);
  EXPECT_EQ(database.store_string("k", "c", StoreRule{}), Stored::replaced);
  EXPECT_EQ(deadline(), std::nullopt);
  EXPECT_EQ(database.nearest_deadline(), std::nullopt);
}

TEST(Database, a_deadline_is_given_moved_and_taken_away_through_its_edit) {
  Keyspace keyspace(1);
  Database& database = keyspace.at(0);
  EXPECT_TRUE(database.edit_deadline("k").absent());
  database.store_string("k", "v", Deadline::clear);
  EditDeadline edit = database.edit_deadline("k");
  EXPECT_FALSE(edit.clear());
  edit.set(80);
  edit.set(60);
  EXPECT_EQ(edit.when(), 60);
  EXPECT_EQ(database.nearest_deadline(), 60);
  EXPECT_TRUE(edit.clear());
  EXPECT_EQ(database.expiry().size(), 0U);
  EXPECT_EQ(text_of(database, "k"), "v");
}

TEST(Database, erasing_a_key_past_its_deadline_is_its_expiry) {
  Keyspace keyspace(1);
  Listening listening(keyspace.shared().changes);
  Database& database = keyspace.at(0);
  database.store_string("k", "v", {.when = 10});
  keyspace.shared().now = 10;
  EXPECT_FALSE(database.erase("k"));
  EXPECT_EQ(listening.heard, "expired:k ");
  EXPECT_EQ(database.size(), 0U);
}

TEST(Database, a_text_stays_a_text_even_when_it_reads_as_an_integer) {
  Keyspace keyspace(1);
  Database& database = keyspace.at(0);
  database.store_string("k", "41", Deadline::clear);
  EXPECT_TRUE(database.peek("k")->is_integer());
  EditString edit = database.edit_string("k");
  edit.assign_text("42");
  edit.commit(events::kIncrByFloat);
  EXPECT_FALSE(database.peek("k")->is_integer());
  database.copy_to("k", database, "copy");
  EXPECT_FALSE(database.peek("copy")->is_integer());
  EXPECT_EQ(text_of(database, "copy"), "42");
}

TEST(Database, looking_at_a_key_counts_and_tells_but_marks_no_access) {
  Keyspace keyspace(1);
  Listening listening(keyspace.shared().changes);
  Database& database = keyspace.at(0);
  database.store_string("k", "v", Deadline::clear);
  keyspace.shared().access_clock = 9;
  EXPECT_EQ(database.inspect("k")->access(), 0U);
  EXPECT_EQ(database.find_entry("k")->access(), 9U);
  EXPECT_EQ(database.inspect("none"), nullptr);
  EXPECT_EQ(keyspace.shared().hits, 2U);
  EXPECT_EQ(keyspace.shared().misses, 1U);
  EXPECT_EQ(listening.heard, "keymiss:none ");
}

TEST(Database, keys_past_their_deadline_stay_while_they_are_kept) {
  Keyspace keyspace(1);
  Listening listening(keyspace.shared().changes);
  Database& database = keyspace.at(0);
  for (const char* key : {"a", "b", "c"}) {
    database.store_string(key, "v", Deadline::clear);
    database.expire_at(key, 10);
  }
  keyspace.shared().now = 20;
  keyspace.shared().keep_expired = true;
  base::Random random;
  EXPECT_EQ(database.peek("a"), nullptr);
  EXPECT_EQ(database.find_entry("a"), nullptr);
  EXPECT_EQ(database.random(random), nullptr);
  EXPECT_EQ(database.size(), 3U);
  EXPECT_EQ(keyspace.shared().expired, 0U);
  database.store_string("live", "v", Deadline::clear);
  EXPECT_EQ(database.random(random)->key(), "live");
  listening.heard.clear();
  EXPECT_TRUE(database.store_string("a", "new", Deadline::clear)) << "a writer makes the key anew";
  EXPECT_TRUE(database.edit<data::List>("b").absent());
  EXPECT_EQ(listening.heard, "expired:a expired:b ");
  EXPECT_EQ(database.size(), 3U);
  keyspace.shared().keep_expired = false;
  EXPECT_EQ(database.peek("c"), nullptr);
  EXPECT_EQ(database.size(), 2U);
}

TEST(WatchTable, a_key_that_is_kept_past_its_deadline_breaks_unless_it_was_so_before) {
  Keyspace keyspace(1);
  WatchTable watches(keyspace.shared().changes);
  Database& database = keyspace.at(0);
  WatchState before;
  WatchState after;
  database.store_string("k", "v", Deadline::clear);
  database.expire_at("k", 10);
  watches.watch(before, database, "k");
  keyspace.shared().now = 20;
  keyspace.shared().keep_expired = true;
  watches.watch(after, database, "k");
  EXPECT_TRUE(WatchTable::broken(before, keyspace));
  EXPECT_FALSE(WatchTable::broken(after, keyspace));
  keyspace.shared().keep_expired = false;
  EXPECT_EQ(database.peek("k"), nullptr);
  EXPECT_FALSE(WatchTable::broken(after, keyspace));
  database.published("k", events::kSet);
  EXPECT_TRUE(WatchTable::broken(after, keyspace));
  watches.unwatch(before);
  watches.unwatch(after);
}

TEST(WatchTable, a_change_of_a_watched_key_breaks_and_of_another_does_not) {
  Keyspace keyspace(2);
  WatchTable watches(keyspace.shared().changes);
  WatchState state;
  watches.watch(state, keyspace.at(0), "k");
  keyspace.at(1).erase("k");
  keyspace.at(1).published("k", events::kSet);
  keyspace.at(0).published("other", events::kSet);
  EXPECT_FALSE(state.broken);
  keyspace.at(0).published("k", events::kSet);
  EXPECT_TRUE(state.broken);
  watches.unwatch(state);
  EXPECT_FALSE(state.broken);
  EXPECT_FALSE(keyspace.shared().changes.anyone_listens());
}

TEST(Database, a_remembered_place_is_never_another_than_a_search_finds) {
  constexpr std::uint64_t kSeed = 11;
  SCOPED_TRACE(kSeed);
  base::Random random(kSeed);
  Keyspace keyspace(2);
  const std::array<std::string, 6> names{"a", "b", "c", "d", "e", "f"};
  std::array<KeyPlace, 6> places;
  keyspace.shared().now = 1000;
  for (int step = 0; step < 30000; ++step) {
    Database& database = keyspace.at(0);
    const std::size_t which = random.below(names.size());
    const std::string& name = names[which];
    const RememberedKey key(name, base::hash_bytes(name), places[which]);
    switch (random.below(11)) {
      case 0:
      case 1: {
        auto edit = database.upsert<data::Hash>(key);
        if (edit.wrong_type()) break;
        edit->put("f", "v", data::Hash::Limits{});
        if (random.below(2) == 0) edit.commit(events::kHSet);
        break;
      }
      case 2:
        database.erase(name);
        break;
      case 3:
        database.store_string(name, "text", Deadline::clear);
        break;
      case 4:
        if (database.contains(name)) database.expire_at(name, 1000 + static_cast<std::int64_t>(random.below(3)));
        break;
      case 5:
        database.persist(name);
        break;
      case 6:
        if (database.contains(name)) database.rename(name, names[random.below(names.size())]);
        break;
      case 7:
        if (database.contains(name)) database.copy_to(name, database, names[random.below(names.size())] + "x");
        break;
      case 8:
        if (random.below(20) == 0) database.swap(keyspace.at(1));
        break;
      case 9:
        if (random.below(50) == 0) database.clear();
        break;
      default:
        database.upsert<data::Hash>("other:" + std::to_string(random.below(1000)))->put("f", "v", data::Hash::Limits{});
    }
    ASSERT_EQ(database.peek(key), database.peek(HashedKey::of(name))) << name << " after step " << step;
    auto edit = database.edit<data::Hash>(key);
    ASSERT_EQ(edit.absent(), !database.contains(name)) << name << " after step " << step;
  }
}

TEST(Database, a_paused_server_keeps_a_remembered_key_past_its_deadline) {
  Keyspace keyspace(1);
  Database& database = keyspace.at(0);
  KeyPlace place;
  const RememberedKey key("k", base::hash_bytes("k"), place);
  auto edit = database.upsert<data::Hash>(key);
  edit->put("f", "v", data::Hash::Limits{});
  edit.commit(events::kHSet);
  EXPECT_NE(database.peek(key), nullptr);
  keyspace.shared().now = 1000;
  database.expire_at("k", 1000);
  keyspace.shared().keep_expired = true;
  EXPECT_EQ(database.peek(key), nullptr);
  EXPECT_EQ(database.size(), 1U);
  keyspace.shared().keep_expired = false;
  EXPECT_EQ(database.peek(key), nullptr);
  EXPECT_EQ(database.size(), 0U);
}

TEST(Database, takes_note_of_ends_of_keys_until_it_is_emptied) {
  Keyspace keyspace(2);
  keyspace.shared().noted_ends.note(":logs");
  Database& database = keyspace.at(0);
  database.store_string("job:1", "v", Deadline::clear);
  database.store_string("gs", "v", Deadline::clear);
  EXPECT_FALSE(database.holds_noted());
  database.store_string("job:2", "v", Deadline::clear);
  database.rename("job:2", "job:1:logs");
  EXPECT_TRUE(database.holds_noted());
  database.swap(keyspace.at(1));
  EXPECT_FALSE(database.holds_noted());
  EXPECT_TRUE(keyspace.at(1).holds_noted());
  keyspace.at(1).clear();
  EXPECT_FALSE(keyspace.at(1).holds_noted());
}

}  // namespace
}  // namespace fairlane::engine
