#include "fairlane/net/remote_servers.hpp"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <utility>

#include "net/socket.hpp"

namespace fairlane::net {
namespace {

using Instant = std::chrono::steady_clock::time_point;

/// A line that is longer is no reply to what is asked.
constexpr std::size_t kLongestLine = 64 * 1024;

/// Waits until the socket can be read from or written to; false when it is too late.
bool await(int descriptor, short events, Instant end) noexcept {
  for (;;) {
    const auto left = std::chrono::ceil<base::Millis>(end - std::chrono::steady_clock::now()).count();
    pollfd wanted{descriptor, events, 0};
    const int ready = ::poll(&wanted, 1, static_cast<int>(std::clamp<std::int64_t>(left, 0, INT_MAX)));
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

/// The step may be tried again once the socket is ready.
bool not_now() noexcept { return errno == EAGAIN || errno == EINTR; }

class TcpServer final : public command::RemoteServer {
 public:
  TcpServer(int descriptor, base::Millis patience) noexcept : descriptor_(descriptor), patience_(patience) {}
  ~TcpServer() override { ::close(descriptor_); }
  TcpServer(const TcpServer&) = delete;
  TcpServer& operator=(const TcpServer&) = delete;

  bool send(std::string_view bytes) override {
    const Instant end = deadline();
    while (!bytes.empty()) {
      const ssize_t sent = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent >= 0) {
        bytes.remove_prefix(static_cast<std::size_t>(sent));
      } else if (!not_now() || !await(descriptor_, POLLOUT, end)) {
        return false;
      }
    }
    return true;
  }

  std::optional<std::string> line() override {
    const Instant end = deadline();
    for (;;) {
      const std::size_t at = received_.find("\r\n");
      if (at != std::string::npos) {
        std::string line = received_.substr(0, at);
        received_.erase(0, at + 2);
        return line;
      }
      if (received_.size() > kLongestLine || !receive(end)) return std::nullopt;
    }
  }

 private:
  Instant deadline() const noexcept { return std::chrono::steady_clock::now() + patience_; }

  bool receive(Instant end) {
    char bytes[4096];
    const ssize_t count = ::recv(descriptor_, bytes, sizeof(bytes), 0);
    if (count > 0) received_.append(bytes, static_cast<std::size_t>(count));
    return count > 0 || (count < 0 && not_now() && await(descriptor_, POLLIN, end));
  }

  int descriptor_;
  base::Millis patience_;
  std::string received_;
};

/// A socket whose connecting has ended in time, whether well or not: that the first bytes tell. -1 when there is none.
int connected(const addrinfo& address, Instant end) noexcept {
  const int descriptor = ::socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor < 0) return -1;
  const bool begun = ::connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 || errno == EINPROGRESS;
  if (begun && await(descriptor, POLLOUT, end)) return descriptor;
  ::close(descriptor);
  return -1;
}

}  // namespace

std::unique_ptr<command::RemoteServer> TcpServers::connect(const std::string& host, std::uint16_t port,
                                                           base::Millis patience) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* addresses = nullptr;
  if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &addresses) != 0) return nullptr;
  const Instant end = std::chrono::steady_clock::now() + patience;
  int descriptor = -1;
  for (const addrinfo* at = addresses; at != nullptr && descriptor < 0; at = at->ai_next) {
    descriptor = connected(*at, end);
  }
  ::freeaddrinfo(addresses);
  if (descriptor < 0) return nullptr;
  prepare_tcp(descriptor, 0);
  return std::make_unique<TcpServer>(descriptor, patience);
}

}  // namespace fairlane::net
