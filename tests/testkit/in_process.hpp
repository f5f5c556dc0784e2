#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fairlane/command/catalog.hpp"
#include "fairlane/command/executor.hpp"
#include "fairlane/command/options.hpp"
#include "fairlane/command/services.hpp"
#include "fairlane/command/session.hpp"
#include "fairlane/command/sessions.hpp"
#include "fairlane/command/settings.hpp"
#include "fairlane/engine/keyspace.hpp"
#include "fairlane/engine/notifications.hpp"
#include "fairlane/engine/pubsub.hpp"
#include "fairlane/engine/wait_queue.hpp"
#include "fairlane/engine/watch.hpp"
#include "fairlane/protocol/request_parser.hpp"
#include "fairlane/scripting/lua_engine.hpp"
#include "testkit/manual_scheduler.hpp"
#include "testkit/virtual_clock.hpp"

namespace fairlane::testkit {

class InProcess;

/// Options by name, as in a configuration file.
using OptionTexts = std::vector<std::pair<std::string_view, std::string_view>>;

/// One client of an InProcess server. What it sends is done when send() returns.
class InProcessClient {
 public:
  /// Sends one request, written as a person types it: words apart by blanks, quotes as in redis-cli.
  void send(std::string_view line);
  /// Sends bytes as they are.
  void send_bytes(std::string_view bytes);
  /// All that the server has said since the last take(), byte for byte.
  std::string take();
  /// send() and take().
  std::string ask(std::string_view line);

  /// Has the server closed the connection?
  bool closed() const noexcept { return session_ == nullptr; }
  /// The server's side of it; null when closed.
  command::Session* session() noexcept { return session_; }

 private:
  friend class InProcess;
  explicit InProcessClient(InProcess& server) noexcept : server_(server) {}

  InProcess& server_;
  command::Session* session_ = nullptr;
  protocol::RequestParser parser_;
  std::string unread_;    // sent, and not executed yet
  std::string received_;  // said by the server, and not taken yet
  bool listed_ = false;   // to be looked after when the batch is over
};

/// The whole server but for sockets, in virtual time: nothing happens between two calls.
class InProcess : private command::Host {
 public:
  /// Throws std::runtime_error when an option is wrong.
  explicit InProcess(const OptionTexts& options = {});
  ~InProcess() override;

  /// Clients live as long as the server.
  InProcessClient& connect();
  /// The client goes away.
  void disconnect(InProcessClient& client);
  /// Lets time pass: every timer runs at its own instant.
  void advance(base::Millis duration);
  /// Lets time pass up to the next timer and runs it, if that is within `duration`; else lets all of `duration` pass.
  /// Returns how much passed.
  base::Millis step(base::Millis duration);

  command::Services& services() noexcept { return services_; }
  engine::Database& database(engine::DbIndex index = 0) noexcept { return keyspace_.at(index); }
  VirtualClock& clock() noexcept { return clock_; }
  /// Was SHUTDOWN asked for?
  bool shut_down_asked() const noexcept { return shut_down_asked_; }

 private:
  friend class InProcessClient;

  void output_ready(command::Session& session) override { list(session); }
  void resume(command::Session& session) override { list(session); }
  void close(command::Session& session) override { list(session); }
  void drop(command::Session& session) override;
  void shut_down() override { shut_down_asked_ = true; }

  void list(command::Session& session);
  void execute(InProcessClient& client);
  void flush(InProcessClient& client);
  void end(InProcessClient& client);
  void drain();

  command::Settings settings_;
  command::Options options_;
  VirtualClock clock_;
  ManualScheduler scheduler_;
  engine::Keyspace keyspace_;
  engine::WatchTable watches_;
  engine::WaitQueue waits_;
  engine::PubSub pubsub_;
  engine::Notifications notifications_;
  command::Catalog catalog_;
  command::Sessions sessions_;
  command::Services services_;
  scripting::LuaEngine scripts_;
  command::Executor executor_;
  std::vector<std::unique_ptr<InProcessClient>> clients_;
  std::vector<InProcessClient*> listed_;
  protocol::Arguments arguments_;
  bool shut_down_asked_ = false;
};

}  // namespace fairlane::testkit
