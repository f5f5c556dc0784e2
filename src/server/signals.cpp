#include "server/signals.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <string_view>

namespace fairlane::server {
namespace {

// A signal handler has no object to call: these are all that it needs.
std::atomic<int> asked_by = 0;
std::atomic<int> wake_up_descriptor = -1;

void note(int signal) {
  if (asked_by.exchange(signal) != 0 && signal == SIGINT) {
    constexpr std::string_view kFarewell = "You insist... exiting now.\n";
    [[maybe_unused]] const auto written = ::write(STDOUT_FILENO, kFarewell.data(), kFarewell.size());
    std::_Exit(1);
  }
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(wake_up_descriptor.load(), &one, sizeof(one));
}

}  // namespace

StopSignals::StopSignals(boost::asio::io_context& context, std::function<void(int)> action)
    : wake_up_(context, ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), action_(std::move(action)) {
  wake_up_descriptor = wake_up_.native_handle();
  std::signal(SIGHUP, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGTERM, note);
  std::signal(SIGINT, note);
  wake_up_.async_wait(boost::asio::posix::stream_descriptor::wait_read, [this](const boost::system::error_code& error) {
    if (!error) action_(asked_by);
  });
}

StopSignals::~StopSignals() {
  // The server is ending: being asked once more must not change its exit status. Who insists may interrupt it.
  std::signal(SIGTERM, SIG_IGN);
  std::signal(SIGINT, SIG_DFL);
}

}  // namespace fairlane::server
