#pragma once

#include <cstddef>
#include <string_view>

#include "fairlane/base/buffer.hpp"

namespace fairlane::command {

/// The names of a queue's keys: "emq:{q}:" and what follows. All are written into one buffer that is used again and
/// again, so a name is good until the next one is asked for.
class QueueKeys {
 public:
  void open(std::string_view queue) {
    buffer_.clear();
    append("emq:{", queue, "}:");
    prefix_ = buffer_.size();
  }

  std::string_view row(std::string_view id) { return name("job:", id); }
  std::string_view row_logs(std::string_view id) { return name("job:", id, ":logs"); }
  std::string_view row_lock(std::string_view id) { return name("job:", id, ":lock"); }
  std::string_view backlog(std::string_view lane) { return name("g:", lane, ":pending"); }
  std::string_view ungrouped() { return name("pending"); }
  std::string_view ring() { return name("ring"); }
  std::string_view active() { return name("active"); }
  std::string_view schedule() { return name("schedule"); }
  std::string_view dead() { return name("dead"); }
  std::string_view paused() { return name("paused"); }
  std::string_view weights() { return name("gweight"); }
  std::string_view limits() { return name("glimit"); }
  std::string_view in_flight() { return name("gactive"); }
  std::string_view wake() { return name("wake"); }
  std::string_view meta() { return name("meta"); }
  std::string_view completed() { return name("metrics:completed"); }
  std::string_view failed() { return name("metrics:failed"); }

 private:
  template <class... Parts>
  void append(Parts... parts) {
    (buffer_.append(std::string_view(parts)), ...);
  }
  template <class... Parts>
  std::string_view name(Parts... parts) {
    buffer_.truncate(prefix_);
    append(parts...);
    return buffer_.view();
  }

  base::Buffer buffer_;
  std::size_t prefix_ = 0;
};

}  // namespace fairlane::command
