#pragma once

#include <array>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <memory>
#include <vector>

#include <sys/epoll.h>

#include "fairlane/command/executor.hpp"
#include "fairlane/command/output_limit.hpp"
#include "fairlane/command/services.hpp"
#include "net/connection.hpp"

namespace boost::asio {
class io_context;
}

namespace fairlane::net {

/// The sockets of all clients: receives, runs the requests, sends the replies, closes.
class ClientSockets {
 public:
  ClientSockets(boost::asio::io_context& context, command::Services& services);

  /// Begins to wait for sockets, and to look after idle and slow clients.
  void start();
  /// Takes over the socket of a new client.
  void add(int descriptor, command::Peer peer);
  /// Flushes, resumes or closes the session's connection when drain() is called.
  void look_after(command::Session& session);
  /// Closes the connection now; the session is gone.
  void close(command::Session& session) { close(connection_of(session)); }
  void drain();
  /// While a script of this session runs: a round for the others. False when the server is about to end.
  bool serve_others(command::Session& running);
  /// From now on no request runs: the server is about to end.
  void run_no_more() noexcept { ending_ = true; }
  /// Sends what can be sent, and closes all.
  void close_all();

 private:
  static constexpr std::size_t kReadSize = std::size_t{64} * 1024;

  /// A request that was cut out of the input and waits for those before it.
  struct Upcoming {
    protocol::Arguments words;
    std::size_t size;  // of its bytes
    command::LikelyKeys likely;
  };
  // While one request runs, the memory that the next ones need is on its way: first the place in the table of keys,
  // some requests later the key itself, and then its value.
  static constexpr unsigned kAhead = 16;
  static constexpr unsigned kEntryAhead = 6;
  static constexpr unsigned kValueAhead = 2;

  /// What one socket had, with the first request in it.
  struct Received {
    Connection* connection;
    std::string_view input;  // in the read buffer
    protocol::RequestParser::Step step;
    Upcoming request;
  };
  /// So many sockets are read before the first request runs: the memory that one needs comes while others are read.
  static constexpr std::size_t kGathered = 8;

  /// What a round over the sockets needs for itself: a script that takes long has another round run inside its own.
  struct Workspace {
    Workspace();
    std::unique_ptr<char[]> read_buffer;
    std::array<Upcoming, kAhead> ahead;
    std::array<epoll_event, 256> events{};
    std::array<Received, kGathered> received;
    std::size_t gathered = 0;  // how many of them there are
    std::size_t executed = 0;  // and how many of those have had their turn
  };

  // As much as the default limit on a client's input. A client may send a long pipeline before it reads the first
  // reply; one that never reads must not fill the memory, also where client-output-buffer-limit does not close it.
  static constexpr std::size_t kMostUnsent = std::size_t{1024} * 1024 * 1024;

  static Connection& connection_of(command::Session& session) noexcept {
    return *static_cast<Connection*>(session.connection);
  }
  /// May the session's next request run?
  bool stands_still(const command::Session& session) const noexcept;

  void wait_for_sockets();
  void run_ready_sockets();
  int gather(int event, int count);
  void run_gathered(Workspace& work);
  void handle(Connection& connection, std::uint32_t ready);
  void look_after_now(Connection& connection);

  void receive(Connection& connection);
  void end_of_input(Connection& connection);
  bool too_much_input(const Connection& connection, std::size_t received) const noexcept;
  std::size_t receive_into(Connection& connection, char* to, std::size_t room);
  void process_received(Received& received);
  void process_unread(Connection& connection);
  std::size_t execute(Connection& connection, std::string_view input, Upcoming& request,
                      protocol::RequestParser::Step step);
  std::size_t execute_batch(Connection& connection, std::string_view input);
  protocol::RequestParser::Step cut(Connection& connection, std::string_view input, Upcoming& request);
  void refuse(Connection& connection);

  enum class Sent : std::uint8_t { all, some, failed };
  Sent send(Connection& connection);
  void send_ahead(Connection& connection);
  void flush(Connection& connection);
  void give_back_output(command::Session& session);
  void watch(Connection& connection, bool writable);

  void close_when_heard(Connection& connection);
  void close(Connection& connection);
  void sweep();

  command::Services& services_;
  command::Executor& executor_;
  command::OutputLimits output_limits_;
  boost::asio::posix::stream_descriptor epoll_;
  Workspace first_workspace_;
  std::unique_ptr<Workspace> second_workspace_;  // made when it is needed
  Workspace* work_ = &first_workspace_;
  base::Buffer spare_output_;        // lent to the session whose batch runs, so that idle sessions hold no buffer
  std::vector<Connection*> listed_;  // to be flushed, resumed or closed after the round
  std::vector<std::unique_ptr<Connection>> graveyard_;  // closed in this round: events of theirs may follow
  std::size_t slow_clients_ = 0;                        // sockets that take no more
  bool draining_ = false;
  bool ending_ = false;
  bool stopped_ = false;
};

}  // namespace fairlane::net
