#include "fairlane/net/reactor.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <cerrno>
#include <list>

#include "fairlane/command/sessions.hpp"
#include "fairlane/command/settings.hpp"
#include "fairlane/command/users.hpp"
#include "net/client_sockets.hpp"
#include "net/socket.hpp"

namespace fairlane::net {

namespace asio = boost::asio;

namespace {

constexpr int kAcceptsAtOnce = 1000;
/// Nobody has said that other machines may use the server.
constexpr std::string_view kDenied =
    "-DENIED Fairlane is running in protected mode: no password is set, so only clients of this machine are served. To "
    "let others in, set a password (requirepass), or turn the option protected-mode off if the network is to be "
    "trusted.\r\n";
constexpr std::string_view kFull = "-ERR max number of clients reached\r\n";

bool same_machine(std::string_view address) noexcept {
  return address.starts_with("127.") || address.starts_with("[::1]") || address.starts_with("[::ffff:127.");
}

constexpr auto kAcceptPause = base::Millis(100);  ///< when there are no descriptors left

}  // namespace

struct Reactor::State {
  State(asio::io_context& the_context, command::Services& the_services)
      : context(the_context), services(the_services), clients(the_context, the_services) {}

  template <class Acceptor>
  void accept(Acceptor& acceptor, bool unix_socket);
  template <class Acceptor>
  bool take_new_clients(Acceptor& acceptor, bool unix_socket);
  template <class Acceptor>
  void accept_later(Acceptor& acceptor, bool unix_socket);
  void welcome(int descriptor, bool unix_socket);
  void turn_away(int descriptor, std::string_view text);
  std::string open_tcp();

  asio::io_context& context;
  command::Services& services;
  ClientSockets clients;
  std::list<asio::ip::tcp::acceptor> tcp_acceptors;
  std::unique_ptr<asio::local::stream_protocol::acceptor> unix_acceptor;
  ListenOptions options;
  std::uint16_t port = 0;
  std::function<void()> shut_down_action;
  std::function<std::string()> listen_again_action;
  unsigned listened = 0;  ///< times that the TCP sockets were opened
  bool shutting_down = false;
  bool stopped = false;
};

Reactor::Reactor(asio::io_context& context, command::Services& services)
    : state_(std::make_unique<State>(context, services)) {
  state_->clients.start();
}

Reactor::~Reactor() { stop(); }

// --- listening

std::string Reactor::listen(const ListenOptions& options) {
  State& state = *state_;
  state.options = options;
  if (std::string error = state.open_tcp(); !error.empty()) return error;
  if (!options.unix_socket.empty()) {
    std::string error;
    const int descriptor = listen_unix(options.unix_socket, options.unix_permissions, options.backlog, error);
    if (descriptor < 0) return error;
    state.unix_acceptor = std::make_unique<asio::local::stream_protocol::acceptor>(
        state.context, asio::local::stream_protocol(), descriptor);
    state.unix_acceptor->non_blocking(true);
    state.accept(*state.unix_acceptor, true);
  }
  return {};
}

/// All addresses get the same port, also when the first of them chose a free one.
std::string Reactor::State::open_tcp() {
  ++listened;
  port = options.port;
  if (port == 0 && !options.any_port) return {};
  for (const std::string& address : options.addresses) {
    std::string error;
    const int descriptor = listen_tcp(address, port, options.backlog, error);
    if (descriptor < 0) {
      if (error.empty()) continue;
      return error;
    }
    auto& acceptor = tcp_acceptors.emplace_back(context);
    acceptor.assign(is_ipv6(descriptor) ? asio::ip::tcp::v6() : asio::ip::tcp::v4(), descriptor);
    acceptor.non_blocking(true);
    if (port == 0) port = acceptor.local_endpoint().port();
    accept(acceptor, false);
  }
  if (tcp_acceptors.empty()) return "Failed listening on port " + std::to_string(port) + " (TCP)";
  return {};
}

std::string Reactor::listen_again(const std::vector<std::string>& addresses, std::uint16_t port) {
  State& state = *state_;
  const ListenOptions former = state.options;
  const auto reopen = [&] {
    state.tcp_acceptors.clear();
    return state.open_tcp();
  };
  state.options.addresses = addresses;
  state.options.port = port;
  state.options.any_port = false;
  std::string error = reopen();
  if (!error.empty()) {
    state.options = former;
    reopen();
  }
  return error;
}

std::uint16_t Reactor::port() const noexcept { return state_->port; }
void Reactor::on_shut_down(std::function<void()> action) { state_->shut_down_action = std::move(action); }

template <class Acceptor>
void Reactor::State::accept(Acceptor& acceptor, bool unix_socket) {
  acceptor.async_wait(
      asio::socket_base::wait_read, [this, &acceptor, unix_socket](const boost::system::error_code& error) {
        if (error || stopped) return;
        take_new_clients(acceptor, unix_socket) ? accept(acceptor, unix_socket) : accept_later(acceptor, unix_socket);
      });
}

/// Those who have come so far. False when the system has no means for one more.
template <class Acceptor>
bool Reactor::State::take_new_clients(Acceptor& acceptor, bool unix_socket) {
  for (int i = 0; i < kAcceptsAtOnce; ++i) {
    const int descriptor = ::accept4(acceptor.native_handle(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (descriptor >= 0) {
      welcome(descriptor, unix_socket);
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
      return false;
    } else if (errno != ECONNABORTED && errno != EINTR) {
      break;
    }
  }
  return true;
}

/// The system is short of descriptors or memory: the waiting client would be reported over and over.
template <class Acceptor>
void Reactor::State::accept_later(Acceptor& acceptor, bool unix_socket) {
  services.scheduler.at(services.clock.steady() + kAcceptPause, [this, &acceptor, unix_socket, opened = listened] {
    if (!stopped && (unix_socket || opened == listened)) accept(acceptor, unix_socket);
  });
}

void Reactor::State::turn_away(int descriptor, std::string_view text) {
  // The socket is fresh: its send buffer takes this whole, and nobody is told when it does not.
  [[maybe_unused]] const auto sent = ::send(descriptor, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  ::close(descriptor);
  ++services.stats.connections_rejected;
}

void Reactor::State::welcome(int descriptor, bool unix_socket) {
  const command::Settings& settings = services.settings;
  if (static_cast<std::int64_t>(services.sessions.size()) >= settings.maxclients) return turn_away(descriptor, kFull);
  command::Peer peer = peer_of(descriptor, unix_socket, options.unix_socket);
  if (settings.protected_mode && services.users->open() && !unix_socket && !same_machine(peer.address)) {
    return turn_away(descriptor, kDenied);
  }
  if (!unix_socket) prepare_tcp(descriptor, static_cast<int>(settings.tcp_keepalive_seconds));
  clients.add(descriptor, std::move(peer));
}

void Reactor::drain() { state_->clients.drain(); }
void Reactor::output_ready(command::Session& session) {
  if (session.connection != nullptr) state_->clients.look_after(session);
}
void Reactor::resume(command::Session& session) { output_ready(session); }
void Reactor::close(command::Session& session) { output_ready(session); }
void Reactor::drop(command::Session& session) { state_->clients.close(session); }
void Reactor::on_listen_again(std::function<std::string()> action) { state_->listen_again_action = std::move(action); }
std::string Reactor::listen_again() {
  return state_->listen_again_action ? state_->listen_again_action() : std::string();
}
bool Reactor::serve_while_busy(command::Session& running) {
  State& state = *state_;
  for (auto& acceptor : state.tcp_acceptors) state.take_new_clients(acceptor, false);
  if (state.unix_acceptor) state.take_new_clients(*state.unix_acceptor, true);
  return state.clients.serve_others(running) && !state.shutting_down;
}

void Reactor::shut_down() {
  state_->shutting_down = true;
  state_->clients.run_no_more();
  if (state_->shut_down_action) state_->shut_down_action();
}

void Reactor::stop() {
  State& state = *state_;
  if (state.stopped) return;
  state.stopped = true;
  state.tcp_acceptors.clear();
  if (state.unix_acceptor) {
    state.unix_acceptor.reset();
    ::unlink(state.options.unix_socket.c_str());
  }
  state.clients.close_all();
}

}  // namespace fairlane::net
