// Hashes whose fields have deadlines, in databases: against a plain model, in virtual time.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>

#include "fairlane/base/random.hpp"
#include "fairlane/engine/keyspace.hpp"

namespace fairlane::engine {
namespace {

using data::Hash;

constexpr std::int64_t kNever = INT64_MAX;
const Hash::Limits kLimits{.max_packed_entries = 6, .max_searched = 4};

struct Field {
  std::string value;
  std::int64_t deadline = kNever;
};
struct Key {
  std::map<std::string, Field> fields;
  std::int64_t deadline = kNever;
};
using Model = std::map<std::string, Key>;

class FieldRun {
 public:
  explicit FieldRun(std::uint64_t seed) : random_(seed) { shared().now = 1'700'000'000'000; }

  void step() {
    const DbIndex db = below(2);
    const std::string key = "key:" + std::to_string(below(8));
    if (const std::uint32_t what = below(20); what < 13) {
      change_fields(db, key, what);
    } else if (what < 17) {
      change_key(db, key, what);
    } else {
      pass_time(what);
    }
  }

  void compare() {
    forget_due();
    std::int64_t nearest = kNever;
    for (DbIndex db = 0; db < 2; ++db) {
      for (int i = 0; i < 8; ++i) compare_key(db, "key:" + std::to_string(i));
      for (const auto& [name, key] : models_[db]) {
        nearest = std::min(nearest, key.deadline);
        for (const auto& [field, facts] : key.fields) nearest = std::min(nearest, facts.deadline);
      }
    }
    // What has run out and was kept is nearer than anything else.
    if (!shared().keep_expired) {
      EXPECT_EQ(keyspace_.nearest_deadline().value_or(kNever), nearest);
    }
  }

 private:
  Shared& shared() { return keyspace_.shared(); }
  std::uint32_t below(std::uint32_t end) { return static_cast<std::uint32_t>(random_.below(end)); }
  std::int64_t soon() { return shared().now + 1 + below(500); }

  void forget_due() {
    const std::int64_t now = shared().now;
    for (Model& model : models_) {
      for (auto& [name, key] : model) std::erase_if(key.fields, [now](auto& f) { return f.second.deadline <= now; });
      std::erase_if(model, [now](auto& k) { return k.second.deadline <= now || k.second.fields.empty(); });
    }
  }

  void change_fields(DbIndex db, const std::string& key, std::uint32_t what) {
    forget_due();
    Edit<Hash> hash = keyspace_.at(db).upsert<Hash>(key);
    EXPECT_EQ(hash.created(), !models_[db].contains(key)) << key;
    auto& fields = models_[db][key].fields;
    for (std::uint32_t i = below(4) + 1; i > 0; --i) {
      const std::string field = "field:" + std::to_string(below(10));
      if (what < 5) {
        fields[field] = {std::to_string(below(1000))};
        hash->put(field, fields[field].value, kLimits);
      } else if (what < 6) {
        EXPECT_EQ(hash->erase(field), fields.erase(field) == 1);
      } else if (fields.contains(field)) {
        const bool until = what < 11;
        fields[field].deadline = until ? soon() : kNever;
        until ? hash->set_deadline(field, fields[field].deadline) : static_cast<void>(hash->clear_deadline(field));
      }
    }
    hash.commit(events::kHSet);
    if (fields.empty()) models_[db].erase(key);
  }

  void change_key(DbIndex db, const std::string& key, std::uint32_t what) {
    forget_due();
    const bool there = models_[db].contains(key);
    EXPECT_EQ(keyspace_.at(db).contains(key), there) << key;
    if (what == 13) {
      EXPECT_EQ(keyspace_.at(db).erase(key), there) << key;
      models_[db].erase(key);
    } else if (there && what == 14) {
      give_deadline(db, key);
    } else if (there) {
      send(db, key, what == 15);
    }
  }

  void give_deadline(DbIndex db, const std::string& key) {
    std::int64_t& deadline = models_[db][key].deadline;
    const bool until = below(4) == 0;
    deadline = until ? soon() : kNever;
    until ? keyspace_.at(db).edit_deadline(key).set(deadline) : static_cast<void>(keyspace_.at(db).persist(key));
  }

  /// Copies or renames a key, or moves it to the other database.
  void send(DbIndex db, const std::string& key, bool copies) {
    const std::string to = "key:" + std::to_string(below(8));
    const DbIndex target = copies ? below(2) : db;
    if (db == target && key == to) return;
    if (copies) {
      keyspace_.at(db).copy_to(key, keyspace_.at(target), to);
      models_[target][to] = models_[db][key];
      return;
    }
    const Key moved = models_[db][key];
    models_[db].erase(key);
    if (!models_[1 - db].contains(key) && below(2) == 0) {
      keyspace_.at(db).move_to(key, keyspace_.at(1 - db));
      models_[1 - db][key] = moved;
    } else {
      keyspace_.at(db).rename(key, to);
      models_[db][to] = moved;
    }
  }

  void pass_time(std::uint32_t what) {
    if (what == 17 && below(20) == 0) {
      keyspace_.at(0).swap(keyspace_.at(1));
      std::swap(models_[0], models_[1]);
    } else if (what == 18 && below(10) == 0) {
      shared().keep_expired = !shared().keep_expired;
    } else {
      shared().now += below(30);
    }
    // Now and then only access finds what has run out.
    if (!shared().keep_expired && below(3) != 0) {
      while (keyspace_.expire_due(2) != 0) {
      }
    }
  }

  void compare_key(DbIndex db, const std::string& key) {
    const Found<Hash> hash = keyspace_.at(db).find<Hash>(key);
    const auto expected = models_[db].find(key);
    ASSERT_EQ(hash.absent(), expected == models_[db].end()) << key;
    if (hash.absent()) return;
    ASSERT_EQ(hash->size(), expected->second.fields.size()) << key;
    for (const auto& [field, facts] : expected->second.fields) {
      EXPECT_EQ(hash->find(field), facts.value) << field;
      EXPECT_EQ(hash->deadline(field).value_or(kNever), facts.deadline) << field;
    }
  }

  base::Random random_;
  Keyspace keyspace_{2};
  std::array<Model, 2> models_;
};

void run(std::uint64_t seed, int every) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  FieldRun run(seed);
  for (int i = 0; i < 100000 && !testing::Test::HasFailure(); ++i) {
    run.step();
    if (i % every == 0) run.compare();
  }
}

TEST(FieldDeadlines, random_changes_agree_with_a_model_looked_at_after_each) { run(31, 1); }
TEST(FieldDeadlines, random_changes_agree_with_a_model_looked_at_seldom) { run(32, 50); }

class Listening : public ChangeObserver {
 public:
  explicit Listening(Changes& changes) {
    changes.attach(Listener::notifications, *this);
    changes.set_interest(Listener::notifications, true);
  }
  void on_change(const Change& change) override {
    heard += std::string(change.event.name) + ":" + std::string(change.key) + (change.removed ? "! " : " ");
  }
  std::string heard;
};

/// A hash of so many fields, each with a deadline one millisecond after the one before.
void make(Database& database, std::string_view key, int fields, std::int64_t first) {
  Edit<Hash> hash = database.upsert<Hash>(key);
  for (int i = 0; i < fields; ++i) {
    const std::string field = std::to_string(i);
    hash->put(field, "v", kLimits);
    hash->set_deadline(field, first + i);
  }
  hash.commit(events::kHSet);
}

TEST(FieldDeadlines, a_sweep_removes_no_more_than_it_may) {
  Keyspace keyspace(1);
  Database& database = keyspace.at(0);
  make(database, "h", 10, 100);
  keyspace.shared().now = 1000;
  EXPECT_EQ(database.expire_due(4), 4U);
  EXPECT_EQ(database.nearest_deadline(), 104);
  EXPECT_EQ(database.expire_due(4), 4U);
  EXPECT_EQ(database.expire_due(4), 2U);
  EXPECT_EQ(database.size(), 0U);
  EXPECT_EQ(database.expire_due(4), 0U);
}

TEST(FieldDeadlines, the_timer_hears_of_a_nearer_one) {
  Keyspace keyspace(1);
  make(keyspace.at(0), "h", 1, 100);
  EXPECT_TRUE(std::exchange(keyspace.shared().deadline_came_nearer, false));
  make(keyspace.at(0), "later", 1, 200);
  EXPECT_FALSE(keyspace.shared().deadline_came_nearer);
  make(keyspace.at(0), "sooner", 1, 50);
  EXPECT_TRUE(keyspace.shared().deadline_came_nearer);
  EXPECT_EQ(keyspace.nearest_deadline(), 50);
}

TEST(FieldDeadlines, who_meets_a_field_that_has_run_out_tells_of_it) {
  Keyspace keyspace(1);
  Database& database = keyspace.at(0);
  make(database, "h", 2, 100);
  make(database, "gone", 2, 100);
  Listening listening(keyspace.shared().changes);
  keyspace.shared().now = 100;
  EXPECT_EQ(database.find<Hash>("h")->size(), 1U);
  EXPECT_EQ(std::exchange(listening.heard, {}), "hexpired:h ");
  EXPECT_TRUE(database.erase("h"));
  EXPECT_EQ(std::exchange(listening.heard, {}), "del:h! ");
  keyspace.shared().now = 101;
  EXPECT_FALSE(database.erase("gone"));
  EXPECT_EQ(std::exchange(listening.heard, {}), "hexpired:gone! del:gone ");
}

TEST(FieldDeadlines, a_pause_shows_readers_a_part_and_writers_find_it_done) {
  Keyspace keyspace(1);
  Database& database = keyspace.at(0);
  make(database, "h", 3, 100);
  Listening listening(keyspace.shared().changes);
  keyspace.shared().now = 101;
  keyspace.shared().keep_expired = true;
  EXPECT_EQ(database.find<Hash>("h")->size(), 1U);
  EXPECT_EQ(database.find<Hash>("h")->deadline("2"), 102);
  EXPECT_EQ(listening.heard, "");
  keyspace.shared().now = 102;
  EXPECT_TRUE(database.find<Hash>("h").absent());
  EXPECT_TRUE(database.keeps_expired("h"));
  EXPECT_EQ(database.size(), 1U);
  keyspace.shared().now = 101;
  Edit<Hash> hash = database.edit<Hash>("h");
  EXPECT_EQ(hash->size(), 1U);
  EXPECT_EQ(listening.heard, "keymiss:h hexpired:h ");
}

}  // namespace
}  // namespace fairlane::engine
