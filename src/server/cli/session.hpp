#pragma once

#include <memory>
#include <span>
#include <string>

#include "server/cli/connection.hpp"
#include "server/cli/options.hpp"

namespace fairlane::server::cli {

/// One user at one server: logs in, sends commands, prints replies, and connects again when the connection was lost.
class Session {
 public:
  explicit Session(const Options& options);

  /// Says on standard error what goes wrong. True when there is a connection.
  bool connect();
  Layout layout() const noexcept { return layout_; }
  bool connected() const noexcept { return connection_ != nullptr; }
  /// Sends a command and prints what is answered; what subscribes goes on printing until the connection ends. False
  /// when there was no answer, or an error where that is to count.
  bool run(std::span<const std::string> command);
  /// What stands before a line that the user types.
  std::string prompt() const;

 private:
  void introduce();
  Reply ask(std::initializer_list<std::string> words);
  bool exchange(std::span<const std::string> command);
  void print(const Reply& reply, Layout layout) const;
  [[noreturn]] void print_for_ever();

  const Options& options_;
  Layout layout_;
  int database_;
  std::unique_ptr<Connection> connection_;
};

}  // namespace fairlane::server::cli
