#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "server/cli/options.hpp"

namespace fairlane::server::cli {

/// A reply as a tree. `kind` is the protocol's first byte, where null of either version is '_' and both forms of an
/// error are '-'.
struct Reply {
  char kind = '_';
  std::string text;
  std::vector<Reply> elements;  ///< of a map: key, value, key, value
};

/// A blocking connection to a server. Anything that goes wrong on the way is a std::runtime_error, in redis-cli's
/// words.
class Connection {
 public:
  /// Connects, and does not log in.
  explicit Connection(const Options& options);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void send(std::span<const std::string> words);
  /// The next reply, whatever it answers; attributes are skipped.
  Reply receive();

 private:
  void fill();
  std::string line();
  std::string bytes(std::size_t count);

  int socket_ = -1;
  std::string input_;
  std::size_t at_ = 0;  ///< what of the input has been read
};

}  // namespace fairlane::server::cli
