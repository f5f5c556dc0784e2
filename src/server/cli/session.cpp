#include "server/cli/session.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "fairlane/base/text_match.hpp"
#include "server/cli/reply_text.hpp"

namespace fairlane::server::cli {
namespace {

Layout usual_layout() {
  const bool people = ::isatty(STDOUT_FILENO) != 0 || std::getenv("FAKETTY") != nullptr;
  return people ? Layout::people : Layout::bare;
}

bool is(std::span<const std::string> command, std::initializer_list<std::string_view> words) {
  return command.size() >= words.size() && std::equal(words.begin(), words.end(), command.begin(),
                                                      [](auto a, auto b) { return base::equal_ignoring_case(a, b); });
}

/// Commands whose replies are pages for people: they are never put into quotes.
bool answers_a_page(std::span<const std::string> command) {
  return is(command, {"INFO"}) || is(command, {"LOLWUT"}) || is(command, {"DEBUG", "HTSTATS"}) ||
         is(command, {"DEBUG", "HTSTATS-KEY"}) || is(command, {"MEMORY", "MALLOC-STATS"}) ||
         is(command, {"MEMORY", "DOCTOR"}) || is(command, {"CLUSTER", "NODES"}) || is(command, {"CLUSTER", "INFO"}) ||
         is(command, {"CLIENT", "LIST"}) || is(command, {"CLIENT", "INFO"}) || is(command, {"LATENCY", "GRAPH"}) ||
         is(command, {"LATENCY", "DOCTOR"});
}

bool subscribes(std::span<const std::string> command) {
  return is(command, {"SUBSCRIBE"}) || is(command, {"PSUBSCRIBE"}) || is(command, {"SSUBSCRIBE"});
}

void complain(const std::string& text) { std::fprintf(stderr, "%s\n", text.c_str()); }

}  // namespace

Session::Session(const Options& options)
    : options_(options), layout_(options.layout.value_or(usual_layout())), database_(options.database) {}

bool Session::connect() {
  try {
    connection_ = std::make_unique<Connection>(options_);
    introduce();
  } catch (const std::runtime_error& wrong) {
    connection_.reset();
    complain(wrong.what());
  }
  return connected();
}

void Session::introduce() {
  if (!options_.password.empty()) {
    const Reply reply =
        options_.user.empty() ? ask({"AUTH", options_.password}) : ask({"AUTH", options_.user, options_.password});
    if (reply.kind == '-') complain("AUTH failed: " + reply.text);
  }
  if (database_ != 0) {
    const std::string number = std::to_string(database_);
    const Reply reply = ask({"SELECT", number});
    if (reply.kind == '-') complain("SELECT " + number + " failed: " + reply.text);
  }
  if (options_.resp3) {
    const Reply reply = ask({"HELLO", "3"});
    if (reply.kind == '-') complain("HELLO 3 failed: " + reply.text);
  }
}

Reply Session::ask(std::initializer_list<std::string> words) {
  connection_->send(std::vector<std::string>(words));
  return connection_->receive();
}

void Session::print(const Reply& reply, Layout layout) const {
  const bool failure = reply.kind == '-' && options_.error_status;
  const std::string text = reply_text(reply, failure ? Layout::page : layout, options_);
  std::FILE* output = failure ? stderr : stdout;
  std::fwrite(text.data(), 1, text.size(), output);
  std::fflush(output);
}

void Session::print_for_ever() {
  while (true) print(connection_->receive(), layout_);
}

bool Session::exchange(std::span<const std::string> command) {
  const bool ends_server = is(command, {"SHUTDOWN"});
  try {
    connection_->send(command);
    const bool for_ever = subscribes(command) || is(command, {"MONITOR"});
    if (subscribes(command) && layout_ != Layout::bare) std::puts("Reading messages... (press Ctrl-C to quit)");
    Reply reply = connection_->receive();
    while (reply.kind == '>' && !for_ever) reply = connection_->receive();  // it answers nothing
    print(reply, answers_a_page(command) ? Layout::page : layout_);
    if (reply.kind != '-' && for_ever) print_for_ever();
    if (reply.kind != '-' && is(command, {"SELECT"}) && command.size() == 2) database_ = std::atoi(command[1].c_str());
    return reply.kind != '-' || !options_.error_status;
  } catch (const std::runtime_error& wrong) {
    connection_.reset();
    if (!ends_server) complain(wrong.what());
    return ends_server;
  }
}

bool Session::run(std::span<const std::string> command) { return (connected() || connect()) && exchange(command); }

std::string Session::prompt() const {
  if (!connected()) return "not connected> ";
  std::string place =
      options_.unix_socket.empty() ? options_.host + ":" + options_.port : "redis " + options_.unix_socket;
  if (database_ != 0) place += "[" + std::to_string(database_) + "]";
  return place + "> ";
}

}  // namespace fairlane::server::cli
