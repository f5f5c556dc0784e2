#include "command/authentication.hpp"

#include <gtest/gtest.h>

namespace fairlane::command {
namespace {

TEST(Authentication, any_password_will_do_where_none_is_asked_for) {
  Session session;
  const Settings settings;
  log_out(session, settings);
  EXPECT_TRUE(session.authenticated);
  EXPECT_TRUE(log_in(session, settings, "default", "anything"));
  EXPECT_FALSE(log_in(session, settings, "nobody", "anything"));
  EXPECT_TRUE(session.authenticated);
}

TEST(Authentication, only_the_whole_password_is_right) {
  Session session;
  Settings settings;
  settings.requirepass = "secret";
  log_out(session, settings);
  EXPECT_TRUE(must_log_in(session, settings));
  for (const std::string_view wrong : {"", "secre", "secrets", "Secret", "secretsecret"}) {
    EXPECT_FALSE(log_in(session, settings, "default", wrong)) << wrong;
  }
  EXPECT_TRUE(must_log_in(session, settings));
  EXPECT_TRUE(log_in(session, settings, "default", "secret"));
  EXPECT_FALSE(must_log_in(session, settings));
}

TEST(Authentication, a_password_that_is_taken_away_lets_everybody_in) {
  Session session;
  Settings settings;
  settings.requirepass = "secret";
  log_out(session, settings);
  settings.requirepass.clear();
  EXPECT_FALSE(must_log_in(session, settings));
}

}  // namespace
}  // namespace fairlane::command
