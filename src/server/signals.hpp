#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <functional>

namespace fairlane::server {

/// SIGTERM and SIGINT ask the server to end. A second SIGINT ends the process with status 1 at once, even in the middle
/// of a command that does not come to an end. SIGHUP and SIGPIPE mean nothing. One object a process.
class StopSignals {
 public:
  /// The action is called once, from the event loop, with the signal's number.
  StopSignals(boost::asio::io_context& context, std::function<void(int)> action);
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

 private:
  boost::asio::posix::stream_descriptor wake_up_;
  std::function<void(int)> action_;
};

}  // namespace fairlane::server
