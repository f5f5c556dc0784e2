#include "server/live_options.hpp"

#include "fairlane/command/live_options.hpp"
#include "fairlane/command/options.hpp"
#include "fairlane/command/settings.hpp"
#include "fairlane/command/users.hpp"
#include "server/config_file.hpp"
#include "server/process.hpp"

namespace fairlane::server {
namespace {

void follow_clients(command::Services& services, base::Log& log) {
  command::Options& options = *services.options;
  const std::int64_t wanted = services.settings.maxclients;
  const std::int64_t possible = make_room_for_clients(wanted);
  if (possible < wanted) {
    log.warning("The system allows " + std::to_string(possible) + " clients instead of maxclients " +
                std::to_string(wanted));
    options.overrule("maxclients", possible);
  }
  options.on_change("maxclients", [&settings = services.settings]() -> std::string {
    const std::int64_t now_possible = make_room_for_clients(settings.maxclients);
    if (now_possible >= settings.maxclients) return {};
    return "The operating system is not able to handle the specified number of clients, try with " +
           std::to_string(now_possible);
  });
}

void follow_sockets(command::Services& services, net::Reactor& reactor, base::Log& log) {
  const auto reopen = [&services, &reactor, &log] {
    const command::Settings& settings = services.settings;
    std::string error = reactor.listen_again(settings.bind, static_cast<std::uint16_t>(settings.port));
    if (!error.empty()) log.warning("Warning: " + error);
    return error;
  };
  services.options->on_change("port", [reopen]() -> std::string {
    return reopen().empty() ? "" : "Unable to listen on this port. Check server logs.";
  });
  services.options->on_change(
      "bind", [reopen]() -> std::string { return reopen().empty() ? "" : "Failed to bind to specified addresses."; });
}

}  // namespace

void follow_options(command::Services& services, net::Reactor& reactor, base::Log& log) {
  command::follow_options(services);
  follow_clients(services, log);
  follow_sockets(services, reactor, log);
  services.options->on_change("loglevel", [&settings = services.settings, &log]() -> std::string {
    log.set_level(static_cast<base::Log::Level>(settings.log_level));
    return {};
  });
  if (!services.facts.config_file.empty()) {
    services.options->rewrite = [&services] {
      const bool in_own_file = services.user_file != nullptr;
      const auto users = in_own_file ? std::vector<std::string>() : services.users->lines();
      return rewrite_configuration(services.facts.config_file, *services.options, users);
    };
  }
}

}  // namespace fairlane::server
