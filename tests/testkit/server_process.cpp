#include "testkit/server_process.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <stdexcept>

#include "testkit/socket_client.hpp"

namespace fairlane::testkit {
namespace {

constexpr std::chrono::seconds kStartPatience{10};
constexpr std::chrono::seconds kStopPatience{5};
constexpr int kPortAttempts = 5;
constexpr int kLookEveryMillis = 2;

std::vector<std::string> arguments_for(const std::string& program, std::uint16_t port,
                                       const std::vector<std::string>& extra) {
  std::vector<std::string> all{program,        "--port", std::to_string(port), "--bind", "127.0.0.1", "--save", "",
                               "--appendonly", "no",     "--loglevel",         "notice"};
  all.insert(all.end(), extra.begin(), extra.end());
  return all;
}

void pause_briefly() { ::poll(nullptr, 0, kLookEveryMillis); }

}  // namespace

std::uint16_t free_port() {
  const int probe = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  const bool bound = probe >= 0 && ::bind(probe, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                     ::getsockname(probe, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  if (probe >= 0) ::close(probe);
  if (!bound) throw std::runtime_error("no free port on 127.0.0.1");
  return ntohs(address.sin_port);
}

ServerProcess::ServerProcess(const std::string& program, const std::vector<std::string>& extra_arguments) {
  // Somebody else may take the port between the look and the server's bind, which then ends at once.
  for (int attempt = 1; attempt <= kPortAttempts; ++attempt) {
    start(program, extra_arguments);
    if (answers()) return;
    stop();
  }
  const std::string said = output();
  ::close(output_);
  throw std::runtime_error(program + " does not start:\n" + said);
}

ServerProcess::~ServerProcess() {
  stop();
  ::close(output_);
}

void ServerProcess::start(const std::string& program, const std::vector<std::string>& extra_arguments) {
  port_ = free_port();
  if (output_ >= 0) ::close(output_);
  output_ = ::memfd_create("server-output", MFD_CLOEXEC);
  auto arguments = arguments_for(program, port_, extra_arguments);
  std::vector<char*> pointers;
  pointers.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  const pid_t parent = ::getpid();
  process_ = ::fork();
  if (process_ < 0) throw std::runtime_error("cannot fork");
  if (process_ > 0) return;
  // A test program that dies must not leave its server behind.
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(127);
  const int nothing = ::open("/dev/null", O_RDONLY);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(output_, STDOUT_FILENO);
  ::dup2(output_, STDERR_FILENO);
  ::execvp(pointers[0], pointers.data());
  ::_exit(127);
}

bool ServerProcess::answers() {
  const auto deadline = std::chrono::steady_clock::now() + kStartPatience;
  while (alive() && std::chrono::steady_clock::now() < deadline) {
    try {
      SocketClient client(port_);
      client.send("PING\r\n");
      const auto reply = client.read();
      // One that wants a password is up as well.
      if (reply && (reply->text == "PONG" || reply->text.starts_with("NOAUTH"))) return alive();
    } catch (const std::runtime_error&) {
      // not listening yet
    }
    pause_briefly();
  }
  return false;
}

bool ServerProcess::alive() {
  if (process_ > 0 && ::waitpid(process_, &status_, WNOHANG) == process_) process_ = -1;
  return process_ > 0;
}

std::string ServerProcess::output() const {
  std::string text;
  char chunk[4096];
  while (true) {
    const ssize_t got = ::pread(output_, chunk, sizeof chunk, static_cast<off_t>(text.size()));
    if (got <= 0) return text;
    text.append(chunk, static_cast<std::size_t>(got));
  }
}

int ServerProcess::stop() {
  if (!alive()) return status_;
  ::kill(process_, SIGTERM);
  const auto deadline = std::chrono::steady_clock::now() + kStopPatience;
  while (alive() && std::chrono::steady_clock::now() < deadline) pause_briefly();
  if (process_ > 0) {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, &status_, 0);
    process_ = -1;
  }
  return status_;
}

std::string ServerProcess::fairlane_program() {
  if (const char* chosen = std::getenv("FAIRLANE_SERVER")) return chosen;
#ifdef FAIRLANE_SERVER_PATH
  return FAIRLANE_SERVER_PATH;
#else
  return {};
#endif
}

}  // namespace fairlane::testkit
