// MIGRATE between servers of both kinds.

#include <memory>
#include <string>
#include <vector>

#include "net/net_test.hpp"

namespace fairlane::net {
namespace {

using testkit::ServerProcess;

/// Two servers, of which the first gives its keys to the second.
class Migration {
 public:
  Migration(const std::string& from, const std::string& to)
      : from_(from, {"--enable-debug-command", "yes"}),
        to_(to, {"--enable-debug-command", "yes"}),
        giver_(from_.port()),
        taker_(to_.port()) {}

  SocketClient& giver() { return giver_; }
  SocketClient& taker() { return taker_; }

  std::string migrate(const std::string& key, const std::vector<std::string>& options = {},
                      const std::string& patience = "2000") {
    std::vector<std::string> request = {"MIGRATE", "127.0.0.1", std::to_string(to_.port()), key, "0", patience};
    request.insert(request.end(), options.begin(), options.end());
    return giver_.call(request).text;
  }

  /// A key of every type.
  void fill() {
    giver_.call({"SET", "string", std::string(1000, 'x')});
    giver_.call({"RPUSH", "list", "a", "1", ""});
    giver_.call({"SADD", "set", "a", "b"});
    giver_.call({"SADD", "numbers", "1", "70000"});
    giver_.call({"ZADD", "sorted", "1.5", "a", "inf", "b"});
    giver_.call({"HSET", "hash", "f", "v", "n", "1"});
    giver_.call({"XADD", "stream", "1-1", "f", "v"});
    giver_.call({"PEXPIRE", "hash", "100000"});
  }

 private:
  ServerProcess from_;
  ServerProcess to_;
  SocketClient giver_;
  SocketClient taker_;
};

void moves_everything(const std::string& from, const std::string& to) {
  Migration migration(from, to);
  migration.fill();
  const std::string digest = migration.giver().call({"DEBUG", "DIGEST"}).text;
  const std::vector<std::string> keys = {"KEYS",    "string", "list", "set",   "none",
                                         "numbers", "sorted", "hash", "stream"};
  EXPECT_EQ(migration.migrate("", keys), "OK");
  EXPECT_EQ(migration.giver().call({"DBSIZE"}).text, "0");
  EXPECT_EQ(migration.taker().call({"DEBUG", "DIGEST"}).text, digest);
}

TEST(Migrate, moves_everything_from_fairlane_to_fairlane) {
  moves_everything(ServerProcess::fairlane_program(), ServerProcess::fairlane_program());
}

TEST(Migrate, moves_everything_from_fairlane_to_redis) {
  moves_everything(ServerProcess::fairlane_program(), ServerProcess::redis_program());
}

TEST(Migrate, moves_everything_from_redis_to_fairlane) {
  moves_everything(ServerProcess::redis_program(), ServerProcess::fairlane_program());
}

TEST(Migrate, keeps_what_the_other_server_refuses) {
  Migration migration(ServerProcess::fairlane_program(), ServerProcess::fairlane_program());
  migration.giver().call({"MSET", "a", "1", "b", "2"});
  migration.taker().call({"SET", "a", "old"});
  EXPECT_EQ(migration.migrate("", {"KEYS", "a", "b"}),
            "ERR Target instance replied with error: BUSYKEY Target key name already exists.");
  EXPECT_EQ(migration.giver().call({"EXISTS", "a", "b"}).text, "1");
  EXPECT_EQ(migration.migrate("a", {"COPY", "REPLACE"}), "OK");
  EXPECT_EQ(migration.giver().call({"EXISTS", "a"}).text, "1");
  EXPECT_EQ(migration.taker().call({"GET", "a"}).text, "1");
}

TEST(Migrate, logs_in_where_it_must) {
  Migration migration(ServerProcess::fairlane_program(), ServerProcess::fairlane_program());
  migration.giver().call({"SET", "a", "1"});
  migration.taker().call({"CONFIG", "SET", "requirepass", "secret"});
  EXPECT_EQ(migration.migrate("a"), "ERR Target instance replied with error: NOAUTH Authentication required.");
  EXPECT_TRUE(
      migration.migrate("a", {"AUTH", "wrong"}).starts_with("ERR Target instance replied with error: WRONGPASS"));
  EXPECT_EQ(migration.migrate("a", {"AUTH2", "default", "secret"}), "OK");
}

TEST(Migrate, ends_in_time_when_nobody_answers) {
  Migration migration(ServerProcess::fairlane_program(), ServerProcess::fairlane_program());
  migration.giver().call({"SET", "a", "1"});
  const std::string nobody = std::to_string(testkit::free_port());
  EXPECT_EQ(migration.giver().call({"MIGRATE", "127.0.0.1", nobody, "a", "0", "100"}).text,
            "IOERR error or timeout writing to target instance");
  migration.taker().send_request({"DEBUG", "SLEEP", "1"});
  EXPECT_EQ(migration.migrate("a", {}, "50"), "IOERR error or timeout reading to target instance");
  EXPECT_EQ(migration.giver().call({"EXISTS", "a"}).text, "1");
}

}  // namespace
}  // namespace fairlane::net
