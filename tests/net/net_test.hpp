#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "testkit/server_process.hpp"
#include "testkit/socket_client.hpp"

namespace fairlane::net {

using testkit::Kind;
using testkit::SocketClient;
using testkit::Value;

/// A server process of its own for every test. FAIRLANE_SERVER in the environment names another server, which has to
/// take redis-server's options.
class NetTest : public testing::Test {
 protected:
  void start(const std::vector<std::string>& options = {}) {
    server_ = std::make_unique<testkit::ServerProcess>(testkit::ServerProcess::fairlane_program(), options);
  }
  void SetUp() override {
    ASSERT_FALSE(testkit::ServerProcess::fairlane_program().empty()) << "there is no server to test";
  }
  void TearDown() override {
    if (!server_) return;
    EXPECT_TRUE(server_->alive()) << "the server went down:\n" << server_->output();
  }

  testkit::ServerProcess& server() { return *server_; }
  /// The test itself has ended the server.
  void stopped_by_test() { server_.reset(); }
  /// A client that the server has heard of: what it sends from now on is seen in order with what others send.
  SocketClient connect() const {
    SocketClient client(server_->port());
    client.call({"PING"});
    return client;
  }

  /// Returns when the server has looked at everything that other clients had sent before.
  static void settle(SocketClient& client) { ASSERT_EQ(client.call({"PING"}).text, "PONG"); }

  /// Asks again and again, for a time, until the answer is yes.
  template <class Question>
  static bool eventually(Question&& question, std::chrono::milliseconds patience = std::chrono::seconds(10)) {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (!question()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
    }
    return true;
  }

  /// The client's line in CLIENT LIST as another client sees it; empty when it is not there.
  static std::string line_of(SocketClient& client, const std::string& id) {
    return client.call({"CLIENT", "LIST", "ID", id}).text;
  }

 private:
  std::unique_ptr<testkit::ServerProcess> server_;
};

/// `text` so many times.
inline std::string repeated(std::size_t times, const std::string& text) {
  std::string all;
  all.reserve(times * text.size());
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

/// A number field of a CLIENT LIST line; -1 when it is not there.
inline long long field_of(const std::string& line, const std::string& name) {
  const std::size_t at = line.find(" " + name + "=");
  return at == std::string::npos ? -1 : std::stoll(line.substr(at + name.size() + 2));
}

}  // namespace fairlane::net
