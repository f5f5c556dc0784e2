#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fairlane/base/clock.hpp"
#include "testkit/resp_value.hpp"

namespace fairlane::testkit {

/// A blocking client on the loopback interface. Every wait ends after the time given.
class SocketClient {
 public:
  static constexpr base::Millis kPatience{5000};

  /// Connects to 127.0.0.1. Throws std::runtime_error when nobody listens there.
  explicit SocketClient(std::uint16_t port);
  ~SocketClient();
  SocketClient(SocketClient&& other) noexcept;
  SocketClient& operator=(SocketClient&& other) noexcept;
  SocketClient(const SocketClient&) = delete;
  SocketClient& operator=(const SocketClient&) = delete;

  /// Sends bytes as they are. Takes in replies meanwhile, so that a long pipeline cannot jam both directions. Bytes
  /// that a closed connection refuses are dropped: what the server said before it closed is still there to read.
  void send(std::string_view bytes);
  void send_request(const std::vector<std::string>& arguments) { send(encode_request(arguments)); }

  /// Sends nothing more and still reads.
  void end_input() noexcept;

  /// The next value; nothing when it does not come in time or the server closed the connection.
  std::optional<Value> read(base::Millis patience = kPatience);

  /// Sends one request and returns its reply. Throws std::runtime_error when there is none.
  Value call(const std::vector<std::string>& arguments);

  /// Whether the server closes the connection in time without saying anything more.
  bool closed(base::Millis patience = kPatience);

  /// Whether nothing arrives for so long. An open connection is required.
  bool silent(base::Millis duration);

  /// The client's own port, as CLIENT LIST shows it.
  std::uint16_t local_port() const;

 private:
  void close() noexcept;
  bool wait(short events, base::Millis patience);
  void receive();

  int socket_ = -1;
  bool ended_ = false;  // the server's side of the stream is over
  RespReader reader_;
};

}  // namespace fairlane::testkit
