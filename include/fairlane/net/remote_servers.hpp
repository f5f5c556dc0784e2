#pragma once

#include "fairlane/command/remote_servers.hpp"

namespace fairlane::net {

/// Servers that are reached over TCP, by name or address.
class TcpServers final : public command::RemoteServers {
 public:
  std::unique_ptr<command::RemoteServer> connect(const std::string& host, std::uint16_t port,
                                                 base::Millis patience) override;
};

}  // namespace fairlane::net
