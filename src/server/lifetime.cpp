#include "server/lifetime.hpp"

#include <unistd.h>

#include <boost/asio/post.hpp>
#include <chrono>

#include "server/process.hpp"

namespace fairlane::server {

using boost::asio::posix::stream_descriptor;
using boost::system::error_code;

Lifetime::Lifetime(boost::asio::io_context& context, const command::Settings& settings,
                   std::function<void(const char*)> action)
    : parent_(context), input_(context), time_(context), action_(std::move(action)) {
  if (settings.exit_with_parent) end_with_parent();
  if (settings.exit_on_input_end) end_with_input();
  if (settings.max_lifetime_seconds > 0) {
    time_.expires_after(std::chrono::seconds(settings.max_lifetime_seconds));
    time_.async_wait([this](const error_code& error) {
      if (!error) action_("max-lifetime is over");
    });
  }
}

// PR_SET_PDEATHSIG would do for most, but it fires when the thread ends that started the server, and launchers start it
// from threads that come and go.
void Lifetime::end_with_parent() {
  const int parent = descriptor_of(::getppid());
  if (parent < 0) return boost::asio::post(time_.get_executor(), [this] { action_("The parent process has ended"); });
  parent_.assign(parent);
  parent_.async_wait(stream_descriptor::wait_read, [this](const error_code& error) {
    if (error != boost::asio::error::operation_aborted) action_("The parent process has ended");
  });
}

void Lifetime::end_with_input() {
  error_code failure;
  input_.assign(::dup(STDIN_FILENO), failure);
  if (failure) return boost::asio::post(time_.get_executor(), [this] { action_("There is no standard input"); });
  read_input();
}

void Lifetime::read_input() {
  input_.async_wait(stream_descriptor::wait_read, [this](const error_code& error) {
    if (error == boost::asio::error::operation_aborted) return;
    char chunk[256];
    // A file that cannot be waited for is an error here: nobody holds it open to keep the server alive.
    if (error || ::read(input_.native_handle(), chunk, sizeof(chunk)) <= 0) return action_("Standard input has ended");
    read_input();
  });
}

}  // namespace fairlane::server
