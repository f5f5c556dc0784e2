#include "fairlane/command/options.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "fairlane/command/settings.hpp"

namespace fairlane::command {
namespace {

class OptionsTest : public testing::Test {
 protected:
  std::string get(std::string_view name) const { return options.text(*Options::find(name)); }
  std::string load(std::string_view name, std::vector<std::string_view> words) {
    return options.load(*Options::find(name), words);
  }
  /// The reason of the refusal, with the place of the change before it.
  std::string change(std::vector<std::pair<std::string_view, std::string_view>> pairs) {
    std::vector<Options::Change> changes;
    for (const auto& [name, value] : pairs) changes.emplace_back(Options::find(name), value);
    const auto refusal = options.change(changes);
    return refusal ? std::to_string(refusal->change) + " " + refusal->reason : "";
  }

  Settings settings;
  Options options{settings};
};

TEST_F(OptionsTest, every_row_says_what_it_is_and_has_a_name_of_its_own) {
  std::set<std::string_view> names;
  for (const OptionSection& section : option_sections()) {
    for (const Option& option : section.options) {
      EXPECT_TRUE(names.insert(option.name).second) << option.name;
      if (!option.alias.empty()) {
        EXPECT_TRUE(names.insert(option.alias).second) << option.alias;
      }
      EXPECT_TRUE(option.help.ends_with('.')) << option.name;
      EXPECT_EQ(Options::find(option.name), &option);
    }
  }
}

TEST_F(OptionsTest, initial_values_are_shown_as_they_are_declared) {
  for (const OptionSection& section : option_sections()) {
    for (const Option& option : section.options) {
      if (option.name == "dir") continue;
      EXPECT_EQ(options.text(option), option.initial) << option.name;
    }
  }
}

TEST_F(OptionsTest, initial_settings_are_those_of_the_table) {
  const Settings untouched;
  EXPECT_EQ(settings.maxclients, untouched.maxclients);
  EXPECT_EQ(settings.limits.max_bulk_length, untouched.limits.max_bulk_length);
  EXPECT_EQ(settings.hash.max_packed_entries, untouched.hash.max_packed_entries);
  EXPECT_EQ(settings.bind, untouched.bind);
  EXPECT_EQ(settings.output_limits[1].soft, untouched.output_limits[1].soft);
  EXPECT_EQ(settings.latency_percentiles, untouched.latency_percentiles);
  EXPECT_EQ(settings.slowlog_slower_than_micros, untouched.slowlog_slower_than_micros);
}

TEST_F(OptionsTest, names_and_aliases_are_found_whatever_their_case) {
  EXPECT_EQ(Options::find("HASH-MAX-ZIPLIST-ENTRIES"), Options::find("hash-max-listpack-entries"));
  EXPECT_EQ(Options::find("nosuch"), nullptr);
  EXPECT_EQ(Options::find(""), nullptr);
}

TEST_F(OptionsTest, memory_has_units) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"5", "5"}, {"1k", "1000"}, {"1KB", "1024"}, {"2m", "2000000"}, {"1mb", "1048576"}, {"1gb", "1073741824"}};
  for (const auto& [given, shown] : cases) {
    EXPECT_EQ(change({{"maxmemory", given}}), "");
    EXPECT_EQ(get("maxmemory"), shown);
  }
  EXPECT_EQ(change({{"maxmemory", "1tb"}}), "0 argument must be a memory value");
  EXPECT_EQ(change({{"maxmemory", "-1"}}), "0 argument must be a memory value");
}

TEST_F(OptionsTest, limits_of_numbers_are_told) {
  EXPECT_EQ(change({{"port", "65536"}}), "0 argument must be between 0 and 65535 inclusive");
  EXPECT_EQ(change({{"port", "x"}}), "0 argument couldn't be parsed into an integer");
  EXPECT_EQ(load("unixsocketperm", {"8"}), "argument couldn't be parsed as an octal number");
  EXPECT_EQ(load("unixsocketperm", {"1777"}), "argument must be between 0 and 777 inclusive");
}

TEST_F(OptionsTest, one_bad_value_changes_nothing) {
  EXPECT_EQ(change({{"timeout", "7"}, {"maxclients", "0"}}), "1 argument must be between 1 and 4294967295 inclusive");
  EXPECT_EQ(get("timeout"), "0");
  EXPECT_EQ(settings.timeout_seconds, 0);
}

TEST_F(OptionsTest, an_action_that_refuses_takes_everything_back) {
  std::vector<std::int64_t> seen;
  options.on_change("timeout", [&] {
    seen.push_back(settings.timeout_seconds);
    return std::string();
  });
  options.on_change("maxclients", [] { return std::string("too many"); });
  EXPECT_EQ(change({{"timeout", "7"}, {"maxclients", "50"}}), "1 too many");
  EXPECT_EQ(seen, (std::vector<std::int64_t>{7, 0}));
  EXPECT_EQ(get("maxclients"), "10000");
  EXPECT_EQ(settings.maxclients, 10000);
}

TEST_F(OptionsTest, save_points_of_a_file_add_up_and_replace_the_initial_ones) {
  EXPECT_EQ(load("save", {"900", "1"}), "");
  EXPECT_EQ(load("save", {"60", "5", "30", "6"}), "");
  EXPECT_EQ(get("save"), "900 1 60 5 30 6");
  EXPECT_EQ(load("save", {""}), "");
  EXPECT_EQ(get("save"), "");
  EXPECT_EQ(load("save", {"900"}), "Invalid save parameters");
  EXPECT_EQ(change({{"save", "5 5"}}), "");
  EXPECT_EQ(change({{"save", "6 6"}}), "");
  EXPECT_EQ(get("save"), "6 6");
}

TEST_F(OptionsTest, output_limits_are_set_a_class_at_a_time) {
  EXPECT_EQ(change({{"client-output-buffer-limit", "replica 1kb 2 3"}}), "");
  EXPECT_EQ(get("client-output-buffer-limit"), "normal 0 0 0 slave 1024 2 3 pubsub 33554432 8388608 60");
  EXPECT_EQ(settings.output_limits[1].hard, 1024);
  EXPECT_EQ(settings.output_limits[2].soft_seconds, 60);
}

TEST_F(OptionsTest, event_classes_are_shown_in_their_order) {
  EXPECT_EQ(change({{"notify-keyspace-events", "KEA"}}), "");
  EXPECT_EQ(get("notify-keyspace-events"), "AKE");
  EXPECT_EQ(settings.notify_keyspace_events, "g$lshzxetdKE");
  EXPECT_EQ(change({{"notify-keyspace-events", "xgE"}}), "");
  EXPECT_EQ(get("notify-keyspace-events"), "gxE");
}

TEST_F(OptionsTest, flags_of_a_shutdown_are_kept_as_a_set) {
  EXPECT_EQ(change({{"shutdown-on-sigterm", "force now now"}}), "");
  EXPECT_EQ(get("shutdown-on-sigterm"), "now force");
  EXPECT_EQ(change({{"shutdown-on-sigterm", "default"}}), "");
  EXPECT_EQ(get("shutdown-on-sigterm"), "default");
}

TEST_F(OptionsTest, a_share_of_the_memory_is_a_percentage) {
  EXPECT_EQ(change({{"maxmemory-clients", "5%"}}), "");
  EXPECT_EQ(get("maxmemory-clients"), "5%");
  EXPECT_EQ(change({{"maxmemory-clients", "101%"}}), "0 percentage argument must be less or equal to 100");
}

}  // namespace
}  // namespace fairlane::command
