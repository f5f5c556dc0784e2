#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fairlane/base/buffer.hpp"
#include "fairlane/base/clock.hpp"
#include "fairlane/engine/changes.hpp"
#include "fairlane/engine/pubsub.hpp"
#include "fairlane/engine/wait_queue.hpp"
#include "fairlane/engine/watch.hpp"
#include "fairlane/protocol/reply.hpp"

namespace fairlane::command {

struct Command;
struct User;
using SessionId = engine::SessionId;

/// A request that outlives the buffer it came in: its words' bytes in one piece.
class OwnedRequest {
 public:
  explicit OwnedRequest(std::span<const std::string_view> words);
  OwnedRequest(OwnedRequest&&) noexcept = default;
  OwnedRequest& operator=(OwnedRequest&&) noexcept = default;

  std::span<const std::string_view> words() const noexcept { return words_; }
  std::size_t memory() const noexcept { return size_ + words_.capacity() * sizeof(std::string_view); }

 private:
  std::unique_ptr<char[]> bytes_;
  std::size_t size_ = 0;
  std::vector<std::string_view> words_;
};

/// The commands queued between MULTI and EXEC.
struct Transaction {
  struct Queued {
    Command* command;
    OwnedRequest request;
  };
  std::vector<Queued> queue;
  std::size_t memory = 0;
  bool open = false;
  bool broken = false;  ///< a command was refused while queueing: EXEC aborts
};

/// What a parked client waits for.
struct Waiting {
  OwnedRequest request;
  Command* command;
  base::TimerId timer = 0;
  bool has_timer = false;
  void (*on_timeout)(protocol::Reply&) = nullptr;  ///< writes the reply of a wait that ended without success
  std::uint64_t ticks = 0;                         ///< that the request took until it waited
};

/// What a client that caches values here has asked for (CLIENT TRACKING).
struct ClientTracking {
  bool broadcast = false;  ///< told of every key with one of the prefixes, whether it has read it or not
  bool opt_in = false;     ///< only keys read right behind CLIENT CACHING YES
  bool opt_out = false;    ///< not those read right behind CLIENT CACHING NO
  bool no_loop = false;    ///< not told of its own changes
  bool caching = false;    ///< CLIENT CACHING was the last command
  bool broken = false;     ///< the client it redirects to is gone
  SessionId redirect = 0;  ///< who is told instead; 0: the client itself
  std::set<std::string> prefixes;
};

enum class ReplyMode : std::uint8_t { on, off, skip_next, skip_this };

/// Facts about the connection that do not change.
struct Peer {
  std::string address;  ///< "127.0.0.1:52136", or the socket's path with ":0"
  std::string local_address;
  int descriptor = -1;
  bool unix_socket = false;
};

/// Everything the server knows about one client. Lives as long as its connection; others refer to it by id.
struct Session : engine::Subscriber {
  SessionId id = 0;
  Peer peer;
  engine::DbIndex db = 0;
  protocol::Version version = protocol::Version::resp2;
  const User* user = nullptr;
  bool authenticated = false;
  bool unrestricted = false;  ///< authenticated as a user who may do everything: no request needs to be checked
  std::string name;
  std::string library_name;
  std::string library_version;

  base::Buffer out;               ///< replies not yet sent, and those whose sending is under way
  std::size_t sent = 0;           ///< bytes at the start of `out` that are with the kernel already
  std::size_t reply_start = 0;    ///< where in `out` the running request's reply starts, or goes on behind a push
  bool output_announced = false;  ///< the host knows that there is output
  bool close_after_reply = false;
  bool close_now = false;
  bool awaits_writable = false;  ///< the socket takes no more: the client reads slowly
  bool over_soft_limit = false;  ///< of unsent output, since the instant below
  base::Steady over_soft_limit_since{};

  ReplyMode reply_mode = ReplyMode::on;
  Transaction transaction;
  engine::WatchState watched;
  std::unique_ptr<Waiting> waiting;  ///< parked in a blocking command
  bool paused = false;               ///< held back by CLIENT PAUSE

  std::unique_ptr<ClientTracking> tracking;  ///< null: off

  bool monitor = false;
  bool no_evict = false;
  bool no_touch = false;

  base::Wall created{};
  base::Wall last_interaction{};
  std::uint64_t commands = 0;
  const Command* last_command = nullptr;
  std::size_t query_buffer = 0;  ///< bytes received and not yet executed
  std::size_t query_buffer_free = 0;
  std::size_t counted_memory = 0;  ///< of maxmemory-clients
  void* connection = nullptr;      ///< the host's

  /// CLIENT REPLY: the client wants no reply to the request under way.
  bool mute() const noexcept { return reply_mode == ReplyMode::off || reply_mode == ReplyMode::skip_this; }
  std::size_t unsent() const noexcept { return out.size() - sent; }
  /// May only (un)subscribe, ping, quit and reset: a subscribed client of RESP2.
  bool push_only() const noexcept { return version == protocol::Version::resp2 && subscribed(); }
};

}  // namespace fairlane::command
