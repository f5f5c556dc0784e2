#pragma once

#include <sys/types.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <functional>
#include <string>
#include <vector>

namespace fairlane::server {

/// The command that `fairlane-server run -- COMMAND` runs beside the server, and all that it starts in turn. When this
/// object ends, no such process is left; when this process is killed, the command is killed with it.
class Companion {
 public:
  /// Starts the command, which finds the server's address in REDIS_URL. The action is called once, from the event loop,
  /// with the exit status a shell would give. Throws StartFailure when no process can be made.
  Companion(boost::asio::io_context& context, const std::vector<std::string>& command, const std::string& url,
            std::function<void(int)> action);
  ~Companion();
  Companion(const Companion&) = delete;
  Companion& operator=(const Companion&) = delete;

  /// Hands on a signal that this process got, unless the terminal has sent it to the command as well.
  void pass_on(int signal) const;

 private:
  int status() const;

  pid_t process_;
  boost::asio::posix::stream_descriptor ended_;
};

}  // namespace fairlane::server
