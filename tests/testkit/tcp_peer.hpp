#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "testkit/socket_client.hpp"
#include "testkit/wire_file.hpp"

namespace fairlane::testkit {

/// Plays .wire cases against a server that listens on 127.0.0.1. Time passes for real.
class TcpPeer : public Peer {
 public:
  explicit TcpPeer(std::uint16_t port) : port_(port) {}

  void open(const std::string& connection) override;
  void close(const std::string& connection) override;
  void send(const std::string& connection, std::string_view bytes) override;
  std::optional<Value> read(const std::string& connection, base::Millis patience) override;
  bool closed(const std::string& connection, base::Millis patience) override;
  void settle() override;
  void advance(base::Millis duration) override;

 private:
  SocketClient& client(const std::string& connection);

  std::uint16_t port_;
  std::vector<std::pair<std::string, SocketClient>> clients_;
  std::optional<SocketClient> probe_;
};

}  // namespace fairlane::testkit
