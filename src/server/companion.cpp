#include "server/companion.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "server/process.hpp"
#include "server/start_options.hpp"

namespace fairlane::server {
namespace {

// What shells answer for a command that cannot be run, that is not there, and that a signal ended.
constexpr int kCannotRun = 126;
constexpr int kNotFound = 127;
constexpr int kSignalled = 128;

pid_t start(const std::vector<std::string>& command, const std::string& url) {
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) throw StartFailure(std::string("Cannot start a process: ") + std::strerror(errno));
  if (child > 0) return child;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) std::_Exit(1);
  for (const int signal : {SIGHUP, SIGPIPE, SIGTERM, SIGINT}) std::signal(signal, SIG_DFL);
  ::setenv("REDIS_URL", url.c_str(), 1);
  const int wrong = become(command);
  std::fprintf(stderr, "%s: %s\n", command[0].c_str(), std::strerror(wrong));
  std::_Exit(wrong == ENOENT ? kNotFound : kCannotRun);
}

/// Kills one generation of children; the next one then belongs to this process.
void kill_children() {
  const std::string self = std::to_string(::getpid());
  std::ifstream children("/proc/" + self + "/task/" + self + "/children");
  for (pid_t child = 0; children >> child;) ::kill(child, SIGKILL);
}

}  // namespace

Companion::Companion(boost::asio::io_context& context, const std::vector<std::string>& command, const std::string& url,
                     std::function<void(int)> action)
    : process_(-1), ended_(context) {
  // What the command leaves behind becomes a child of this process, which can end it.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  process_ = start(command, url);
  ended_.assign(descriptor_of(process_));
  ended_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                    [this, action = std::move(action)](const boost::system::error_code& error) {
                      if (!error) action(status());
                    });
}

Companion::~Companion() {
  kill_children();
  while (::waitpid(-1, nullptr, 0) > 0) kill_children();
}

void Companion::pass_on(int signal) const {
  const bool from_terminal = signal == SIGINT && ::tcgetpgrp(STDIN_FILENO) == ::getpgrp();
  if (!from_terminal) ::kill(process_, signal);
}

int Companion::status() const {
  siginfo_t end{};
  if (::waitid(P_PID, static_cast<id_t>(process_), &end, WEXITED) != 0) return 1;
  return end.si_code == CLD_EXITED ? end.si_status : kSignalled + end.si_status;
}

}  // namespace fairlane::server
