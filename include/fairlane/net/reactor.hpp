#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fairlane/command/services.hpp"

namespace boost::asio {
class io_context;
}

namespace fairlane::net {

/// Where and how to listen.
struct ListenOptions {
  std::vector<std::string> addresses = {
      "127.0.0.1", "-::1"};       ///< IPv4 or IPv6; "*" and "::*" mean all; a leading '-' forgives a missing one
  std::uint16_t port = 6379;      ///< 0: no TCP
  bool any_port = false;          ///< with port 0: a free one instead
  std::string unix_socket;        ///< empty: none
  unsigned unix_permissions = 0;  ///< 0: as the umask has it
  int backlog = 511;
};

/// The client connections: reads what a socket has, runs all requests in it, and sends all their replies in one write.
///
/// The client sockets stand in one level-triggered epoll descriptor of our own, which Asio watches as a single
/// descriptor, so a request costs one receive and one send and Asio keeps what it is good at: accepting, timers,
/// signals. One thread.
class Reactor : public command::Host {
 public:
  Reactor(boost::asio::io_context& context, command::Services& services);
  ~Reactor() override;

  /// Opens all sockets. Returns an error in words, or nothing.
  std::string listen(const ListenOptions& options);
  /// Closes the TCP sockets that listen and opens others; when that fails, the former ones again. Clients stay.
  std::string listen_again(const std::vector<std::string>& addresses, std::uint16_t port);
  /// The port that was opened; the system's choice when told to use a free one.
  std::uint16_t port() const noexcept;
  void on_shut_down(std::function<void()> action);
  /// What Host::listen_again() does.
  void on_listen_again(std::function<std::string()> action);
  /// Sends what has been written to sessions outside of their own batches, and closes what was asked to be closed.
  void drain();
  /// Closes all sockets and removes the socket file.
  void stop();

  void output_ready(command::Session& session) override;
  void resume(command::Session& session) override;
  void close(command::Session& session) override;
  void drop(command::Session& session) override;
  std::string listen_again() override;
  bool serve_while_busy(command::Session& running) override;
  void shut_down() override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fairlane::net
