#include "command/acl/rules.hpp"

#include <gtest/gtest.h>

#include "command/acl/user_text.hpp"
#include "fairlane/base/random.hpp"

namespace fairlane::command {
namespace {

class RulesTest : public testing::Test {
 protected:
  std::string apply(User& user, const std::vector<std::string>& words) const {
    const std::vector<std::string_view> views(words.begin(), words.end());
    const JoinedRules joined = join_selectors(views);
    if (!joined.unclosed.empty()) return "unclosed " + joined.unclosed;
    for (const std::string& rule : joined.rules) {
      const std::string_view wrong = rules.apply(user, rule);
      if (!wrong.empty()) return std::string(wrong);
    }
    return {};
  }
  User made_of(const std::vector<std::string>& words) const {
    User user = rules.new_user("ann");
    EXPECT_EQ(apply(user, words), "");
    return user;
  }
  Verdict check(const User& user, const std::vector<std::string>& words) const {
    const std::vector<std::string_view> views(words.begin(), words.end());
    return user.check(*catalog.find_for(views), views);
  }
  bool may(const User& user, const std::vector<std::string>& words) const { return check(user, words).permitted(); }
  /// Any rule that is right, or one of those that may be.
  std::string random_rule();

  Catalog catalog;
  Rules rules{catalog, Rules::NewChannels::none};
  base::Random random{7};
};

std::string RulesTest::random_rule() {
  static constexpr std::string_view kPlain[] = {
      "allkeys", "resetkeys", "allchannels", "resetchannels", "~a*",       "%R~b",      "%W~b",
      "&c*",     "&d",        "+@all",       "-@all",         "on",        "off",       "nopass",
      ">pw",     "+select|0", "+select|1",   "+get|key",      "resetpass", "(+get ~x)", "clearselectors"};
  const std::string sign = random.below(2) == 0 ? "+" : "-";
  switch (random.below(3)) {
    case 0:
      return std::string(kPlain[random.below(std::size(kPlain))]);
    case 1:
      return sign + "@" + std::string(category_names()[random.below(category_names().size())].name);
    default:
      return sign + catalog.all()[random.below(catalog.all().size())]->name;
  }
}

TEST_F(RulesTest, a_described_user_is_the_same_when_it_is_read_again) {
  for (int round = 0; round < 300; ++round) {
    User user = rules.new_user("ann");
    for (std::uint64_t i = 0; i < 1 + random.below(12); ++i) rules.apply(user, random_rule());
    const std::string line = describe(user, catalog);
    std::vector<std::string> words;
    for (std::size_t at = 0; at != std::string::npos;) {
      const std::size_t end = line.find(' ', at);
      words.push_back(line.substr(at, end - at));
      at = end == std::string::npos ? end : end + 1;
    }
    const User again = made_of({words.begin() + 2, words.end()});
    ASSERT_EQ(describe(again, catalog), line);
    ASSERT_EQ(again.selectors.size(), user.selectors.size());
    for (std::size_t i = 0; i < user.selectors.size(); ++i) {
      for (const auto& command : catalog.all()) {
        ASSERT_EQ(again.selectors[i].has_command(*command), user.selectors[i].has_command(*command))
            << command->name << " in " << line;
      }
    }
  }
}

TEST_F(RulesTest, commands_of_our_own_do_not_change_how_others_are_described) {
  EXPECT_EQ(describe_commands(made_of({"+@write"}).root(), catalog), "-@all +@write");
  EXPECT_EQ(describe_commands(made_of({"+@lane"}).root(), catalog), "-@all +@lane");
  EXPECT_EQ(describe_commands(made_of({"+@list", "+@lane"}).root(), catalog), "-@all +@list +@lane");
  EXPECT_EQ(describe_commands(made_of({"+@all", "-@lane"}).root(), catalog), "+@all -@lane");
  EXPECT_EQ(describe_commands(made_of({"+@write", "-lane.claim"}).root(), catalog), "-@all +@write -lane.claim");
}

TEST_F(RulesTest, a_rule_in_error_leaves_the_user_as_it_was) {
  User user = made_of({"on", "~a", "+get", "(+set ~b)"});
  const std::string before = describe(user, catalog);
  for (const char* rule : {"+nosuch", "(+get nonsense)", "%X~a", "#12", "<pw", "+select|", "&a b", "nonsense"}) {
    EXPECT_NE(rules.apply(user, rule), "") << rule;
    EXPECT_EQ(describe(user, catalog), before) << rule;
  }
}

TEST_F(RulesTest, selectors_of_several_words_are_joined) {
  const std::vector<std::string_view> words{"on", "(+get", "~a", "~b)", "(+set)", "~c)"};
  const std::vector<std::string> expected{"on", "(+get ~a ~b)", "(+set)", "~c)"};
  EXPECT_EQ(join_selectors(words).rules, expected);
  const std::vector<std::string_view> twice{"(+get", "~a", "(+set", "~b)"};
  EXPECT_EQ(join_selectors(twice).rules, std::vector<std::string>{"(+set ~b)"});
  const std::vector<std::string_view> open{"on", "(+get", "(+set"};
  EXPECT_EQ(join_selectors(open).unclosed, "(+set");
  EXPECT_TRUE(join_selectors(open).rules.empty());
}

TEST_F(RulesTest, a_request_has_to_fit_one_selector_as_a_whole) {
  const User user = made_of({"+get", "~a", "(+set ~b)", "(+mget ~a ~b)"});
  EXPECT_TRUE(may(user, {"GET", "a"}));
  EXPECT_TRUE(may(user, {"SET", "b", "1"}));
  EXPECT_FALSE(may(user, {"GET", "b"}));
  EXPECT_FALSE(may(user, {"SET", "a", "1"}));
  EXPECT_TRUE(may(user, {"MGET", "a", "b"}));
  EXPECT_EQ(check(user, {"MGET", "a", "c"}), (Verdict{Refused::key, 2}));
  EXPECT_EQ(check(user, {"DEL", "a"}), (Verdict{Refused::command, 0}));
}

TEST_F(RulesTest, reading_and_writing_are_permitted_apart) {
  const User user = made_of({"+@all", "%R~r", "%W~w", "~rw"});
  EXPECT_TRUE(may(user, {"COPY", "r", "w"}));
  EXPECT_FALSE(may(user, {"COPY", "w", "r"}));
  EXPECT_TRUE(may(user, {"SET", "w", "1"}));
  EXPECT_FALSE(may(user, {"SET", "w", "1", "GET"}));
  EXPECT_TRUE(may(user, {"SET", "rw", "1", "GET"}));
  // Whether a key exists, and of what type it is, anybody may ask who has any right to it.
  EXPECT_TRUE(may(user, {"TYPE", "w"}));
  EXPECT_FALSE(may(user, {"TYPE", "other"}));
}

TEST_F(RulesTest, who_has_the_rights_to_everything_needs_no_check) {
  EXPECT_TRUE(made_of({"+@all", "~*", "&*"}).unrestricted());
  EXPECT_TRUE(made_of({"(+@all ~* &*)"}).unrestricted());
  EXPECT_FALSE(made_of({"+@all", "~*"}).unrestricted());
  EXPECT_FALSE(made_of({"+@all", "~*", "&*", "-get"}).unrestricted());
  EXPECT_FALSE(made_of({"+@all", "%R~*", "&*"}).unrestricted());
}

TEST_F(RulesTest, commands_keep_their_names_when_they_are_renamed) {
  ASSERT_TRUE(catalog.rename("get", "fetch"));
  EXPECT_EQ(describe_commands(made_of({"+get"}).root(), catalog), "-@all +get");
  User user = rules.new_user("ann");
  EXPECT_EQ(apply(user, {"+fetch"}), kUnknownInRule);
}

TEST_F(RulesTest, a_question_with_too_few_words_has_no_keys) {
  const User user = made_of({"+@all", "~a"});
  EXPECT_TRUE(may(user, {"GET"}));
  EXPECT_TRUE(may(user, {"SORT"}));
  EXPECT_TRUE(may(user, {"EVAL", "x"}));
  EXPECT_FALSE(may(user, {"MSET", "b"}));
}

}  // namespace
}  // namespace fairlane::command
