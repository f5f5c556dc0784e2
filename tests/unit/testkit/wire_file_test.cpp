#include "testkit/wire_file.hpp"

#include <gtest/gtest.h>

#include <deque>

#include "testkit/wire_text.hpp"

namespace fairlane::testkit {
namespace {

// Answers from a script and notes what happens to it.
class ScriptedPeer : public Peer {
 public:
  explicit ScriptedPeer(std::deque<std::string> replies) : replies_(std::move(replies)) {}

  void open(const std::string& connection) override { log += "open " + connection + '\n'; }
  void close(const std::string& connection) override { log += "close " + connection + '\n'; }
  void send(const std::string& connection, std::string_view bytes) override {
    if (connection == "@") {
      control_ = true;
      return;
    }
    log += connection + ' ' + quote(bytes) + '\n';
  }
  std::optional<Value> read(const std::string&, base::Millis) override {
    if (control_) {
      control_ = false;
      return Value{Kind::simple, "OK", {}};
    }
    if (replies_.empty() || replies_.front().empty()) {
      if (!replies_.empty()) replies_.pop_front();
      return std::nullopt;
    }
    RespReader reader;
    reader.feed(replies_.front());
    replies_.pop_front();
    return reader.next();
  }
  bool closed(const std::string&, base::Millis) override { return false; }
  void settle() override {}
  void advance(base::Millis duration) override { log += "advance " + std::to_string(duration.count()) + '\n'; }

  std::string log;

 private:
  std::deque<std::string> replies_;
  bool control_ = false;
};

WireOutcome play(std::string_view text, std::deque<std::string> replies, WireMode mode = WireMode::check) {
  ScriptedPeer peer(std::move(replies));
  return run_wire_case(parse_wire("t.wire", text).at(0), peer, mode);
}

TEST(ParseWire, splits_cases_steps_and_replies) {
  const auto cases = parse_wire(
      "t.wire", "# note\n== one\nA> SET k v\n+OK\nB+ PING\n~ 5ms\n== two\n@fairlane-only\nA<\n[:1\n :2]\n:3\n");
  ASSERT_EQ(cases.size(), 2U);
  ASSERT_EQ(cases[0].steps.size(), 3U);
  EXPECT_EQ(cases[0].steps[0].text, "SET k v");
  EXPECT_EQ(cases[0].steps[0].expected.at(0).text, "+OK");
  EXPECT_EQ(cases[0].steps[0].expected.at(0).line, 4);
  EXPECT_EQ(cases[0].steps[1].action, WireStep::Action::hold);
  EXPECT_EQ(cases[0].steps[2].action, WireStep::Action::advance);
  EXPECT_FALSE(cases[0].fairlane_only);
  EXPECT_TRUE(cases[1].fairlane_only);
  ASSERT_EQ(cases[1].steps.at(0).expected.size(), 2U);
  EXPECT_EQ(cases[1].steps[0].expected[0].text, "[:1\n:2]");
}

TEST(ParseWire, names_file_and_line_of_a_mistake) {
  for (const char* text :
       {"A> PING\n", "== a\n+OK\n", "== a\n@what\n", "== a\n== a\n", "== two words\n", "== a\nA+ X\n+OK\n"}) {
    try {
      parse_wire("t.wire", text);
      ADD_FAILURE() << text;
    } catch (const NotationError& problem) {
      EXPECT_EQ(std::string(problem.what()).rfind("t.wire:", 0), 0U) << problem.what();
    }
  }
}

TEST(RunWireCase, sends_held_requests_together_and_repeats) {
  ScriptedPeer peer({"+a\r\n", "+b\r\n", "+b\r\n"});
  const auto outcome =
      run_wire_case(parse_wire("t", "== c\nA+ X\n@times 2\nA> Y\n+a\n+b\n+b\n~ 2s\n@close A\n").at(0), peer);
  EXPECT_EQ(outcome.failure, "");
  EXPECT_EQ(peer.log,
            "open @\nopen A\nA \"*1\\r\\n$1\\r\\nX\\r\\n*1\\r\\n$1\\r\\nY\\r\\n*1\\r\\n$1\\r\\nY\\r\\n\"\n"
            "advance 2000\nclose A\nclose @\n");
}

TEST(RunWireCase, tells_line_expected_and_got) {
  const auto outcome = play("== c\nA> GET k\n\"v\"\n", {":5\r\n"});
  EXPECT_NE(outcome.failure.find("t.wire:3: A> GET k"), std::string::npos) << outcome.failure;
  EXPECT_NE(outcome.failure.find("expected: \"v\""), std::string::npos) << outcome.failure;
  EXPECT_NE(outcome.failure.find("got:      :5"), std::string::npos) << outcome.failure;
}

TEST(RunWireCase, notices_missing_and_surplus_replies) {
  EXPECT_NE(play("== c\nA> PING\n+PONG\n", {}).failure.find("no reply"), std::string::npos);
  EXPECT_NE(play("== c\nA> PING\n+PONG\n", {"+PONG\r\n", "+PONG\r\n"}).failure.find("nothing left"), std::string::npos);
  EXPECT_NE(play("== c\nA> PING\nsilent\n", {"+PONG\r\n"}).failure.find("no reply"), std::string::npos);
  EXPECT_NE(play("== c\nA> PING\n??\n", {"+PONG\r\n"}).failure.find("??"), std::string::npos);
  EXPECT_EQ(play("== c\nA> PING\nskip 2\n", {"+PONG\r\n", ":1\r\n"}).failure, "");
}

TEST(RunWireCase, keeps_texts_for_later) {
  ScriptedPeer peer({":42\r\n", ":1\r\n"});
  const auto outcome =
      run_wire_case(parse_wire("t", "== c\nA> CLIENT ID\nsave id :?\nA> KILL ${id}\n:1\n").at(0), peer);
  EXPECT_EQ(outcome.failure, "");
  EXPECT_NE(peer.log.find("$2\\r\\n42\\r\\n"), std::string::npos) << peer.log;
}

TEST(Recording, fills_marks_and_open_steps) {
  const std::string text = "== c\nA> GET k\n??\nA> SUBSCRIBE a b\nA> PING\n";
  const auto outcome = play(text, {":1\r\n", "+a\r\n", "+b\r\n", "", "", ""}, WireMode::record_all);
  EXPECT_EQ(outcome.failure, "");
  EXPECT_EQ(apply_recordings(text, outcome.recordings),
            "== c\nA> GET k\n:1\nA> SUBSCRIBE a b\n+a\n+b\nA> PING\nsilent\n");
}

}  // namespace
}  // namespace fairlane::testkit
