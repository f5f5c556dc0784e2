#include "fairlane/net/reactor.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <cerrno>
#include <chrono>
#include <list>

#include "fairlane/command/executor.hpp"
#include "fairlane/command/sessions.hpp"
#include "fairlane/command/settings.hpp"
#include "fairlane/engine/keyspace.hpp"
#include "fairlane/protocol/reply.hpp"
#include "net/connection.hpp"
#include "net/socket.hpp"

namespace fairlane::net {

namespace asio = boost::asio;

namespace {

constexpr std::size_t kReadSize = 64 * 1024;
constexpr std::size_t kKeptOutput = 256 * 1024;  ///< a larger output buffer is given back after it was sent
constexpr int kRounds = 64;                      ///< rounds over ready sockets before timers get their turn
constexpr auto kRoundTime = std::chrono::milliseconds(1);

}  // namespace

struct Reactor::State {
  State(asio::io_context& the_context, command::Services& the_services)
      : context(the_context),
        services(the_services),
        executor(*the_services.executor),
        epoll(the_context, ::epoll_create1(EPOLL_CLOEXEC)),
        read_buffer(new char[kReadSize]) {}

  // --- listening
  void accept_tcp(asio::ip::tcp::acceptor& acceptor);
  void accept_unix();
  void add_connection(int descriptor, bool unix_socket);

  // --- the round of ready sockets
  void wait_for_sockets();
  void run_ready_sockets();
  void handle(Connection& connection, std::uint32_t events);
  void read(Connection& connection);
  std::size_t execute(Connection& connection, std::string_view input);
  void process(Connection& connection, std::string_view input, bool from_unread);
  void flush(Connection& connection);
  void watch_writable(Connection& connection, bool wanted);
  void close_now(Connection& connection);
  void list(Connection& connection) {
    if (connection.listed) return;
    connection.listed = true;
    listed.push_back(&connection);
  }
  void drain();
  Connection& connection_of(command::Session& session) { return *static_cast<Connection*>(session.connection); }
  void start_idle_sweep();
  void close_idle();

  asio::io_context& context;
  command::Services& services;
  command::Executor& executor;
  asio::posix::stream_descriptor epoll;
  std::unique_ptr<char[]> read_buffer;
  base::Buffer spare_output;  ///< lent to the session whose batch runs, so that idle sessions hold no buffer
  protocol::Arguments arguments;
  std::array<epoll_event, 256> events{};
  std::list<asio::ip::tcp::acceptor> tcp_acceptors;
  std::unique_ptr<asio::local::stream_protocol::acceptor> unix_acceptor;
  ListenOptions options;
  std::uint16_t port = 0;
  std::vector<Connection*> listed;                     ///< to be flushed, resumed or closed after the round
  std::vector<std::unique_ptr<Connection>> graveyard;  ///< closed in this round, when events of theirs may follow
  std::function<void()> shut_down_action;
  bool stopped = false;
};

Reactor::Reactor(asio::io_context& context, command::Services& services)
    : state_(std::make_unique<State>(context, services)) {
  state_->wait_for_sockets();
}

Reactor::~Reactor() { stop(); }

// --- listening

std::string Reactor::listen(const ListenOptions& options) {
  State& state = *state_;
  state.options = options;
  state.port = options.port;
  for (const std::string& address : options.port != 0 ? options.addresses : std::vector<std::string>{}) {
    std::string error;
    const int descriptor = listen_tcp(address, options.port, options.backlog, error);
    if (descriptor < 0) {
      if (error.empty()) continue;
      return error;
    }
    auto& acceptor = state.tcp_acceptors.emplace_back(state.context);
    acceptor.assign(is_ipv6(descriptor) ? asio::ip::tcp::v6() : asio::ip::tcp::v4(), descriptor);
    acceptor.non_blocking(true);
    state.accept_tcp(acceptor);
  }
  if (options.port != 0 && state.tcp_acceptors.empty())
    return "Failed listening on port " + std::to_string(options.port) + " (TCP)";
  if (!options.unix_socket.empty()) {
    std::string error;
    const int descriptor = listen_unix(options.unix_socket, options.unix_permissions, options.backlog, error);
    if (descriptor < 0) return error;
    state.unix_acceptor = std::make_unique<asio::local::stream_protocol::acceptor>(
        state.context, asio::local::stream_protocol(), descriptor);
    state.unix_acceptor->non_blocking(true);
    state.accept_unix();
  }
  state.start_idle_sweep();
  return {};
}

std::uint16_t Reactor::port() const noexcept { return state_->port; }
void Reactor::on_shut_down(std::function<void()> action) { state_->shut_down_action = std::move(action); }

void Reactor::State::accept_tcp(asio::ip::tcp::acceptor& acceptor) {
  acceptor.async_wait(asio::socket_base::wait_read, [this, &acceptor](const boost::system::error_code& error) {
    if (error || stopped) return;
    for (int i = 0; i < 1000; ++i) {
      const int descriptor = ::accept4(acceptor.native_handle(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (descriptor < 0) break;
      add_connection(descriptor, false);
    }
    accept_tcp(acceptor);
  });
}

void Reactor::State::accept_unix() {
  unix_acceptor->async_wait(asio::socket_base::wait_read, [this](const boost::system::error_code& error) {
    if (error || stopped) return;
    for (int i = 0; i < 1000; ++i) {
      const int descriptor = ::accept4(unix_acceptor->native_handle(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (descriptor < 0) break;
      add_connection(descriptor, true);
    }
    accept_unix();
  });
}

void Reactor::State::add_connection(int descriptor, bool unix_socket) {
  if (static_cast<std::int64_t>(services.sessions.size()) >= services.settings.maxclients) {
    constexpr std::string_view kFull = "-ERR max number of clients reached\r\n";
    // The socket is fresh: its send buffer takes this whole, and nobody is told when it does not.
    [[maybe_unused]] const auto sent = ::send(descriptor, kFull.data(), kFull.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    ::close(descriptor);
    ++services.stats.connections_rejected;
    return;
  }
  if (!unix_socket) prepare_tcp(descriptor, options.keepalive_seconds);
  auto* connection = new Connection;
  connection->descriptor = descriptor;
  connection->session = &executor.connect(peer_of(descriptor, unix_socket, options.unix_socket));
  connection->session->connection = connection;
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.ptr = connection;
  ::epoll_ctl(epoll.native_handle(), EPOLL_CTL_ADD, descriptor, &event);
}

// --- the round of ready sockets

void Reactor::State::wait_for_sockets() {
  epoll.async_wait(asio::posix::stream_descriptor::wait_read, [this](const boost::system::error_code& error) {
    if (error || stopped) return;
    run_ready_sockets();
    if (!stopped) wait_for_sockets();
  });
}

void Reactor::State::run_ready_sockets() {
  const auto begin = std::chrono::steady_clock::now();
  for (int round = 0; round < kRounds && !stopped; ++round) {
    const int count = ::epoll_wait(epoll.native_handle(), events.data(), static_cast<int>(events.size()), 0);
    if (count <= 0) break;
    for (int i = 0; i < count; ++i) {
      const epoll_event& event = events[static_cast<std::size_t>(i)];
      handle(*static_cast<Connection*>(event.data.ptr), event.events);
    }
    drain();
    if (std::chrono::steady_clock::now() - begin > kRoundTime) break;
  }
}

void Reactor::State::handle(Connection& connection, std::uint32_t ready) {
  if (connection.closed) return;
  if ((ready & EPOLLOUT) != 0) flush(connection);
  if (!connection.closed && (ready & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) read(connection);
}

void Reactor::State::read(Connection& connection) {
  base::Buffer& unread = connection.unread;
  char* to = read_buffer.get();
  std::size_t room = kReadSize;
  const bool appends = !unread.empty();
  if (appends) {
    room = std::max(connection.parser.missing(), std::size_t{16 * 1024});
    if (room > (1U << 20)) unread.reserve(room);
    room = std::min(room, std::size_t{1U << 20});
    to = unread.reserve(room);
  }
  const ssize_t got = ::recv(connection.descriptor, to, room, 0);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0) return close_now(connection);
  services.stats.bytes_in += static_cast<std::uint64_t>(got);
  const auto size = static_cast<std::size_t>(got);
  if (!appends) return process(connection, {to, size}, false);
  unread.grow_by(size);
  if (static_cast<std::int64_t>(unread.size()) > services.settings.query_buffer_limit) return close_now(connection);
  process(connection, unread.view(), true);
}

/// Runs the requests in `input` until one must wait; returns how many bytes are done with.
std::size_t Reactor::State::execute(Connection& connection, std::string_view input) {
  using Step = protocol::RequestParser::Step;
  command::Session& session = *connection.session;
  std::size_t done = 0;
  while (done < input.size()) {
    if (session.waiting || session.paused || session.close_after_reply || session.close_now) break;
    arguments.clear();
    const Step step =
        connection.parser.next(input.substr(done), services.settings.limits, session.authenticated, arguments);
    if (step == Step::incomplete) break;
    if (step == Step::broken) {
      protocol::Reply(session.out, session.version).error("ERR " + connection.parser.error());
      session.close_after_reply = true;
      return input.size();
    }
    if (executor.run(session, arguments) == command::Executor::Ran::held) break;
    done += connection.parser.consumed();
  }
  return done;
}

void Reactor::State::process(Connection& connection, std::string_view input, bool from_unread) {
  command::Session& session = *connection.session;
  if (session.out.capacity() == 0) std::swap(session.out, spare_output);
  executor.begin_batch();
  session.last_interaction = base::from_unix_millis(services.keyspace.shared().now);
  const std::size_t done = execute(connection, input);
  if (from_unread) {
    if (done == connection.unread.size()) {
      connection.unread.release();
    } else if (done != 0) {
      connection.unread.drop_front(done);
    }
  } else if (done != input.size()) {
    connection.unread.append(input.substr(done));
  }
  session.query_buffer = connection.unread.size();
  session.query_buffer_free = connection.unread.capacity() - connection.unread.size();
  executor.end_batch();
  flush(connection);
}

void Reactor::State::flush(Connection& connection) {
  command::Session& session = *connection.session;
  session.output_announced = false;
  if (session.close_now) return close_now(connection);
  while (connection.sent < session.out.size()) {
    const ssize_t sent = ::send(connection.descriptor, session.out.data() + connection.sent,
                                session.out.size() - connection.sent, MSG_NOSIGNAL);
    if (sent < 0) {
      if (errno == EINTR) continue;
      if (errno == EAGAIN) return watch_writable(connection, true);
      return close_now(connection);
    }
    connection.sent += static_cast<std::size_t>(sent);
    services.stats.bytes_out += static_cast<std::uint64_t>(sent);
  }
  connection.sent = 0;
  session.out.clear();
  if (session.out.capacity() > kKeptOutput) session.out.release();
  if (session.out.capacity() > spare_output.capacity()) std::swap(session.out, spare_output);
  session.out.release();
  if (connection.awaits_writable) watch_writable(connection, false);
  if (session.close_after_reply) close_now(connection);
}

void Reactor::State::watch_writable(Connection& connection, bool wanted) {
  if (connection.awaits_writable == wanted) return;
  connection.awaits_writable = wanted;
  epoll_event event{};
  event.events = wanted ? EPOLLIN | EPOLLOUT : EPOLLIN;
  event.data.ptr = &connection;
  ::epoll_ctl(epoll.native_handle(), EPOLL_CTL_MOD, connection.descriptor, &event);
}

void Reactor::State::close_now(Connection& connection) {
  if (connection.closed) return;
  connection.closed = true;
  executor.disconnect(*connection.session);
  connection.session = nullptr;
  ::close(connection.descriptor);
  graveyard.emplace_back(&connection);
}

void Reactor::State::drain() {
  // Resumed requests may list further connections.
  for (std::size_t i = 0; i < listed.size(); ++i) {
    Connection& connection = *listed[i];
    connection.listed = false;
    if (connection.closed) continue;
    command::Session& session = *connection.session;
    if (!connection.unread.empty() && !session.waiting && !session.paused && !session.close_now) {
      process(connection, connection.unread.view(), true);
    } else {
      flush(connection);
    }
  }
  listed.clear();
  graveyard.clear();
}

void Reactor::State::start_idle_sweep() {
  services.scheduler.at(services.clock.steady() + base::Millis(1000), [this] {
    close_idle();
    start_idle_sweep();
  });
}

void Reactor::State::close_idle() {
  const std::int64_t limit = services.settings.timeout_seconds;
  if (limit <= 0) return;
  const base::Wall now = services.clock.wall();
  services.sessions.for_each([&](command::Session& session) {
    if (session.waiting || session.subscriptions() != 0 || session.monitor) return;
    if (now - session.last_interaction <= std::chrono::seconds(limit)) return;
    session.close_now = true;
    list(connection_of(session));
  });
}

void Reactor::drain() { state_->drain(); }
void Reactor::output_ready(command::Session& session) {
  if (session.connection != nullptr) state_->list(state_->connection_of(session));
}
void Reactor::resume(command::Session& session) { output_ready(session); }
void Reactor::close(command::Session& session) { output_ready(session); }
void Reactor::drop(command::Session& session) { state_->close_now(state_->connection_of(session)); }
void Reactor::shut_down() {
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
  std::vector<Connection*> open;
  state.services.sessions.for_each([&](command::Session& session) {
    if (session.connection != nullptr) open.push_back(&state.connection_of(session));
  });
  for (Connection* connection : open) {
    state.flush(*connection);
    state.close_now(*connection);
  }
  state.graveyard.clear();
}

}  // namespace fairlane::net
