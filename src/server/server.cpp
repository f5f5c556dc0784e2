#include "server/server.hpp"

#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <optional>

#include "fairlane/base/hash.hpp"
#include "fairlane/command/executor.hpp"
#include "fairlane/command/services.hpp"
#include "fairlane/command/sessions.hpp"
#include "fairlane/command/version.hpp"
#include "fairlane/engine/keyspace.hpp"
#include "fairlane/engine/notifications.hpp"
#include "fairlane/engine/pubsub.hpp"
#include "fairlane/engine/wait_queue.hpp"
#include "fairlane/engine/watch.hpp"
#include "fairlane/net/reactor.hpp"
#include "fairlane/net/remote_servers.hpp"
#include "fairlane/net/scheduler.hpp"
#include "fairlane/scripting/lua_engine.hpp"
#include "server/companion.hpp"
#include "server/config_file.hpp"
#include "server/lifetime.hpp"
#include "server/live_options.hpp"
#include "server/process.hpp"
#include "server/readiness.hpp"
#include "server/signals.hpp"
#include "server/supervisor.hpp"
#include "server/user_file.hpp"

namespace fairlane::server {

namespace asio = boost::asio;

namespace {

/// Removed when the server ends in an orderly way.
class PidFile {
 public:
  PidFile(const command::Settings& settings, base::Log& log)
      : path_(settings.pid_file.empty() && settings.daemonize ? "/var/run/redis.pid" : settings.pid_file) {
    if (!path_.empty() && !write_pid_file(path_)) log.warning("Failed to write PID file " + path_);
  }
  ~PidFile() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  PidFile(const PidFile&) = delete;
  PidFile& operator=(const PidFile&) = delete;

 private:
  std::string path_;
};

std::optional<UserFileOnDisk> user_file(const command::Settings& settings, base::Log& log) {
  if (settings.acl_file.empty()) return std::nullopt;
  return std::make_optional<UserFileOnDisk>(settings.acl_file, log);
}

/// Everything that runs, in the order of the layers, so that destruction runs backwards.
class Server {
 public:
  Server(StartOptions& start, base::Log& log)
      : start_(start),
        log_(log),
        user_file_(user_file(start.settings, log)),
        context_(BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO),
        keyspace_(static_cast<std::size_t>(start.settings.databases)),
        watches_(keyspace_.shared().changes),
        waits_(keyspace_.shared().changes),
        notifications_(keyspace_.shared().changes, pubsub_),
        scheduler_(context_, clock_, [this] { reactor_.drain(); }),
        services_{.settings = start.settings,
                  .keyspace = keyspace_,
                  .watches = watches_,
                  .waits = waits_,
                  .pubsub = pubsub_,
                  .notifications = notifications_,
                  .catalog = start.catalog,
                  .sessions = sessions_,
                  .clock = clock_,
                  .scheduler = scheduler_,
                  .options = &start.options,
                  .log = &log,
                  .facts = {random_id(), start.executable, start.config_file, clock_.wall()},
                  .random = base::Random(random_seed())},
        scripts_(start.settings),
        executor_(services_),
        reactor_(context_, services_),
        lifetime_(context_, start.settings, [this](const char* reason) { stop(reason); }),
        signals_(context_, [this](int signal) { on_signal(signal); }) {
    services_.host = &reactor_;
    services_.script_engine = &scripts_;
    services_.remote_servers = &remote_servers_;
    if (user_file_) services_.user_file = &*user_file_;
    reactor_.on_shut_down([this] { stop("SHUTDOWN received"); });
  }

  int run() {
    follow_options(services_, reactor_, log_);
    if (const std::string error = load_users(); !error.empty()) {
      log_.warning(error);
      return 1;
    }
    if (const std::string error = reactor_.listen(listen_options()); !error.empty()) {
      log_.warning("Warning: " + error);
      log_.warning("Failed listening on port " + std::to_string(start_.settings.port) + " (TCP), aborting.");
      return 1;
    }
    start_.options.overrule("port", reactor_.port());
    const PidFile pid_file(start_.settings, log_);
    announce();
    if (!start_.companion.empty()) start_companion();
    leave_start_up_code();
    context_.run();
    companion_.reset();
    reactor_.stop();
    log_.warning("Fairlane is now ready to exit, bye bye...");
    return status_;
  }

 private:
  /// Returns what is wrong with the users that the configuration or a file of their own declares, or nothing.
  std::string load_users() {
    if (user_file_ && !start_.users.empty()) {
      return "Users are declared in the configuration file, and the option aclfile names another file for them: only "
             "one of the two may be so";
    }
    for (const auto& words : start_.users) {
      if (std::string error = services_.users->declare(words); !error.empty()) return error;
    }
    if (!user_file_) return {};
    const std::string error = services_.users->load();
    return error.empty() ? error : "Aborting startup because of ACL errors: " + error;
  }

  void announce() {
    log_.notice("Running mode=standalone, port=" + std::to_string(reactor_.port()) + ".");
    if (reactor_.port() != 0) log_.notice("Ready to accept connections tcp");
    if (!start_.settings.unix_socket.empty()) {
      log_.notice("The server is now ready to accept connections at " + start_.settings.unix_socket);
    }
    if (const std::string wrong = announce_readiness(start_.settings, reactor_.port()); !wrong.empty()) {
      log_.warning(wrong);
    }
    notify("STATUS=Ready to accept connections\nREADY=1\n");
  }

  void start_companion() {
    companion_.emplace(context_, start_.companion, url_of(start_.settings, reactor_.port()), [this](int status) {
      status_ = status;
      stop("The command has ended");
    });
  }

  /// While a command runs beside the server, it is the command that a signal is meant for.
  void on_signal(int signal) {
    if (companion_) return companion_->pass_on(signal);
    stop(signal == SIGINT ? "SIGINT received" : "SIGTERM received");
  }

  void stop(const std::string& reason) {
    log_.warning(reason + ", shutting down");
    notify("STOPPING=1\n");
    context_.stop();
  }

  void notify(std::string_view state) const {
    if (start_.settings.notify_supervisor) notify_supervisor(state);
  }

  net::ListenOptions listen_options() const {
    const command::Settings& settings = start_.settings;
    return {.addresses = settings.bind,
            .port = static_cast<std::uint16_t>(settings.port),
            .any_port = settings.port == 0 && settings.unix_socket.empty(),
            .unix_socket = settings.unix_socket,
            .unix_permissions = static_cast<unsigned>(settings.unix_permissions),
            .backlog = static_cast<int>(settings.tcp_backlog)};
  }

  StartOptions& start_;
  base::Log& log_;
  std::optional<UserFileOnDisk> user_file_;
  asio::io_context context_;
  net::SystemClock clock_;
  engine::Keyspace keyspace_;
  engine::WatchTable watches_;
  engine::WaitQueue waits_;
  engine::PubSub pubsub_;
  engine::Notifications notifications_;
  command::Sessions sessions_;
  net::AsioScheduler scheduler_;
  net::TcpServers remote_servers_;
  command::Services services_;
  scripting::LuaEngine scripts_;
  command::Executor executor_;
  net::Reactor reactor_;
  std::optional<Companion> companion_;
  int status_ = 0;
  Lifetime lifetime_;
  StopSignals signals_;
};

void greet(const StartOptions& start, base::Log& log) {
  log.notice("Fairlane " + std::string(command::kFairlaneVersion) + " is starting, pid=" + std::to_string(::getpid()) +
             ", protocol and commands of Redis " + std::string(command::kRedisVersion));
  if (start.read_anything) {
    log.notice("Configuration loaded");
  } else {
    log.warning("Warning: no config file specified, using the default config. In order to specify a config file use " +
                start.executable + " /path/to/fairlane.conf");
  }
  const command::Option* append_only = command::Options::find("appendonly");
  if (start.options.value(*append_only).number != 0) {
    log.warning("Data is kept in memory only: appendonly has no effect");
  }
}

}  // namespace

int run(StartOptions& start, base::Log& log) {
  // A supervisor waits for the process that it started.
  const bool supervised = start.settings.notify_supervisor && has_supervisor();
  if (start.settings.daemonize && !supervised) daemonize();
  base::hash_seed = random_seed();
  log.set_file(start.settings.log_file);
  log.set_level(static_cast<base::Log::Level>(start.settings.log_level));
  greet(start, log);
  Server server(start, log);
  return server.run();
}

}  // namespace fairlane::server
