// client_sockets_receiving.cpp - requests from the sockets to the executor.
#include <sys/socket.h>

#include <cerrno>
#include <span>
#include <utility>

#include "fairlane/command/settings.hpp"
#include "fairlane/engine/keyspace.hpp"
#include "fairlane/protocol/reply.hpp"
#include "net/client_sockets.hpp"

namespace fairlane::net {
namespace {

constexpr std::size_t kLeastRoom = std::size_t{16} * 1024;   ///< for a read behind an unfinished request
constexpr std::size_t kMostRead = std::size_t{1024} * 1024;  ///< at once, so that other clients get their turn
constexpr std::size_t kSendAhead =
    std::size_t{256} * 1024;  ///< replies are sent in the middle of a batch when so many wait
constexpr std::size_t kAnonymousInput = std::size_t{1024} * 1024;  ///< from a client that has yet to log in

}  // namespace

ClientSockets::Workspace::Workspace() : read_buffer(new char[kReadSize]) {}

/// Reads the sockets of events[event] and those after it, as long as they have nothing else going on, and asks for the
/// memory that their first requests need. Returns the first event that is still to be handled.
int ClientSockets::gather(int event, int count) {
  Workspace& work = *work_;
  work.gathered = work.executed = 0;
  const bool several = count - event > 1;
  std::size_t used = 0;
  for (; event < count && work.gathered < kGathered && used <= kReadSize / 2; ++event) {
    const epoll_event& ready = work.events[static_cast<std::size_t>(event)];
    Connection& connection = *static_cast<Connection*>(ready.data.ptr);
    if (ready.events != EPOLLIN || connection.closed || (connection.watched & EPOLLIN) == 0) break;
    if (!connection.unread.empty() || stands_still(*connection.session)) break;
    char* const to = work.read_buffer.get() + used;
    const std::size_t size = receive_into(connection, to, kReadSize - used);
    if (size == 0) continue;
    used += size;
    Received& received = work.received[work.gathered++];
    received.connection = &connection;
    received.input = {to, size};
    received.step = cut(connection, received.input, received.request);
    received.request.likely = {};
    if (several && received.step == protocol::RequestParser::Step::complete) {
      received.request.likely = executor_.look_ahead(*connection.session, received.request.words);
    }
  }
  return event;
}

/// Runs what was gathered. A script among it that takes long has the rest run meanwhile.
void ClientSockets::run_gathered(Workspace& work) {
  if (work.executed == 0 && work.gathered > 1) {
    const std::span<const Received> all(work.received.data(), work.gathered);
    for (const Received& one : all) executor_.look_closer(*one.connection->session, one.request.likely);
    for (const Received& one : all) executor_.look_inside(*one.connection->session, one.request.likely);
  }
  while (work.executed < work.gathered && !stopped_) {
    Received& received = work.received[work.executed++];
    if (!received.connection->closed) process_received(received);
  }
}

/// The number of bytes; 0 when there is nothing to execute, since nothing came or the connection is over.
std::size_t ClientSockets::receive_into(Connection& connection, char* to, std::size_t room) {
  const ssize_t got = ::recv(connection.descriptor, to, room, 0);
  if (got < 0) {
    if (errno != EAGAIN && errno != EINTR) close(connection);
    return 0;
  }
  if (got == 0) {
    end_of_input(connection);
    return 0;
  }
  const auto size = static_cast<std::size_t>(got);
  services_.stats.bytes_in += size;
  ++services_.stats.reads;
  if (!too_much_input(connection, size)) return size;
  close(connection);
  return 0;
}

void ClientSockets::receive(Connection& connection) {
  Unread& unread = connection.unread;
  if (unread.empty()) {
    Received& received = work_->received[0];
    received.connection = &connection;
    char* const to = work_->read_buffer.get();
    received.input = {to, receive_into(connection, to, kReadSize)};
    if (received.input.empty()) return;
    received.request.likely = {};
    received.step = cut(connection, received.input, received.request);
    return process_received(received);
  }
  // A large argument gets its place at once and is not moved while it arrives.
  const std::size_t room = std::max(connection.parser.missing(), kLeastRoom);
  const std::size_t size = receive_into(connection, unread.reserve(room), std::min(room, kMostRead));
  if (size == 0) return;
  unread.grow_by(size);
  process_unread(connection);
}

/// What was sent before the end has been executed, unless its turn has not come: that is not waited for.
void ClientSockets::end_of_input(Connection& connection) {
  if (stands_still(*connection.session) || connection.session->unsent() == 0) return close(connection);
  connection.half_closed = true;
  watch(connection, true);
}

/// Requests that wait in a transaction are input as well.
bool ClientSockets::too_much_input(const Connection& connection, std::size_t received) const noexcept {
  const command::Session& session = *connection.session;
  const std::size_t total = connection.unread.size() + received + session.transaction.memory;
  if (static_cast<std::int64_t>(total) > services_.settings.query_buffer_limit) return true;
  return total > kAnonymousInput && executor_.must_log_in(session);
}

void ClientSockets::process_received(Received& received) {
  Connection& connection = *received.connection;
  command::Session& session = *connection.session;
  if (session.out.capacity() == 0) std::swap(session.out, spare_output_);
  executor_.begin_batch();
  session.last_interaction = base::from_unix_millis(services_.keyspace.shared().now);
  const std::size_t done = execute(connection, received.input, received.request, received.step);
  if (done != received.input.size()) {
    connection.unread.append(received.input.substr(done));
    session.query_buffer = connection.unread.size();
    session.query_buffer_free = connection.unread.room();
  }
  executor_.end_batch();
  flush(connection);
}

void ClientSockets::process_unread(Connection& connection) {
  command::Session& session = *connection.session;
  if (session.out.capacity() == 0) std::swap(session.out, spare_output_);
  executor_.begin_batch();
  session.last_interaction = base::from_unix_millis(services_.keyspace.shared().now);
  if (!stands_still(session)) {
    const std::string_view input = connection.unread.view();
    Upcoming& request = work_->ahead[0];
    request.likely = {};
    const protocol::RequestParser::Step step = cut(connection, input, request);
    connection.unread.drop(execute(connection, input, request, step));
  }
  session.query_buffer = connection.unread.size();
  session.query_buffer_free = connection.unread.room();
  executor_.end_batch();
  flush(connection);
}

protocol::RequestParser::Step ClientSockets::cut(Connection& connection, std::string_view input, Upcoming& request) {
  const command::Session& session = *connection.session;
  const bool trusted = session.authenticated || !executor_.must_log_in(session);
  request.words.clear();
  const auto step = connection.parser.next(input, services_.settings.limits, trusted, request.words);
  request.size = connection.parser.consumed();
  return step;
}

/// Runs the requests in `input`, the first of which has been cut, until one must wait; returns how many bytes are done
/// with.
std::size_t ClientSockets::execute(Connection& connection, std::string_view input, Upcoming& request,
                                   protocol::RequestParser::Step step) {
  using Step = protocol::RequestParser::Step;
  command::Session& session = *connection.session;
  // Another client that was read with this one may have paused it.
  if (stands_still(session)) {
    connection.parser.restart();
    return 0;
  }
  if (step == Step::incomplete) return 0;
  if (step == Step::broken) {
    refuse(connection);
    return input.size();
  }
  // Most reads bring one request.
  if (request.size != input.size()) {
    if (&request != &work_->ahead[0]) std::swap(request, work_->ahead[0]);
    return execute_batch(connection, input);
  }
  if (executor_.run(session, request.words, &request.likely) == command::Executor::Ran::held) return 0;
  if (session.unsent() > kSendAhead) [[unlikely]]
    send_ahead(connection);
  return input.size();
}

/// The same for several. Apart, so that a single request comes by little code.
[[gnu::noinline]] std::size_t ClientSockets::execute_batch(Connection& connection, std::string_view input) {
  using Step = protocol::RequestParser::Step;
  command::Session& session = *connection.session;
  auto& ahead = work_->ahead;
  std::size_t done = 0;
  std::size_t cut_off = ahead[0].size;
  unsigned first = 0;
  unsigned count = 1;
  unsigned closer = 0;  // how many from the first on have been looked at so far
  unsigned inside = 0;
  Step step = Step::complete;
  ahead[0].likely = executor_.look_ahead(session, ahead[0].words);
  bool inline_line = connection.parser.was_inline();  // its words are good until the next one is cut
  while (!stands_still(session)) {
    while (count < kAhead && cut_off < input.size() && step == Step::complete && !inline_line) {
      Upcoming& next = ahead[(first + count) % kAhead];
      step = cut(connection, input.substr(cut_off), next);
      if (step != Step::complete) break;
      cut_off += next.size;
      inline_line = connection.parser.was_inline();
      if (++count == 1) {
        next.likely = {};
        continue;
      }
      next.likely = executor_.look_ahead(session, next.words);
    }
    if (count == 0) {
      if (step != Step::broken) break;
      // The requests since may have changed what this client is allowed to send.
      connection.parser.restart();
      if (cut(connection, input.substr(done), ahead[first]) == Step::broken) {
        refuse(connection);
        return input.size();
      }
      connection.parser.restart();
      step = Step::complete;
      continue;
    }
    for (; closer < count && closer <= kEntryAhead; ++closer) {
      executor_.look_closer(session, ahead[(first + closer) % kAhead].likely);
    }
    for (; inside < closer && inside <= kValueAhead; ++inside) {
      executor_.look_inside(session, ahead[(first + inside) % kAhead].likely);
    }
    const Upcoming& request = ahead[first];
    if (executor_.run(session, request.words, &request.likely) == command::Executor::Ran::held) break;
    done += request.size;
    first = (first + 1) % kAhead;
    if (--count == 0) inline_line = false;
    if (closer != 0) --closer;
    if (inside != 0) --inside;
    if (session.unsent() > kSendAhead) [[unlikely]]
      send_ahead(connection);
  }
  if (cut_off != done) connection.parser.restart();
  return done;
}

/// What came is no request: says so behind the replies to the requests before it, and closes.
void ClientSockets::refuse(Connection& connection) {
  command::Session& session = *connection.session;
  if (!session.mute()) {
    protocol::Reply(session.out, session.version).error("ERR " + connection.parser.error());
    ++services_.stats.errors;
  }
  session.close_after_reply = true;
}

}  // namespace fairlane::net
