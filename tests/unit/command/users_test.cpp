#include "fairlane/command/users.hpp"

#include <gtest/gtest.h>

#include "command/acl/denials.hpp"
#include "command/acl/user.hpp"
#include "testkit/in_process.hpp"

namespace fairlane::command {
namespace {

using testkit::InProcess;

/// A file that is kept in memory.
class FakeFile final : public UserFile {
 public:
  const std::string& name() const override { return name_; }
  Contents read() override { return {text, error}; }
  bool write(std::string_view new_text) override {
    if (!error.empty()) return false;
    text = new_text;
    return true;
  }

  std::string text;
  std::string error;

 private:
  std::string name_ = "users.acl";
};

class UsersTest : public testing::Test {
 protected:
  Users& users() { return *server.services().users; }
  bool log_in(std::string_view name, std::string_view password) {
    return users().log_in(*client.session(), name, password);
  }

  InProcess server;
  testkit::InProcessClient& client = server.connect();
};

TEST_F(UsersTest, any_password_will_do_where_none_is_asked_for) {
  EXPECT_TRUE(users().open());
  EXPECT_TRUE(client.session()->authenticated);
  EXPECT_TRUE(log_in("default", "anything"));
  EXPECT_FALSE(log_in("nobody", "anything"));
}

TEST_F(UsersTest, only_the_whole_password_will_do) {
  users().set_default_password("secret");
  users().log_out(*client.session());
  EXPECT_TRUE(users().must_log_in(*client.session()));
  for (const char* wrong : {"", "secre", "secrets", "Secret", "secretsecret"}) {
    EXPECT_FALSE(log_in("default", wrong)) << wrong;
  }
  EXPECT_TRUE(log_in("default", "secret"));
  EXPECT_FALSE(users().must_log_in(*client.session()));
}

TEST_F(UsersTest, nobody_has_to_log_in_once_the_password_is_gone) {
  users().set_default_password("secret");
  users().log_out(*client.session());
  users().set_default_password("");
  EXPECT_FALSE(users().must_log_in(*client.session()));
}

TEST_F(UsersTest, sessions_know_whether_they_need_to_be_checked) {
  const Session& session = *client.session();
  EXPECT_TRUE(session.unrestricted);
  client.ask("ACL SETUSER ann on nopass +@all ~*");
  client.ask("AUTH ann x");
  EXPECT_FALSE(session.unrestricted);
  client.ask("ACL SETUSER ann allchannels");
  EXPECT_TRUE(session.unrestricted);
  client.ask("ACL SETUSER ann -get");
  EXPECT_FALSE(session.unrestricted);
  EXPECT_TRUE(client.ask("GET a").starts_with("-NOPERM "));
  client.ask("ACL SETUSER ann +get");
  EXPECT_EQ(client.ask("GET a"), "$-1\r\n");
  client.ask("RESET");
  EXPECT_TRUE(session.unrestricted);
}

TEST_F(UsersTest, refusals_a_minute_apart_are_counted_together) {
  client.ask("AUTH nobody x");
  server.advance(base::Millis(60'000));
  client.ask("AUTH nobody x");
  const auto& entries = server.services().denials->entries();
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(entries.front().count, 2U);
  server.advance(base::Millis(60'001));
  client.ask("AUTH nobody x");
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries.front().count, 1U);
}

TEST_F(UsersTest, who_is_removed_in_a_transaction_hears_nothing_behind_that) {
  client.ask("ACL SETUSER ann on nopass +@all ~* &*");
  for (const char* request : {"AUTH ann x", "MULTI", "ACL DELUSER ann", "SET a 1"}) client.ask(request);
  EXPECT_EQ(client.ask("EXEC"), "*2\r\n:1\r\n");
  EXPECT_TRUE(client.closed());
  EXPECT_EQ(server.connect().ask("GET a"), "$1\r\n1\r\n");
}

TEST_F(UsersTest, the_file_replaces_all_users) {
  FakeFile file;
  server.services().user_file = &file;
  client.ask("ACL SETUSER old on nopass +@all");
  auto& old = server.connect();
  old.ask("AUTH old x");
  file.text = "user ann on nopass ~a* +get (~b +set)\n\n  user default on nopass ~* &* +@all\t\r\n";
  EXPECT_EQ(client.ask("ACL LOAD"), "+OK\r\n");
  EXPECT_TRUE(old.closed());
  EXPECT_EQ(client.ask("ACL USERS"), "*2\r\n$3\r\nann\r\n$7\r\ndefault\r\n");
  EXPECT_EQ(client.ask("ACL SAVE"), "+OK\r\n");
  EXPECT_EQ(file.text,
            "user ann on nopass ~a* resetchannels -@all +get (~b resetchannels -@all +set)\n"
            "user default on nopass ~* &* +@all\n");
}

TEST_F(UsersTest, the_default_user_is_what_the_file_says_of_it) {
  FakeFile file;
  server.services().user_file = &file;
  file.text = "user default on nopass +get +acl ~*";
  EXPECT_EQ(client.ask("ACL LOAD"), "+OK\r\n");
  EXPECT_TRUE(client.ask("SET a 1").starts_with("-NOPERM "));
  file.text = "user ann";
  EXPECT_EQ(client.ask("ACL LOAD"), "+OK\r\n");
  EXPECT_EQ(client.ask("SET a 1"), "+OK\r\n");
}

TEST_F(UsersTest, a_user_may_replace_itself) {
  FakeFile file;
  server.services().user_file = &file;
  file.text = "user ann on nopass ~* &* +@all";
  client.ask("ACL LOAD");
  client.ask("AUTH ann x");
  EXPECT_EQ(client.ask("ACL LOAD"), "+OK\r\n");
  EXPECT_TRUE(client.closed());
}

TEST_F(UsersTest, a_file_with_an_error_changes_nothing) {
  FakeFile file;
  server.services().user_file = &file;
  file.text =
      "# comment\n"
      "user\n"
      "user dup on\n"
      "user dup off\n"
      "user par (~x +get\n"
      "user bad foo bar +nosuch +nosuch2\n";
  EXPECT_EQ(client.ask("ACL LOAD"),
            "-ERR users.acl:1 should start with user keyword followed by the username. "
            "users.acl:2 should start with user keyword followed by the username. "
            "WARNING: Duplicate user 'dup' found on line 4. "
            "users.acl:5: Unmatched parenthesis in selector definition."
            "users.acl:6: Syntax error. "
            "users.acl:6: Error in applying operation '+nosuch': Unknown command or category name in ACL. "
            "users.acl:6: Error in applying operation '+nosuch2': Unknown command or category name in ACL. "
            "WARNING: ACL errors detected, no change to the previously active ACL rules was performed\r\n");
  EXPECT_EQ(client.ask("ACL USERS"), "*1\r\n$7\r\ndefault\r\n");
}

TEST_F(UsersTest, a_file_that_cannot_be_read_or_written_is_an_error) {
  FakeFile file;
  server.services().user_file = &file;
  file.error = "No such file or directory";
  EXPECT_EQ(client.ask("ACL LOAD"), "-ERR Error loading ACLs, opening file 'users.acl': No such file or directory\r\n");
  EXPECT_EQ(client.ask("ACL SAVE"),
            "-ERR There was an error trying to save the ACLs. Please check the server logs for more information\r\n");
}

TEST_F(UsersTest, are_declared_once_before_the_start) {
  EXPECT_EQ(users().declare(std::vector<std::string>{"ann", "on", "(+get", "~a)"}), "");
  EXPECT_EQ(users().declare(std::vector<std::string>{"default", "on", "+@all"}), "");
  EXPECT_EQ(client.ask("ACL LIST"),
            "*2\r\n$61\r\nuser ann on resetchannels -@all (~a resetchannels -@all +get)\r\n"
            "$52\r\nuser default on sanitize-payload resetchannels +@all\r\n");
  EXPECT_NE(users().declare(std::vector<std::string>{"ann", "off"}), "");
  EXPECT_NE(users().declare(std::vector<std::string>{"bob", "nonsense"}), "");
  EXPECT_NE(users().declare(std::vector<std::string>{"bob", "(+get"}), "");
  EXPECT_NE(users().declare(std::vector<std::string>{"b b", "on"}), "");
}

}  // namespace
}  // namespace fairlane::command
