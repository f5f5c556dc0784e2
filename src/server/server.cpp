#include "server/server.hpp"

#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <cstdio>

#include "fairlane/base/hash.hpp"
#include "fairlane/command/catalog.hpp"
#include "fairlane/command/executor.hpp"
#include "fairlane/command/services.hpp"
#include "fairlane/command/sessions.hpp"
#include "fairlane/engine/keyspace.hpp"
#include "fairlane/engine/notifications.hpp"
#include "fairlane/engine/pubsub.hpp"
#include "fairlane/engine/wait_queue.hpp"
#include "fairlane/engine/watch.hpp"
#include "fairlane/net/scheduler.hpp"

namespace fairlane::server {

namespace asio = boost::asio;

namespace {

/// One socket a client and some for ourselves; lowers maxclients when the system does not allow as many.
void raise_file_limit(command::Settings& settings) {
  constexpr rlim_t kOwn = 32;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const rlim_t wanted = static_cast<rlim_t>(settings.maxclients) + kOwn;
  if (limit.rlim_cur >= wanted) return;
  limit.rlim_cur = wanted < limit.rlim_max ? wanted : limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur < wanted) settings.maxclients = static_cast<std::int64_t>(limit.rlim_cur - kOwn);
}

std::uint64_t random_seed() {
  std::uint64_t seed = 0;
  if (::getrandom(&seed, sizeof(seed), 0) != sizeof(seed)) seed = static_cast<std::uint64_t>(::getpid());
  return seed;
}

}  // namespace

int run(StartOptions& options) {
  base::hash_seed = random_seed();
  raise_file_limit(options.settings);
  std::signal(SIGPIPE, SIG_IGN);

  asio::io_context context(BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO);
  net::SystemClock clock;
  engine::Keyspace keyspace(static_cast<std::size_t>(options.settings.databases));
  engine::WatchTable watches(keyspace.shared().changes);
  engine::WaitQueue waits(keyspace.shared().changes);
  engine::PubSub pubsub;
  engine::Notifications notifications(keyspace.shared().changes, pubsub);
  if (const auto classes = engine::EventClasses::parse(options.settings.notify_keyspace_events)) {
    notifications.configure(*classes);
  }
  command::Catalog catalog;
  command::Sessions sessions;
  net::Reactor* reactor_to_drain = nullptr;
  net::AsioScheduler scheduler(context, clock, [&] { reactor_to_drain->drain(); });
  command::Services services{.settings = options.settings,
                             .keyspace = keyspace,
                             .watches = watches,
                             .waits = waits,
                             .pubsub = pubsub,
                             .notifications = notifications,
                             .catalog = catalog,
                             .sessions = sessions,
                             .clock = clock,
                             .scheduler = scheduler,
                             .random = base::Random(random_seed())};
  command::Executor executor(services);
  net::Reactor reactor(context, services);
  reactor_to_drain = &reactor;
  services.host = &reactor;

  asio::signal_set signals(context, SIGTERM, SIGINT);
  const auto stop = [&] {
    reactor.stop();
    context.stop();
  };
  signals.async_wait([&](const boost::system::error_code& error, int) {
    if (!error) stop();
  });
  reactor.on_shut_down(stop);

  if (const std::string error = reactor.listen(options.listen); !error.empty()) {
    std::fprintf(stdout, "%s\n", error.c_str());
    return 1;
  }
  std::fprintf(stdout, "* Ready to accept connections\n");
  std::fflush(stdout);
  context.run();
  return 0;
}

}  // namespace fairlane::server
