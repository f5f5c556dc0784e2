#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fairlane/base/clock.hpp"
#include "fairlane/base/random.hpp"

namespace fairlane::base {
class Log;
}

namespace fairlane::engine {
class Keyspace;
class Notifications;
class PubSub;
class WaitQueue;
class WatchTable;
}  // namespace fairlane::engine

namespace fairlane::command {

class Catalog;
class Denials;
class Executor;
class Host;
class LaneQueues;
class LoadMeter;
class Monitors;
class Options;
class RemoteServers;
class ScriptEngine;
class Scripts;
class Sessions;
class ClientEviction;
class Eviction;
class SlowLog;
class Tracking;
class UserFile;
class Users;
struct Session;
struct Settings;

/// Counters of INFO that no other object keeps.
struct ServerStats {
  std::uint64_t connections_received = 0;
  std::uint64_t connections_rejected = 0;
  std::uint64_t commands_processed = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  std::uint64_t errors = 0;
  std::uint64_t evicted_keys = 0;
  std::uint64_t evicted_clients = 0;
  std::size_t memory_at_start = 0;                                    ///< bytes, when there was no key yet
  std::vector<std::pair<std::string, std::uint64_t>> errors_by_code;  ///< "WRONGTYPE" and how often

  /// An error was answered; its text begins with the code.
  void count_error(std::string_view text);
};

/// What INFO tells about this run of the server.
struct ServerFacts {
  std::string run_id = std::string(40, '0');
  std::string executable;
  std::string config_file;
  base::Wall started{};
};

/// What the world around the engine does for it: the network in a server, a recorder in tests.
class Host {
 public:
  virtual ~Host() = default;
  /// The session has output that no request of its own in the current batch brought about: send it soon.
  virtual void output_ready(Session& session) = 0;
  /// The session no longer waits and is no longer paused: go on with what it had sent.
  virtual void resume(Session& session) = 0;
  /// Close the connection soon; with `close_after_reply` set in the session, after its output was sent.
  virtual void close(Session& session) = 0;
  /// Close the connection now, and end the session by Executor::disconnect(). It is not the one whose request runs.
  virtual void drop(Session& session) = 0;
  /// The options port or bind have changed. Returns what went wrong, or nothing; then nothing has changed.
  virtual std::string listen_again() { return {}; }
  /// A script keeps the server busy: serves the clients that have something to say or to hear, but not the one whose
  /// script it is. False when the server is about to end.
  virtual bool serve_while_busy(Session& /*running*/) { return true; }
  /// SHUTDOWN was asked for.
  virtual void shut_down() = 0;
};

/// Everything the whole server has, handed to every handler. Each object outlives the executor.
struct Services {
  Settings& settings;
  engine::Keyspace& keyspace;
  engine::WatchTable& watches;
  engine::WaitQueue& waits;
  engine::PubSub& pubsub;
  engine::Notifications& notifications;
  Catalog& catalog;
  Sessions& sessions;
  base::Clock& clock;
  base::Scheduler& scheduler;
  Host* host = nullptr;
  Executor* executor = nullptr;
  LaneQueues* lanes = nullptr;  ///< the executor's
  ScriptEngine* script_engine = nullptr;
  Scripts* scripts = nullptr;                 ///< the executor's
  Tracking* tracking = nullptr;               ///< the executor's
  Eviction* eviction = nullptr;               ///< the executor's
  ClientEviction* client_eviction = nullptr;  ///< the executor's
  SlowLog* slow_log = nullptr;                ///< the executor's
  Monitors* monitors = nullptr;               ///< the executor's
  LoadMeter* load = nullptr;                  ///< the executor's
  Users* users = nullptr;                     ///< the executor's
  Denials* denials = nullptr;                 ///< the executor's
  UserFile* user_file = nullptr;              ///< null: no file is named
  Options* options = nullptr;
  RemoteServers* remote_servers = nullptr;  ///< null: nobody can be reached
  base::Log* log = nullptr;
  ServerFacts facts = {};
  ServerStats stats = {};
  base::Random random = base::Random{};
};

}  // namespace fairlane::command
