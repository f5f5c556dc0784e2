// client_sockets_sending.cpp - replies on their way to the sockets.
#include <sys/socket.h>

#include <cerrno>
#include <utility>

#include "fairlane/command/services.hpp"
#include "net/client_sockets.hpp"

namespace fairlane::net {
namespace {

constexpr std::size_t kKeptOutput =
    std::size_t{256} * 1024;  ///< a larger output buffer is given back after it was sent

}  // namespace

ClientSockets::Sent ClientSockets::send(Connection& connection) {
  command::Session& session = *connection.session;
  while (session.unsent() != 0) {
    const ssize_t sent =
        ::send(connection.descriptor, session.out.data() + session.sent, session.unsent(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && errno != EAGAIN) return Sent::failed;
    if (sent < 0) {
      // What was sent is dropped seldom enough that long output is not moved for every piece.
      if (session.sent > session.out.size() / 2) {
        session.out.drop_front(session.sent);
        session.sent = 0;
      }
      return Sent::some;
    }
    session.sent += static_cast<std::size_t>(sent);
    services_.stats.bytes_out += static_cast<std::uint64_t>(sent);
    ++services_.stats.writes;
  }
  session.sent = 0;
  session.out.clear();
  return Sent::all;
}

/// In the middle of a batch: keeps the output of a client that reads from growing, and ends one that does not.
void ClientSockets::send_ahead(Connection& connection) {
  command::Session& session = *connection.session;
  if (!output_limits_.exceeded(session)) {
    if (session.awaits_writable) return;
    const Sent sent = send(connection);
    if (sent == Sent::all) return;
    if (sent == Sent::some) return watch(connection, true);
  }
  session.close_now = true;
  session.out.release();
  session.sent = 0;
}

void ClientSockets::flush(Connection& connection) {
  command::Session& session = *connection.session;
  session.output_announced = false;
  if (session.close_now || output_limits_.exceeded(session)) return close(connection);
  switch (send(connection)) {
    case Sent::failed:
      return close(connection);
    case Sent::some:
      if (output_limits_.exceeded_for_long(session, services_.clock.steady())) return close(connection);
      executor_.weigh(session);
      return watch(connection, true);
    case Sent::all:
      break;
  }
  session.over_soft_limit = false;
  give_back_output(session);
  executor_.weigh(session);
  if (session.close_after_reply || connection.half_closed) return close_when_heard(connection);
  if (session.awaits_writable) watch(connection, false);
}

void ClientSockets::give_back_output(command::Session& session) {
  if (session.out.capacity() > kKeptOutput) session.out.release();
  if (session.out.capacity() > spare_output_.capacity()) std::swap(session.out, spare_output_);
  session.out.release();
}

/// Asks for the events that matter now.
void ClientSockets::watch(Connection& connection, bool writable) {
  command::Session& session = *connection.session;
  if (session.awaits_writable != writable) writable ? ++slow_clients_ : --slow_clients_;
  session.awaits_writable = writable;
  const bool reads = !connection.half_closed && !session.close_after_reply && session.unsent() <= kMostUnsent;
  const unsigned wanted = (reads ? EPOLLIN : 0U) | (writable ? EPOLLOUT : 0U);
  if (connection.watched == wanted) return;
  connection.watched = wanted;
  epoll_event event{};
  event.events = wanted;
  event.data.ptr = &connection;
  ::epoll_ctl(epoll_.native_handle(), EPOLL_CTL_MOD, connection.descriptor, &event);
}

}  // namespace fairlane::net
