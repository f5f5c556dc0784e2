#include "net/socket.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace fairlane::net {
namespace {

struct Address {
  sockaddr_storage bytes{};
  socklen_t size = 0;
};

bool parse_address(const std::string& text, std::uint16_t port, Address& address) {
  auto& v4 = reinterpret_cast<sockaddr_in&>(address.bytes);
  auto& v6 = reinterpret_cast<sockaddr_in6&>(address.bytes);
  const std::string name = text == "*" ? "0.0.0.0" : text == "::*" ? "::" : text == "localhost" ? "127.0.0.1" : text;
  if (::inet_pton(AF_INET, name.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    address.size = sizeof(sockaddr_in);
    return true;
  }
  if (::inet_pton(AF_INET6, name.c_str(), &v6.sin6_addr) == 1) {
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(port);
    address.size = sizeof(sockaddr_in6);
    return true;
  }
  return false;
}

std::string text_of(const sockaddr_storage& storage) {
  char text[INET6_ADDRSTRLEN] = "?";
  if (storage.ss_family == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(storage);
    ::inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof(text));
    return "[" + std::string(text) + "]:" + std::to_string(ntohs(v6.sin6_port));
  }
  const auto& v4 = reinterpret_cast<const sockaddr_in&>(storage);
  ::inet_ntop(AF_INET, &v4.sin_addr, text, sizeof(text));
  return std::string(text) + ":" + std::to_string(ntohs(v4.sin_port));
}

std::string failure(const std::string& where, const char* doing) {
  return "Could not create server TCP listening socket " + where + ": " + doing + ": " + std::strerror(errno);
}

}  // namespace

int listen_tcp(const std::string& address, std::uint16_t port, int backlog, std::string& error) {
  const bool optional = !address.empty() && address[0] == '-';
  const std::string name = optional ? address.substr(1) : address;
  const std::string where = name + ":" + std::to_string(port);
  Address to;
  if (!parse_address(name, port, to)) {
    error = "Could not create server TCP listening socket " + where + ": Name or service not known";
    return -1;
  }
  const int descriptor = ::socket(to.bytes.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor < 0) {
    if (!optional) error = failure(where, "socket");
    return -1;
  }
  const int on = 1;
  ::setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (to.bytes.ss_family == AF_INET6) ::setsockopt(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
  const bool bound = ::bind(descriptor, reinterpret_cast<sockaddr*>(&to.bytes), to.size) == 0;
  if (bound && ::listen(descriptor, backlog) == 0) return descriptor;
  const bool forgiven = optional && !bound && (errno == EADDRNOTAVAIL || errno == EAFNOSUPPORT);
  if (!forgiven) error = failure(where, bound ? "listen" : "bind");
  ::close(descriptor);
  return -1;
}

int listen_unix(const std::string& path, unsigned permissions, int backlog, std::string& error) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) {
    error = "Failed opening Unix socket: path is too long";
    return -1;
  }
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  ::unlink(path.c_str());
  const int descriptor = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor >= 0 && ::bind(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0 &&
      ::listen(descriptor, backlog) == 0) {
    if (permissions != 0) ::chmod(path.c_str(), permissions);
    return descriptor;
  }
  error = "Failed opening Unix socket: bind: " + std::string(std::strerror(errno));
  if (descriptor >= 0) ::close(descriptor);
  return -1;
}

bool is_ipv6(int descriptor) noexcept {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size);
  return address.ss_family == AF_INET6;
}

void prepare_tcp(int descriptor, int keepalive_seconds) noexcept {
  const int on = 1;
  ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  if (keepalive_seconds <= 0) return;
  const int interval = keepalive_seconds / 3 > 0 ? keepalive_seconds / 3 : 1;
  const int probes = 3;
  ::setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
  ::setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, &keepalive_seconds, sizeof(keepalive_seconds));
  ::setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof(interval));
  ::setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof(probes));
}

command::Peer peer_of(int descriptor, bool unix_socket, const std::string& path) {
  command::Peer peer;
  peer.descriptor = descriptor;
  peer.unix_socket = unix_socket;
  if (unix_socket) {
    peer.address = peer.local_address = path + ":0";
    return peer;
  }
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  if (::getpeername(descriptor, reinterpret_cast<sockaddr*>(&address), &size) == 0) peer.address = text_of(address);
  size = sizeof(address);
  if (::getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size) == 0)
    peer.local_address = text_of(address);
  return peer;
}

}  // namespace fairlane::net
