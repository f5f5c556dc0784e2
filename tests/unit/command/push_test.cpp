#include "command/push.hpp"

#include <gtest/gtest.h>

namespace fairlane::command {
namespace {

void push_text(Session& session, std::string_view text) {
  push(session, [&](protocol::Reply& reply) { reply.simple(text); });
}

TEST(Push, goes_behind_what_is_written) {
  Session session;
  session.out.append("+a\r\n");
  push_text(session, "m");
  EXPECT_EQ(session.out.view(), "+a\r\n+m\r\n");
  EXPECT_EQ(session.reply_start, session.out.size());
}

TEST(Push, outlives_the_reply_that_a_mute_client_does_not_get) {
  Session session;
  session.reply_mode = ReplyMode::off;
  session.out.append("+sent\r\n");
  session.reply_start = session.out.size();
  session.out.append("+unwanted");
  push_text(session, "1");
  session.out.append(" reply\r\n");
  push_text(session, "2");
  session.out.truncate(session.reply_start);
  EXPECT_EQ(session.out.view(), "+sent\r\n+1\r\n+2\r\n");
}

TEST(Push, to_a_mute_client_that_runs_nothing_is_in_order) {
  Session session;
  session.reply_mode = ReplyMode::skip_this;
  session.reply_start = 100;  // of a request whose output was sent since
  push_text(session, "1");
  push_text(session, "2");
  EXPECT_EQ(session.out.view(), "+1\r\n+2\r\n");
}

TEST(Push, adds_nothing_behind_the_last_reply) {
  Session session;
  session.close_after_reply = true;
  push_text(session, "m");
  EXPECT_TRUE(session.out.empty());
}

}  // namespace
}  // namespace fairlane::command
