#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace fairlane::testkit {

/// A server of its own for one test program: listens on 127.0.0.1 on a port that was free, keeps nothing on disk.
class ServerProcess {
 public:
  /// Starts a program that takes redis-server's options and waits until it answers PING. A program without a slash is
  /// looked up in PATH. Throws std::runtime_error, with the server's output, when it does not come up.
  explicit ServerProcess(const std::string& program, const std::vector<std::string>& extra_arguments = {});
  /// Asks the server to end and waits for it; one that does not is killed.
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  std::uint16_t port() const noexcept { return port_; }
  pid_t pid() const noexcept { return process_; }
  /// Whether it still runs.
  bool alive();
  /// What it has printed so far, to explain a failure.
  std::string output() const;
  /// SIGTERM, then the exit status as waitpid gives it. Harmless when it has ended already.
  int stop();

  /// The Fairlane server under test: the environment's FAIRLANE_SERVER, else the one this build makes; empty when
  /// there is neither.
  static std::string fairlane_program();
  static std::string redis_program() { return FAIRLANE_ORACLE_PATH; }

 private:
  void start(const std::string& program, const std::vector<std::string>& extra_arguments);
  bool answers();

  std::uint16_t port_ = 0;
  pid_t process_ = -1;
  int status_ = 0;
  int output_ = -1;  // an unnamed file: a pipe nobody drains would stop the server
};

/// A TCP port of 127.0.0.1 that nobody listened on a moment ago.
std::uint16_t free_port();

}  // namespace fairlane::testkit
