#pragma once

#include <cstddef>
#include <string_view>

#include "fairlane/base/buffer.hpp"
#include "fairlane/command/session.hpp"
#include "fairlane/protocol/request_parser.hpp"

namespace fairlane::net {

/// What was received and not executed yet: an unfinished request, or what waits behind a parked one. Holds no memory
/// while it is empty.
class Unread {
 public:
  bool empty() const noexcept { return bytes_.size() == done_; }
  std::size_t size() const noexcept { return bytes_.size() - done_; }
  std::size_t room() const noexcept { return bytes_.capacity() - bytes_.size(); }
  std::string_view view() const noexcept { return bytes_.view().substr(done_); }

  /// Place for more bytes at the end; write there, then call grow_by().
  char* reserve(std::size_t room) { return bytes_.reserve(room); }
  void grow_by(std::size_t written) noexcept { bytes_.grow_by(written); }
  void append(std::string_view bytes) { bytes_.append(bytes); }

  /// Drops bytes at the front.
  void drop(std::size_t count) noexcept {
    done_ += count;
    if (done_ == bytes_.size()) {
      bytes_.release();
      done_ = 0;
    } else if (done_ > kMoveAt && done_ > bytes_.size() / 2) {
      // Seldom enough that a long queue of requests that are run one by one is not moved once for each of them.
      bytes_.drop_front(done_);
      done_ = 0;
    }
  }

 private:
  static constexpr std::size_t kMoveAt = 4096;

  base::Buffer bytes_;
  std::size_t done_ = 0;
};

/// One client's socket and what lies between it and the executor.
struct Connection {
  int descriptor = -1;
  command::Session* session = nullptr;
  protocol::RequestParser parser;
  Unread unread;
  unsigned watched = 0;      ///< the epoll events asked for
  bool half_closed = false;  ///< the client sends nothing more, and still reads
  bool listed = false;       ///< among the connections to look after
  bool closed = false;
};

}  // namespace fairlane::net
