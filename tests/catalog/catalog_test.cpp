// What must hold for every command, whoever declares it.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "command/introspection.hpp"
#include "command/syntax.hpp"
#include "testkit/in_process.hpp"
#include "testkit/resp_value.hpp"

namespace fairlane::command {
namespace {

/// The words of a command's name, as a request begins with them.
std::vector<std::string> name_of(const Command& command) {
  if (command.parent == nullptr) return {command.name};
  return {command.parent->name, std::string(command.own_name())};
}

std::string answer(testkit::InProcess& server, const Command& command, std::size_t word_count) {
  std::vector<std::string> words = name_of(command);
  words.resize(word_count, "1");
  auto& client = server.connect();
  client.send_bytes(testkit::encode_request(words));
  return client.take();
}

std::string refusal(const Command& command) {
  const std::string text = "wrong number of arguments for '" + command.name + "' command\r\n";
  // An EXEC that is refused is the end of its transaction.
  return (command.name == "exec" ? "-EXECABORT Transaction discarded because of: " : "-ERR ") + text;
}

std::size_t least_words(const Command& command) { return static_cast<std::size_t>(std::abs(command.arity)); }

TEST(Catalog, names_are_in_lower_case_and_found_in_any_case) {
  const Catalog catalog;
  for (const auto& command : catalog.all()) {
    std::string upper = command->name;
    for (char& c : upper) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
    EXPECT_EQ(command->name, base::to_lower(upper));
    EXPECT_EQ(catalog.find_full(upper), command.get()) << upper;
  }
  EXPECT_EQ(catalog.find("no-such-command"), nullptr);
}

TEST(Catalog, a_command_runs_or_has_subcommands) {
  const Catalog catalog;
  for (const auto& command : catalog.all()) {
    EXPECT_TRUE(command->handler != nullptr || !command->subcommands.empty()) << command->name;
  }
}

TEST(Catalog, a_wrong_number_of_words_is_refused_in_the_words_of_redis) {
  testkit::InProcess server;
  for (const auto& command : server.services().catalog.all()) {
    const std::size_t least = least_words(*command);
    if (least > name_of(*command).size()) {
      EXPECT_EQ(answer(server, *command, least - 1), refusal(*command)) << command->name << " with too few words";
    }
    if (command->arity > 0 && command->subcommands.empty()) {
      EXPECT_EQ(answer(server, *command, least + 1), refusal(*command)) << command->name << " with too many words";
    }
  }
}

TEST(Catalog, every_command_is_documented) {
  const Catalog catalog;
  for (const auto& command : catalog.all()) {
    const Docs& docs = command->spec->docs;
    EXPECT_FALSE(docs.summary.empty()) << command->name;
    EXPECT_TRUE(docs.summary.ends_with('.')) << command->name << ": " << docs.summary;
    EXPECT_LE(docs.summary.size(), 120U) << command->name << ": a summary is one short sentence";
    EXPECT_FALSE(docs.since.empty()) << command->name;
    EXPECT_EQ(docs.deprecated_since.empty(), docs.replaced_by.empty()) << command->name;
  }
}

TEST(Catalog, every_syntax_line_parses_and_is_complete) {
  const Catalog catalog;
  for (const auto& command : catalog.all()) {
    std::string error;
    arguments_of(*command->spec, error);
    EXPECT_EQ(error, "") << command->spec->syntax;
    const bool complete = command->spec->syntax.find("[...]") == std::string_view::npos;
    EXPECT_TRUE(complete) << command->spec->syntax << ": options are left out";
  }
}

std::size_t fewest_words(const std::vector<Argument>& arguments);

std::size_t fewest_words(const Argument& argument) {
  if (argument.optional) return 0;
  const std::size_t token = !argument.token.empty() && argument.type != Argument::Type::pure_token ? 1 : 0;
  if (argument.type == Argument::Type::block) return token + fewest_words(argument.arguments);
  if (argument.type != Argument::Type::one_of) return token + 1;
  std::size_t fewest = SIZE_MAX;
  for (const Argument& choice : argument.arguments) fewest = std::min(fewest, fewest_words(choice));
  return token + fewest;
}

std::size_t fewest_words(const std::vector<Argument>& arguments) {
  std::size_t words = 0;
  for (const Argument& argument : arguments) words += fewest_words(argument);
  return words;
}

// More may be asked for: some commands want one of two optional things.
TEST(Catalog, the_arity_asks_for_all_that_the_syntax_line_does) {
  const Catalog catalog;
  for (const auto& command : catalog.all()) {
    if (!command->subcommands.empty()) continue;
    std::string error;
    const std::size_t fewest = fewest_words(arguments_of(*command->spec, error)) + command->words;
    EXPECT_LE(fewest, least_words(*command)) << command->spec->syntax;
  }
}

TEST(Catalog, keys_stand_within_the_arity) {
  const Catalog catalog;
  for (const auto& command : catalog.all()) {
    const Keys& keys = command->spec->keys;
    for (std::uint8_t i = 0; i < keys.count; ++i) {
      const KeySpec& key = keys.specs[i];
      const bool optional = has(command->flags, Flag::no_mandatory_keys) || has(key.use, Use::not_key);
      if (key.begin != KeySpec::Begin::index || optional) continue;
      if (key.last < 0 && key.index == -command->arity) continue;  // all that follow, perhaps none
      EXPECT_LT(key.index, std::abs(command->arity)) << command->name;
      EXPECT_GE(key.index, command->words) << command->name;
    }
  }
}

TEST(Catalog, keys_of_the_syntax_line_are_keys_of_the_specifications) {
  const Catalog catalog;
  for (const auto& command : catalog.all()) {
    std::string error;
    for (const Argument& argument : arguments_of(*command->spec, error)) {
      if (argument.type != Argument::Type::key) continue;
      EXPECT_GE(argument.key_spec, 0) << command->spec->syntax << ": nothing finds " << argument.name;
    }
  }
}

TEST(Catalog, every_command_is_fast_or_slow) {
  const Catalog catalog;
  for (const auto& command : catalog.all()) {
    const Category categories = all_categories(*command);
    EXPECT_NE(has(categories, Category::fast), has(categories, Category::slow)) << command->name;
    EXPECT_EQ(has(command->flags, Flag::write), has(categories, Category::write)) << command->name;
  }
}

TEST(Catalog, command_describes_everything_in_both_protocols) {
  testkit::InProcess server;
  auto& client = server.connect();
  for (const auto version : {protocol::Version::resp2, protocol::Version::resp3}) {
    client.session()->version = version;
    for (const char* request : {"COMMAND", "COMMAND DOCS", "COMMAND LIST", "COMMAND HELP"}) {
      testkit::RespReader reader;
      reader.feed(client.ask(request));
      const auto reply = reader.next();
      ASSERT_TRUE(reply) << request;
      EXPECT_NE(reply->kind, testkit::Kind::malformed) << request;
      EXPECT_TRUE(reader.empty()) << request;
    }
  }
}

}  // namespace
}  // namespace fairlane::command
