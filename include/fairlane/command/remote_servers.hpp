#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "fairlane/base/clock.hpp"

/// Other servers that speak RESP behind a small interface, so that this layer knows no socket. The implementation
/// stands in src/net.
namespace fairlane::command {

/// A conversation with one of them. Everything waits for it.
class RemoteServer {
 public:
  virtual ~RemoteServer() = default;
  /// False when the bytes were not sent in time.
  virtual bool send(std::string_view bytes) = 0;
  /// The next line, without its end; nothing when it did not come in time.
  virtual std::optional<std::string> line() = 0;
};

class RemoteServers {
 public:
  virtual ~RemoteServers() = default;
  /// Null when there is no connection in time. So long may each step of the conversation take as well.
  virtual std::unique_ptr<RemoteServer> connect(const std::string& host, std::uint16_t port, base::Millis patience) = 0;
};

}  // namespace fairlane::command
