#include "server/cli/connection.hpp"

#include <netdb.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace fairlane::server::cli {
namespace {

[[noreturn]] void fail_to_connect(const std::string& place, const std::string& why) {
  throw std::runtime_error("Could not connect to Redis at " + place + ": " + why);
}

int connect_to_unix(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) fail_to_connect(path, std::strerror(ENAMETOOLONG));
  path.copy(address.sun_path, path.size());
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0 || ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    fail_to_connect(path, std::strerror(errno));
  }
  return socket;
}

int connect_to_host(const std::string& host, const std::string& port) {
  const std::string place = host + ":" + port;
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int wrong = ::getaddrinfo(host.c_str(), port.c_str(), &hints, &found); wrong != 0) {
    fail_to_connect(place, ::gai_strerror(wrong));
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> all(found, ::freeaddrinfo);
  int last_error = 0;
  for (const addrinfo* one = all.get(); one != nullptr; one = one->ai_next) {
    const int socket = ::socket(one->ai_family, one->ai_socktype | SOCK_CLOEXEC, one->ai_protocol);
    if (socket >= 0 && ::connect(socket, one->ai_addr, one->ai_addrlen) == 0) return socket;
    last_error = errno;
    if (socket >= 0) ::close(socket);
  }
  fail_to_connect(place, std::strerror(last_error));
}

bool is_null(const std::string& header) noexcept { return header == "-1"; }

}  // namespace

Connection::Connection(const Options& options)
    : socket_(options.unix_socket.empty() ? connect_to_host(options.host, options.port)
                                          : connect_to_unix(options.unix_socket)) {}

Connection::~Connection() { ::close(socket_); }

void Connection::send(std::span<const std::string> words) {
  std::string request = "*" + std::to_string(words.size()) + "\r\n";
  for (const std::string& word : words) {
    request.append("$").append(std::to_string(word.size())).append("\r\n").append(word).append("\r\n");
  }
  for (std::size_t done = 0; done < request.size();) {
    const ssize_t put = ::send(socket_, request.data() + done, request.size() - done, MSG_NOSIGNAL);
    if (put < 0) throw std::runtime_error(std::string("Error: ") + std::strerror(errno));
    done += static_cast<std::size_t>(put);
  }
}

void Connection::fill() {
  input_.erase(0, at_);
  at_ = 0;
  char chunk[16384];
  const ssize_t got = ::recv(socket_, chunk, sizeof(chunk), 0);
  if (got < 0) throw std::runtime_error(std::string("Error: ") + std::strerror(errno));
  if (got == 0) throw std::runtime_error("Error: Server closed the connection");
  input_.append(chunk, static_cast<std::size_t>(got));
}

std::string Connection::line() {
  std::size_t end = 0;
  while ((end = input_.find("\r\n", at_)) == std::string::npos) fill();
  std::string text = input_.substr(at_, end - at_);
  at_ = end + 2;
  return text;
}

std::string Connection::bytes(std::size_t count) {
  while (input_.size() - at_ < count + 2) fill();
  std::string text = input_.substr(at_, count);
  at_ += count + 2;
  return text;
}

Reply Connection::receive() {
  const std::string header = line();
  Reply reply{header.empty() ? '\0' : header[0], header.empty() ? "" : header.substr(1), {}};
  switch (reply.kind) {
    case '+':
    case '-':
    case ':':
    case ',':
    case '(':
    case '#':
    case '_':
      return reply;
    case '$':
    case '=':
    case '!':
      if (is_null(reply.text)) return {};
      reply.text = bytes(std::strtoull(reply.text.c_str(), nullptr, 10));
      if (reply.kind == '=') reply.text.erase(0, std::strlen("txt:"));
      if (reply.kind == '!') reply.kind = '-';
      return reply;
    case '*':
    case '%':
    case '~':
    case '>':
    case '|': {
      if (is_null(reply.text)) return {};
      const bool pairs = reply.kind == '%' || reply.kind == '|';
      const std::size_t count = std::strtoull(reply.text.c_str(), nullptr, 10) * (pairs ? 2 : 1);
      reply.text.clear();
      for (std::size_t i = 0; i < count; ++i) reply.elements.push_back(receive());
      return reply.kind == '|' ? receive() : reply;
    }
    default:
      throw std::runtime_error("Error: Protocol error, got \"" + header.substr(0, 1) + "\" as reply type byte");
  }
}

}  // namespace fairlane::server::cli
