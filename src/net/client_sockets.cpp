#include "net/client_sockets.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <utility>

#include "fairlane/command/sessions.hpp"
#include "fairlane/command/settings.hpp"
#include "fairlane/engine/keyspace.hpp"

namespace fairlane::net {

namespace asio = boost::asio;

namespace {

constexpr std::size_t kDiscarded =
    std::size_t{1024} * 1024;  ///< read and thrown away at most, before a socket is closed
constexpr int kRounds = 64;    ///< over ready sockets before timers get their turn
constexpr auto kRoundTime = std::chrono::milliseconds(1);
constexpr auto kSweepEvery = base::Millis(1000);

}  // namespace

ClientSockets::ClientSockets(asio::io_context& context, command::Services& services)
    : services_(services),
      executor_(*services.executor),
      output_limits_(services.settings),
      epoll_(context, ::epoll_create1(EPOLL_CLOEXEC)) {}

bool ClientSockets::stands_still(const command::Session& session) const noexcept {
  return ending_ || session.waiting || session.paused || session.close_after_reply || session.close_now ||
         session.unsent() > kMostUnsent;
}

void ClientSockets::start() {
  wait_for_sockets();
  sweep();
}

void ClientSockets::add(int descriptor, command::Peer peer) {
  // Its events and the graveyard know it by address; close() ends it.
  auto* connection = new Connection;
  connection->descriptor = descriptor;
  connection->session = &executor_.connect(std::move(peer));
  connection->session->connection = connection;
  connection->watched = EPOLLIN;
  epoll_event event{};
  event.events = connection->watched;
  event.data.ptr = connection;
  ::epoll_ctl(epoll_.native_handle(), EPOLL_CTL_ADD, descriptor, &event);
}

void ClientSockets::look_after(command::Session& session) {
  Connection& connection = connection_of(session);
  if (connection.listed) return;
  connection.listed = true;
  listed_.push_back(&connection);
}

// --- the round of ready sockets

void ClientSockets::wait_for_sockets() {
  epoll_.async_wait(asio::posix::stream_descriptor::wait_read, [this](const boost::system::error_code& error) {
    if (error || stopped_) return;
    run_ready_sockets();
    if (!stopped_) wait_for_sockets();
  });
}

void ClientSockets::run_ready_sockets() {
  const auto begin = std::chrono::steady_clock::now();
  for (int round = 0; round < kRounds && !stopped_; ++round) {
    const int count =
        ::epoll_wait(epoll_.native_handle(), work_->events.data(), static_cast<int>(work_->events.size()), 0);
    if (count <= 0) break;
    for (int i = 0; i < count && !stopped_;) {
      const int begun = i;
      i = gather(begun, count);
      run_gathered(*work_);
      if (i != begun || stopped_) continue;
      const epoll_event& event = work_->events[static_cast<std::size_t>(i++)];
      handle(*static_cast<Connection*>(event.data.ptr), event.events);
    }
    drain();
    if (std::chrono::steady_clock::now() - begin > kRoundTime) break;
  }
}

void ClientSockets::handle(Connection& connection, std::uint32_t ready) {
  if (connection.closed) return;
  if ((ready & EPOLLOUT) != 0) {
    connection.session->last_interaction = services_.clock.wall();
    flush(connection);
    if (connection.closed) return;
    // Requests wait here when so many replies did that no more were made.
    if (!connection.unread.empty() && !stands_still(*connection.session)) process_unread(connection);
    if (connection.closed) return;
  }
  if ((connection.watched & EPOLLIN) != 0) {
    if ((ready & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) receive(connection);
  } else if ((ready & (EPOLLHUP | EPOLLERR)) != 0) {
    close(connection);
  }
}

void ClientSockets::look_after_now(Connection& connection) {
  connection.listed = false;
  if (connection.closed) return;
  if (!connection.unread.empty() && !stands_still(*connection.session)) {
    process_unread(connection);
  } else {
    flush(connection);
  }
}

void ClientSockets::drain() {
  draining_ = true;
  // Requests that are resumed here may list further connections.
  for (std::size_t i = 0; i < listed_.size(); ++i) look_after_now(*listed_[i]);
  draining_ = false;
  listed_.clear();
  graveyard_.clear();
}

/// The round that the script is part of goes on with its own connections afterwards, so none is forgotten here.
bool ClientSockets::serve_others(command::Session& running) {
  if (second_workspace_ == nullptr) second_workspace_ = std::make_unique<Workspace>();
  Connection& busy = connection_of(running);
  Workspace* outer = std::exchange(work_, second_workspace_.get());
  run_gathered(*outer);
  const int count =
      ::epoll_wait(epoll_.native_handle(), work_->events.data(), static_cast<int>(work_->events.size()), 0);
  for (int i = 0; i < count && !stopped_; ++i) {
    const epoll_event& event = work_->events[static_cast<std::size_t>(i)];
    auto& connection = *static_cast<Connection*>(event.data.ptr);
    if (&connection != &busy) handle(connection, event.events);
  }
  for (std::size_t i = 0; i < listed_.size(); ++i) {
    if (listed_[i]->listed && listed_[i] != &busy) look_after_now(*listed_[i]);
  }
  if (!draining_) {
    listed_.clear();
    if (busy.listed) listed_.push_back(&busy);
  }
  work_ = outer;
  return !stopped_;
}

// --- closing

/// A socket that is closed while input of its waits in the kernel resets the connection, and the client may lose what
/// it was told last.
void ClientSockets::close_when_heard(Connection& connection) {
  ::shutdown(connection.descriptor, SHUT_WR);
  for (std::size_t total = 0; total < kDiscarded;) {
    const ssize_t got = ::recv(connection.descriptor, work_->read_buffer.get(), kReadSize, MSG_DONTWAIT);
    if (got <= 0) break;
    total += static_cast<std::size_t>(got);
  }
  close(connection);
}

void ClientSockets::close(Connection& connection) {
  if (connection.closed) return;
  connection.closed = true;
  if (connection.session->awaits_writable) --slow_clients_;
  executor_.disconnect(*connection.session);
  connection.session = nullptr;
  ::close(connection.descriptor);
  graveyard_.emplace_back(&connection);
}

/// Closes clients that have been idle, or slow, for too long.
void ClientSockets::sweep() {
  services_.scheduler.at(services_.clock.steady() + kSweepEvery, [this] { sweep(); });
  const auto idle_limit = std::chrono::seconds(services_.settings.timeout_seconds);
  if (idle_limit.count() == 0 && slow_clients_ == 0) return;
  const base::Wall now = services_.clock.wall();
  const base::Steady steady = services_.clock.steady();
  services_.sessions.for_each([&](command::Session& session) {
    const bool patient = session.waiting || session.paused || session.subscriptions() != 0 || session.monitor;
    const bool idle = idle_limit.count() != 0 && !patient && now - session.last_interaction > idle_limit;
    if (!idle && !(session.awaits_writable && output_limits_.exceeded_for_long(session, steady))) return;
    session.close_now = true;
    look_after(session);
  });
}

void ClientSockets::close_all() {
  stopped_ = true;
  std::vector<Connection*> open;
  services_.sessions.for_each([&](command::Session& session) {
    if (session.connection != nullptr) open.push_back(&connection_of(session));
  });
  for (Connection* connection : open) {
    if (!connection->session->close_now) send(*connection);
    close(*connection);
  }
  listed_.clear();
  graveyard_.clear();
}

}  // namespace fairlane::net
