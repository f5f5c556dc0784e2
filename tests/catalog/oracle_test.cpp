// Our commands' metadata beside redis-server's own, for every command that both know.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "testkit/in_process.hpp"
#include "testkit/resp_value.hpp"
#include "testkit/server_process.hpp"
#include "testkit/socket_client.hpp"

namespace fairlane::testkit {
namespace {

/// Differences on purpose, as "command: field", each with its reason.
const std::set<std::string> kIntended = {
    // SKIPME takes YES or NO; Redis has them down as free text.
    "client|kill: tokens",
    // Redis keeps its DEBUG out of the documentation.
    "debug: doc_flags",
    // NOVALUES is Redis 7.4's, like the commands for deadlines of fields.
    "hscan: tokens",
};

constexpr std::string_view kFields[] = {"name",     "arity",      "flags", "first key", "last key",
                                        "key step", "categories", "tips",  "key specs", "subcommands"};
constexpr std::size_t kKeySpecs = 8;
constexpr std::size_t kSubcommands = 9;

/// Puts the elements of sets in one order, so that equal ones look equal.
void sort_sets(Value& value) {
  for (Value& item : value.items) sort_sets(item);
  if (value.kind != Kind::set) return;
  std::sort(value.items.begin(), value.items.end(), [](const Value& a, const Value& b) { return show(a) < show(b); });
}

const Value* field(const Value& map, std::string_view name) {
  for (std::size_t i = 0; i + 1 < map.items.size(); i += 2) {
    if (map.items[i].text == name) return &map.items[i + 1];
  }
  return nullptr;
}

std::string text(const Value* value) { return value == nullptr ? "(none)" : show(*value); }

Value ask_redis(const std::vector<std::string>& request) {
  ServerProcess server(ServerProcess::redis_program());
  SocketClient client(server.port());
  client.call({"HELLO", "3"});
  return client.call(request);
}

Value ask_fairlane(const std::vector<std::string>& request) {
  InProcess server;
  auto& client = server.connect();
  client.session()->version = protocol::Version::resp3;
  client.send_bytes(encode_request(request));
  RespReader reader;
  reader.feed(client.take());
  return reader.next().value();
}

void expect_same(const std::string& place, const std::string& theirs, const std::string& ours) {
  if (theirs == ours || kIntended.contains(place)) return;
  ADD_FAILURE() << place << "\n  redis:    " << theirs << "\n  fairlane: " << ours;
}

/// Compares COMMAND INFO; counts the commands that both know.
class InfoComparison {
 public:
  void compare_all(const std::vector<Value>& theirs, const std::vector<Value>& ours) {
    for (const Value& command : theirs) {
      if (const Value* own = find(ours, command.items.at(0).text)) compare(command, *own);
    }
  }
  std::size_t compared() const noexcept { return compared_; }

 private:
  static const Value* find(const std::vector<Value>& commands, const std::string& name) {
    for (const Value& command : commands) {
      if (command.items.at(0).text == name) return &command;
    }
    return nullptr;
  }

  /// The order of the key specifications counts: COMMAND DOCS refers to them by number.
  static void sort(Value& value, std::size_t field_number) {
    if (field_number != kKeySpecs) return sort_sets(value);
    for (Value& specification : value.items) sort_sets(specification);
  }

  void compare(Value theirs, Value ours) {
    ++compared_;
    const std::string name = theirs.items.at(0).text;
    ASSERT_EQ(ours.items.size(), std::size(kFields)) << name;
    for (std::size_t i = 0; i < kSubcommands; ++i) {
      sort(theirs.items[i], i);
      sort(ours.items[i], i);
      expect_same(name + ": " + std::string(kFields[i]), show(theirs.items[i]), show(ours.items[i]));
    }
    const Value& their_children = theirs.items[kSubcommands];
    const Value& our_children = ours.items[kSubcommands];
    EXPECT_EQ(their_children.kind, our_children.kind) << name;
    for (const Value& child : their_children.items) {
      const std::string& child_name = child.items.at(0).text;
      const bool known = find(our_children.items, child_name) != nullptr;
      EXPECT_TRUE(known) << child_name << " is missing";
    }
    compare_all(their_children.items, our_children.items);
  }

  std::size_t compared_ = 0;
};

TEST(CommandInfo, equals_that_of_redis_for_every_command_both_know) {
  InfoComparison comparison;
  comparison.compare_all(ask_redis({"COMMAND"}).items, ask_fairlane({"COMMAND"}).items);
  EXPECT_GT(comparison.compared(), 10U);
}

void collect_tokens(const Value& arguments, std::set<std::string>& tokens) {
  for (const Value& argument : arguments.items) {
    if (const Value* token = field(argument, "token")) {
      std::string upper = token->text;
      for (char& c : upper) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
      tokens.insert(upper);
    }
    if (const Value* children = field(argument, "arguments")) collect_tokens(*children, tokens);
  }
}

std::string tokens_of(const Value& docs) {
  std::set<std::string> tokens;
  if (const Value* arguments = field(docs, "arguments")) collect_tokens(*arguments, tokens);
  std::string line;
  for (const std::string& token : tokens) line += token + ' ';
  return line;
}

void compare_docs(const Value& theirs, const Value& ours);

void compare_docs(const std::string& name, const Value& theirs, const Value& ours) {
  for (const char* same : {"since", "group", "doc_flags", "deprecated_since"}) {
    expect_same(name + ": " + same, text(field(theirs, same)), text(field(ours, same)));
  }
  // A syntax line without an option that Redis has is incomplete.
  expect_same(name + ": tokens", tokens_of(theirs), tokens_of(ours));
  const Value* their_children = field(theirs, "subcommands");
  const Value* our_children = field(ours, "subcommands");
  if (their_children != nullptr && our_children != nullptr) compare_docs(*their_children, *our_children);
}

void compare_docs(const Value& theirs, const Value& ours) {
  for (std::size_t i = 0; i + 1 < theirs.items.size(); i += 2) {
    const std::string& name = theirs.items[i].text;
    if (const Value* own = field(ours, name)) compare_docs(name, theirs.items[i + 1], *own);
  }
}

TEST(CommandDocs, agree_with_redis_in_facts_and_options) {
  compare_docs(ask_redis({"COMMAND", "DOCS"}), ask_fairlane({"COMMAND", "DOCS"}));
}

}  // namespace
}  // namespace fairlane::testkit
