#include "testkit/tcp_peer.hpp"

#include <algorithm>
#include <stdexcept>
#include <thread>

namespace fairlane::testkit {
namespace {

constexpr base::Millis kProbePatience{100};
constexpr int kProbeAttempts = 4;

}  // namespace

SocketClient& TcpPeer::client(const std::string& connection) {
  for (auto& [name, client] : clients_) {
    if (name == connection) return client;
  }
  throw std::runtime_error("no connection named " + connection);
}

void TcpPeer::open(const std::string& connection) { clients_.emplace_back(connection, SocketClient(port_)); }

void TcpPeer::close(const std::string& connection) {
  std::erase_if(clients_, [&](const auto& entry) { return entry.first == connection; });
  settle();  // the server knows that the client has gone
}

void TcpPeer::send(const std::string& connection, std::string_view bytes) { client(connection).send(bytes); }

std::optional<Value> TcpPeer::read(const std::string& connection, base::Millis patience) {
  return client(connection).read(patience);
}

bool TcpPeer::closed(const std::string& connection, base::Millis patience) {
  return client(connection).closed(patience);
}

// A server turns to all its readable connections in one round, so what was sent before the first PING is done, and
// answered, by the time the second PONG comes. The probe is a new client each time: it is let in after those who came
// before. A paused server keeps the probe waiting: it has then done all it will.
void TcpPeer::settle() {
  int pongs = 0;
  probe_.reset();
  for (int attempt = 0; attempt < kProbeAttempts && pongs < 2; ++attempt) {
    if (!probe_) probe_.emplace(port_);
    probe_->send("PING\r\n");
    if (probe_->read(kProbePatience)) {
      ++pongs;
      continue;
    }
    const bool cut_off = probe_->closed(base::Millis{0});
    probe_.reset();
    if (!cut_off) return;
  }
}

void TcpPeer::advance(base::Millis duration) { std::this_thread::sleep_for(duration); }

}  // namespace fairlane::testkit
