#include "testkit/in_process_peer.hpp"

#include <stdexcept>

namespace fairlane::testkit {

InProcessPeer::Connection& InProcessPeer::find(const std::string& connection) {
  for (Connection& one : connections_) {
    if (one.name == connection) return one;
  }
  throw std::runtime_error("no connection named " + connection);
}

void InProcessPeer::open(const std::string& connection) {
  connections_.push_back({connection, &server_.connect(), {}});
}

void InProcessPeer::close(const std::string& connection) {
  server_.disconnect(*find(connection).client);
  std::erase_if(connections_, [&](const Connection& one) { return one.name == connection; });
}

void InProcessPeer::send(const std::string& connection, std::string_view bytes) {
  find(connection).client->send_bytes(bytes);
}

std::optional<Value> InProcessPeer::read(const std::string& connection, base::Millis patience) {
  Connection& one = find(connection);
  while (true) {
    one.reader.feed(one.client->take());
    if (auto value = one.reader.next()) return value;
    if (one.client->closed() || patience <= base::Millis{0}) return std::nullopt;
    patience -= server_.step(patience);
  }
}

bool InProcessPeer::closed(const std::string& connection, base::Millis patience) {
  Connection& one = find(connection);
  while (true) {
    one.reader.feed(one.client->take());
    if (one.client->closed()) return one.reader.empty();
    if (patience <= base::Millis{0}) return false;
    patience -= server_.step(patience);
  }
}

}  // namespace fairlane::testkit
