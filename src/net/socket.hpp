#pragma once

#include <cstdint>
#include <string>

#include "fairlane/command/session.hpp"

namespace fairlane::net {

/// Opens a listening socket; -1 with an error in words, or with none when the address was marked as optional and is
/// not there.
int listen_tcp(const std::string& address, std::uint16_t port, int backlog, std::string& error);
int listen_unix(const std::string& path, unsigned permissions, int backlog, std::string& error);
bool is_ipv6(int descriptor) noexcept;
/// No delay, and probes after so many idle seconds (0: none).
void prepare_tcp(int descriptor, int keepalive_seconds) noexcept;
command::Peer peer_of(int descriptor, bool unix_socket, const std::string& path);

}  // namespace fairlane::net
