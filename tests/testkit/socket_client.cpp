#include "testkit/socket_client.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <stdexcept>
#include <utility>

namespace fairlane::testkit {
namespace {

using Instant = std::chrono::steady_clock::time_point;

Instant after(base::Millis patience) { return std::chrono::steady_clock::now() + patience; }

base::Millis left_until(Instant deadline) {
  const auto left = std::chrono::ceil<base::Millis>(deadline - std::chrono::steady_clock::now());
  return left.count() > 0 ? left : base::Millis{0};
}

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

}  // namespace

SocketClient::SocketClient(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  const sockaddr_in address = loopback(port);
  if (socket_ < 0 || ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    close();
    throw std::runtime_error("nobody listens on 127.0.0.1:" + std::to_string(port));
  }
  const int on = 1;
  ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  ::fcntl(socket_, F_SETFL, O_NONBLOCK);
}

SocketClient::~SocketClient() { close(); }

SocketClient::SocketClient(SocketClient&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)), ended_(other.ended_), reader_(std::move(other.reader_)) {}

SocketClient& SocketClient::operator=(SocketClient&& other) noexcept {
  std::swap(socket_, other.socket_);
  std::swap(ended_, other.ended_);
  std::swap(reader_, other.reader_);
  return *this;
}

void SocketClient::close() noexcept {
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
}

bool SocketClient::wait(short events, base::Millis patience) {
  pollfd watched{socket_, events, 0};
  return ::poll(&watched, 1, static_cast<int>(patience.count())) > 0;
}

void SocketClient::receive() {
  std::array<char, 65536> chunk;
  while (!ended_) {
    const ssize_t got = ::recv(socket_, chunk.data(), chunk.size(), 0);
    if (got > 0) {
      reader_.feed({chunk.data(), static_cast<std::size_t>(got)});
      return;
    }
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    ended_ = true;
  }
}

void SocketClient::send(std::string_view bytes) {
  const Instant deadline = after(kPatience);
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK) return;
    const auto left = left_until(deadline);
    if (left.count() == 0) throw std::runtime_error("the server does not take its input");
    const short both = POLLIN | POLLOUT;
    wait(ended_ ? POLLOUT : both, left);
    receive();
  }
}

void SocketClient::end_input() noexcept { ::shutdown(socket_, SHUT_WR); }

std::optional<Value> SocketClient::read(base::Millis patience) {
  const Instant deadline = after(patience);
  // What has arrived counts even when there is no time to wait.
  bool looked = false;
  while (true) {
    if (auto value = reader_.next()) return value;
    if (ended_) return std::nullopt;
    const auto left = left_until(deadline);
    if (left.count() == 0 && looked) return std::nullopt;
    looked = !wait(POLLIN, left);
    receive();
  }
}

Value SocketClient::call(const std::vector<std::string>& arguments) {
  send_request(arguments);
  auto reply = read();
  if (!reply) throw std::runtime_error("no reply to " + (arguments.empty() ? std::string("nothing") : arguments[0]));
  return std::move(*reply);
}

bool SocketClient::closed(base::Millis patience) {
  const Instant deadline = after(patience);
  bool looked = false;
  while (!ended_ && !looked && reader_.empty()) {
    const auto left = left_until(deadline);
    wait(POLLIN, left);
    receive();
    looked = left.count() == 0;
  }
  return ended_ && reader_.empty();
}

bool SocketClient::silent(base::Millis duration) { return !read(duration) && !ended_ && reader_.empty(); }

std::uint16_t SocketClient::local_port() const {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  if (::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  return ntohs(address.sin_port);
}

}  // namespace fairlane::testkit
