#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>

#include "fairlane/command/settings.hpp"

namespace fairlane::server {

/// Ends the server with what it was started for, as the options want it: with the parent process, with standard input,
/// or after a time. The action is called from the event loop, with the reason.
class Lifetime {
 public:
  Lifetime(boost::asio::io_context& context, const command::Settings& settings,
           std::function<void(const char*)> action);

 private:
  void end_with_parent();
  void end_with_input();
  void read_input();

  boost::asio::posix::stream_descriptor parent_;
  boost::asio::posix::stream_descriptor input_;
  boost::asio::steady_timer time_;
  std::function<void(const char*)> action_;
};

}  // namespace fairlane::server
