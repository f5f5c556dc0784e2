// Every case of every .wire file against a server over TCP: Fairlane, and redis-server as the oracle that recorded
// them.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "testkit/in_process_peer.hpp"
#include "testkit/server_process.hpp"
#include "testkit/tcp_peer.hpp"
#include "testkit/wire_file.hpp"
#include "testkit/wire_text.hpp"

namespace fairlane::testkit {

// NOLINTNEXTLINE(readability-identifier-naming): the name GoogleTest looks for
void PrintTo(const WireCase& wire_case, std::ostream* out) { *out << wire_case.file << ':' << wire_case.line; }

namespace {

std::vector<WireCase> all_cases() {
  std::vector<WireCase> all;
  for (const std::string& file : find_wire_files(FAIRLANE_WIRE_FOLDER)) {
    try {
      const auto cases = read_wire_file(file);
      all.insert(all.end(), cases.begin(), cases.end());
    } catch (const NotationError& problem) {
      ADD_FAILURE() << problem.what();
    }
  }
  return all;
}

std::vector<WireCase> redis_cases() {
  auto all = all_cases();
  std::erase_if(all, [](const WireCase& wire_case) { return wire_case.fairlane_only; });
  return all;
}

std::string test_name(const testing::TestParamInfo<WireCase>& info) {
  return std::filesystem::path(info.param.file).stem().string() + "__" + info.param.name;
}

std::vector<std::string> server_options() { return {"--enable-debug-command", "yes"}; }

// One server for all cases of a test program's run, replaced when a case brings it down.
class WireTest : public testing::TestWithParam<WireCase> {
 protected:
  static void TearDownTestSuite() { server().reset(); }

  static std::unique_ptr<ServerProcess>& server() {
    static std::unique_ptr<ServerProcess> running;
    return running;
  }

  static void play(const std::string& program) {
    if (!server() || !server()->alive()) server() = std::make_unique<ServerProcess>(program, server_options());
    TcpPeer peer(server()->port());
    const WireOutcome outcome = run_wire_case(GetParam(), peer);
    EXPECT_TRUE(outcome.failure.empty()) << outcome.failure;
    EXPECT_TRUE(server()->alive()) << "the server went down:\n" << server()->output();
  }
};

class Redis : public WireTest {};
TEST_P(Redis, agrees) { play(ServerProcess::redis_program()); }
INSTANTIATE_TEST_SUITE_P(Wire, Redis, testing::ValuesIn(redis_cases()), test_name);

class Fairlane : public WireTest {};
TEST_P(Fairlane, agrees) { play(ServerProcess::fairlane_program()); }

/// The cases that a server has all commands for, as it says itself.
std::vector<WireCase> cases_for(Peer& peer) {
  peer.open("A");
  std::map<std::string, bool> known;
  const auto knows = [&](const std::string& command) {
    const auto [at, unasked] = known.try_emplace(command, false);
    if (unasked) {
      peer.send("A", "COMMAND INFO " + command + "\r\n");
      const auto reply = peer.read("A", base::Millis(5000));
      at->second = reply && !reply->items.empty() && reply->items[0].kind == Kind::array;
    }
    return at->second;
  };
  auto all = all_cases();
  std::erase_if(all, [&](const WireCase& wire_case) {
    return !std::all_of(wire_case.needs.begin(), wire_case.needs.end(), knows);
  });
  return all;
}

std::vector<WireCase> fairlane_cases() {
  // Without a Fairlane server in this build or in the environment there is nothing to play to.
  if (ServerProcess::fairlane_program().empty()) return {};
  const ServerProcess server(ServerProcess::fairlane_program(), server_options());
  TcpPeer peer(server.port());
  return cases_for(peer);
}

INSTANTIATE_TEST_SUITE_P(Wire, Fairlane, testing::ValuesIn(fairlane_cases()), test_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Fairlane);

// The same cases without sockets and in virtual time: what waits, or lets time pass, costs nothing.
OptionTexts in_process_options() { return {{"enable-debug-command", "yes"}, {"save", ""}}; }

class InProcess : public testing::TestWithParam<WireCase> {};
TEST_P(InProcess, agrees) {
  InProcessPeer peer(in_process_options());
  const WireOutcome outcome = run_wire_case(GetParam(), peer);
  EXPECT_TRUE(outcome.failure.empty()) << outcome.failure;
}

std::vector<WireCase> in_process_cases() {
  InProcessPeer peer(in_process_options());
  return cases_for(peer);
}
INSTANTIATE_TEST_SUITE_P(Wire, InProcess, testing::ValuesIn(in_process_cases()), test_name);

}  // namespace
}  // namespace fairlane::testkit
