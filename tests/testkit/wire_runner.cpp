#include <charconv>
#include <utility>

#include "testkit/wire_file.hpp"
#include "testkit/wire_pattern.hpp"
#include "testkit/wire_text.hpp"

namespace fairlane::testkit {
namespace {

constexpr base::Millis kPatience{5000};
constexpr base::Millis kNoTime{0};
constexpr std::size_t kLongestShown = 600;
// Not a name a case can use.
const std::string kControl = "@";

struct Failure {
  std::string text;
};

std::string shortened(std::string text) {
  for (char& byte : text) {
    if (byte == '\n') byte = ' ';
  }
  if (text.size() > kLongestShown) text = text.substr(0, kLongestShown) + "... (" + std::to_string(text.size()) + ')';
  return text;
}

bool equal_fold(std::string_view text, std::string_view upper) {
  if (text.size() != upper.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char byte = text[i] >= 'a' && text[i] <= 'z' ? static_cast<char>(text[i] - 32) : text[i];
    if (byte != upper[i]) return false;
  }
  return true;
}

std::pair<std::string_view, std::string_view> split_word(std::string_view text) {
  const auto blank = text.find(' ');
  if (blank == std::string_view::npos) return {text, {}};
  return {text.substr(0, blank), text.substr(text.find_first_not_of(' ', blank))};
}

// 50, 50ms, 2s.
base::Millis to_duration(std::string_view text) {
  std::int64_t count = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), count);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (problem != std::errc{} || (unit != "" && unit != "ms" && unit != "s")) {
    throw NotationError("not a duration: " + std::string(text));
  }
  return base::Millis(unit == "s" ? count * 1000 : count);
}

class Runner {
 public:
  Runner(const WireCase& wire_case, Peer& peer, WireMode mode) : case_(wire_case), peer_(peer), mode_(mode) {}

  WireOutcome run() {
    try {
      begin();
      for (const WireStep& step : case_.steps) play(step);
      expect_nothing_left();
    } catch (const Failure& failure) {
      outcome_.failure = failure.text;
    } catch (const std::runtime_error& problem) {
      outcome_.failure = place() + problem.what();
    }
    finish();
    return std::move(outcome_);
  }

 private:
  std::string place() const {
    return case_.file + ':' + std::to_string(line_) + ": " + (step_ != nullptr ? describe(*step_) + "\n  " : "");
  }

  static std::string describe(const WireStep& step) { return shortened(step.connection + "> " + step.text); }

  [[noreturn]] void fail(const std::string& expected, const std::string& got) const {
    throw Failure{place() + "expected: " + shortened(expected) + "\n  got:      " + shortened(got)};
  }

  void begin() {
    line_ = case_.line;
    peer_.open(kControl);
    const Value reply = ask({"FLUSHALL"});
    if (reply.kind != Kind::simple) fail("+OK to FLUSHALL", show(reply));
  }

  Value ask(const std::vector<std::string>& request) {
    peer_.send(kControl, encode_request(request));
    auto reply = peer_.read(kControl, kPatience);
    if (!reply) throw std::runtime_error("no reply to the runner's own " + request[0]);
    return std::move(*reply);
  }

  void ensure_open(const std::string& connection) {
    for (const std::string& name : open_) {
      if (name == connection) return;
    }
    peer_.open(connection);
    open_.push_back(connection);
  }

  void play(const WireStep& step) {
    using Action = WireStep::Action;
    step_ = &step;
    line_ = step.line;
    if (!step.connection.empty()) ensure_open(step.connection);
    switch (step.action) {
      case Action::send:
        send(step, request_bytes(step));
        break;
      case Action::hold:
        held(step.connection) += request_bytes(step);
        return;
      case Action::raw:
        send(step, join_quoted(step.text, variables_));
        break;
      case Action::read:
        break;
      case Action::resp3:
        return switch_to_resp3(step.connection);
      case Action::repeat:
        times_ = static_cast<int>(to_duration(step.text).count());
        return;
      case Action::advance:
        return peer_.advance(to_duration(step.text));
      case Action::close:
        return close(step.connection);
    }
    if (step.expected.empty()) return take_what_came(step);
    for (const WireExpectation& expectation : step.expected) {
      line_ = expectation.line;
      expect(step, expectation);
    }
  }

  std::string request_bytes(const WireStep& step) {
    const auto arguments = split_arguments(step.text, variables_);
    if (arguments.size() > 2 && equal_fold(arguments[0], "CONFIG") && equal_fold(arguments[1], "SET")) {
      for (std::size_t i = 2; i < arguments.size(); i += 2) remember_parameter(arguments[i]);
    }
    const std::string once = encode_request(arguments);
    std::string bytes;
    for (int i = 0; i < times_; ++i) bytes += once;
    times_ = 1;
    return bytes;
  }

  void remember_parameter(const std::string& name) {
    for (const auto& [known, value] : parameters_) {
      if (known == name) return;
    }
    const Value reply = ask({"CONFIG", "GET", name});
    if (reply.items.size() == 2) parameters_.emplace_back(name, reply.items[1].text);
  }

  std::string& held(const std::string& connection) {
    for (auto& [name, bytes] : held_) {
      if (name == connection) return bytes;
    }
    return held_.emplace_back(connection, std::string()).second;
  }

  void send(const WireStep& step, const std::string& bytes) {
    const std::string all = std::exchange(held(step.connection), {}) + bytes;
    peer_.send(step.connection, all);
  }

  void switch_to_resp3(const std::string& connection) {
    peer_.send(connection, encode_request({"HELLO", "3"}));
    const auto reply = peer_.read(connection, kPatience);
    if (!reply || reply->kind != Kind::map) fail("a map in reply to HELLO 3", reply ? show(*reply) : "nothing");
  }

  void close(const std::string& connection) {
    peer_.close(connection);
    std::erase(open_, connection);
    peer_.settle();
  }

  void take_what_came(const WireStep& step) {
    peer_.settle();
    if (mode_ != WireMode::record_all) return;
    bool any = false;
    while (const auto reply = peer_.read(step.connection, kNoTime)) {
      record(step.line, WireRecording::Place::below, show(*reply));
      any = true;
    }
    const bool ended = peer_.closed(step.connection, kNoTime);
    if (ended) record(step.line, WireRecording::Place::below, "closed");
    if (!any && !ended) record(step.line, WireRecording::Place::below, "silent");
  }

  void record(int line, WireRecording::Place where, std::string text) {
    outcome_.recordings.push_back({line, where, std::move(text)});
  }

  void expect(const WireStep& step, const WireExpectation& expectation) {
    const auto [word, rest] = split_word(expectation.text);
    if (word == "silent") return expect_silence(step.connection, rest);
    if (word == "closed") return expect_closed(step.connection);
    if (word == "skip") {
      for (auto count = to_duration(rest).count(); count > 0; --count) reply_to(step.connection, expectation.text);
      return;
    }
    const Value reply = reply_to(step.connection, expectation.text);
    if (word == "save") {
      const auto [name, pattern] = split_word(rest);
      variables_.set(name, reply.text);
      if (!pattern.empty()) compare(std::string(pattern), reply);
    } else if (expectation.text == "??" && mode_ != WireMode::check) {
      record(expectation.line, WireRecording::Place::mark, show(reply));
    } else {
      compare(expectation.text, reply);
    }
  }

  void compare(const std::string& expected, const Value& reply) const {
    if (expected == "??" || !Pattern::parse(expected, variables_).matches(reply)) fail(expected, show(reply));
  }

  Value reply_to(const std::string& connection, const std::string& expected) {
    auto reply = peer_.read(connection, kPatience);
    if (!reply) fail(expected, peer_.closed(connection, kNoTime) ? "a closed connection" : "no reply");
    return std::move(*reply);
  }

  void expect_silence(const std::string& connection, std::string_view duration) {
    peer_.settle();
    const auto reply = peer_.read(connection, duration.empty() ? kNoTime : to_duration(duration));
    if (reply) fail("no reply", show(*reply));
    if (peer_.closed(connection, kNoTime)) fail("no reply", "a closed connection");
  }

  void expect_closed(const std::string& connection) {
    if (const auto reply = peer_.read(connection, kPatience)) fail("a closed connection", show(*reply));
    if (!peer_.closed(connection, kNoTime)) fail("a closed connection", "an open one");
  }

  void expect_nothing_left() {
    step_ = nullptr;
    peer_.settle();
    for (const std::string& connection : open_) {
      const auto reply = peer_.read(connection, kNoTime);
      if (reply) fail("nothing left to read on " + connection, show(*reply));
    }
  }

  void finish() {
    for (const std::string& connection : open_) peer_.close(connection);
    try {
      peer_.settle();
      for (const auto& [name, value] : parameters_) ask({"CONFIG", "SET", name, value});
    } catch (const std::runtime_error& problem) {
      if (outcome_.failure.empty()) outcome_.failure = place() + problem.what();
    }
    peer_.close(kControl);
  }

  const WireCase& case_;
  Peer& peer_;
  WireMode mode_;
  WireOutcome outcome_;
  const WireStep* step_ = nullptr;
  int line_ = 0;
  int times_ = 1;
  Variables variables_;
  std::vector<std::string> open_;
  std::vector<std::pair<std::string, std::string>> held_;
  std::vector<std::pair<std::string, std::string>> parameters_;
};

}  // namespace

WireOutcome run_wire_case(const WireCase& wire_case, Peer& peer, WireMode mode) {
  return Runner(wire_case, peer, mode).run();
}

}  // namespace fairlane::testkit
