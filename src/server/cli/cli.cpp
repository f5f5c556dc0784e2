#include "server/cli/cli.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <string>

#include "fairlane/base/text_match.hpp"
#include "fairlane/command/version.hpp"
#include "server/cli/options.hpp"
#include "server/cli/session.hpp"
#include "server/words.hpp"

namespace fairlane::server::cli {
namespace {

/// Puts standard input where the options want it.
std::vector<std::string> with_input(const Options& options) {
  std::vector<std::string> command = options.command;
  if (!options.last_from_input && options.input_tag.empty()) return command;
  std::string input{std::istreambuf_iterator<char>(std::cin), {}};
  if (options.last_from_input) {
    command.push_back(std::move(input));
    return command;
  }
  const auto place = std::find(command.begin(), command.end(), options.input_tag);
  if (place == command.end()) {
    throw BadCommandLine("Using -X option but stdin tag not match.");
  }
  *place = std::move(input);
  return command;
}

bool repeat(Session& session, const Options& options, const std::vector<std::string>& command) {
  for (long done = 0; options.repeat < 0 || done < options.repeat; ++done) {
    if (!session.run(command)) return false;
    if (options.interval > 0) ::poll(nullptr, 0, static_cast<int>(options.interval * 1000));
  }
  return true;
}

/// "5 INCR n" is INCR n five times.
int take_count(std::vector<std::string>& words) {
  int count = 0;
  const std::string& first = words.front();
  const auto [end, error] = std::from_chars(first.data(), first.data() + first.size(), count);
  if (words.size() < 2 || error != std::errc() || end != first.data() + first.size() || count <= 0) return 1;
  words.erase(words.begin());
  return count;
}

/// A command that took its time, typed by a person.
void run_timed(Session& session, const std::vector<std::string>& command) {
  const auto begin = std::chrono::steady_clock::now();
  session.run(command);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  constexpr double kWorthMentioning = 0.5;
  if (took.count() >= kWorthMentioning && session.layout() == Layout::people) std::printf("(%.2fs)\n", took.count());
}

void run_line(Session& session, std::string_view line) {
  auto words = split_words(line);
  if (!words) {
    std::puts("Invalid argument(s)");
    return;
  }
  if (words->empty()) return;
  for (int times = take_count(*words); times > 0; --times) run_timed(session, *words);
}

int run_lines(Session& session) {
  const bool at_terminal = ::isatty(STDIN_FILENO) != 0;
  session.connect();
  std::string line;
  while (true) {
    if (at_terminal) std::cout << session.prompt() << std::flush;
    if (!std::getline(std::cin, line)) return 0;
    const std::string_view said = trimmed(line);
    if (base::equal_ignoring_case(said, "quit") || base::equal_ignoring_case(said, "exit")) return 0;
    run_line(session, said);
  }
}

int run_command_line(std::span<const std::string_view> words) {
  const Options options = parse_options(words);
  if (options.password_is_seen) {
    std::fputs("Warning: Using a password with '-a' or '-u' option on the command line interface may not be safe.\n",
               stderr);
  }
  Session session(options);
  if (options.command.empty()) return run_lines(session);
  const std::vector<std::string> command = with_input(options);
  return session.connect() && repeat(session, options, command) ? 0 : 1;
}

}  // namespace

int run(std::span<const std::string_view> words) {
  if (!words.empty() && words[0] == "--help") {
    std::cout << usage();
    return 0;
  }
  if (!words.empty() && (words[0] == "--version" || words[0] == "-v")) {
    std::cout << "redis-cli " << command::kRedisVersion << " (Fairlane " << command::kFairlaneVersion << ")\n";
    return 0;
  }
  try {
    return run_command_line(words);
  } catch (const BadCommandLine& wrong) {
    std::fprintf(stderr, "%s\n", wrong.what());
    return 1;
  }
}

int ping(const Options& options) {
  const std::vector<std::string> command = {"PING"};
  return Session(options).run(command) ? 0 : 1;
}

}  // namespace fairlane::server::cli
