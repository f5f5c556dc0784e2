#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "testkit/in_process.hpp"
#include "testkit/resp_value.hpp"
#include "testkit/wire_file.hpp"

namespace fairlane::testkit {

/// Plays .wire cases in process, in virtual time.
class InProcessPeer : public Peer {
 public:
  explicit InProcessPeer(const OptionTexts& options = {}) : server_(options) {}

  void open(const std::string& connection) override;
  void close(const std::string& connection) override;
  void send(const std::string& connection, std::string_view bytes) override;
  std::optional<Value> read(const std::string& connection, base::Millis patience) override;
  bool closed(const std::string& connection, base::Millis patience) override;
  void settle() override {}
  void advance(base::Millis duration) override { server_.advance(duration); }

  InProcess& server() noexcept { return server_; }

 private:
  struct Connection {
    std::string name;
    InProcessClient* client;
    RespReader reader;
  };
  Connection& find(const std::string& connection);

  InProcess server_;
  std::vector<Connection> connections_;
};

}  // namespace fairlane::testkit
