#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fairlane/base/clock.hpp"
#include "testkit/resp_value.hpp"

namespace fairlane::testkit {

/// What a .wire case talks to: connections by name to one server. Over TCP time is real; in process it may be virtual.
class Peer {
 public:
  virtual ~Peer() = default;
  /// A fresh connection: RESP2, database 0. The name is not in use.
  virtual void open(const std::string& connection) = 0;
  /// The client goes away. The name is free again.
  virtual void close(const std::string& connection) = 0;
  virtual void send(const std::string& connection, std::string_view bytes) = 0;
  /// The next reply. Lets up to `patience` pass until there is one; nothing when there is none or the server has
  /// closed.
  virtual std::optional<Value> read(const std::string& connection, base::Millis patience) = 0;
  /// Whether the server closes the connection within `patience`, all it said having been read.
  virtual bool closed(const std::string& connection, base::Millis patience) = 0;
  /// Returns when the server has worked through all that was sent and its answers can be read.
  virtual void settle() = 0;
  /// Lets time pass.
  virtual void advance(base::Millis duration) = 0;
};

struct WireExpectation {
  int line = 0;
  std::string text;
};

struct WireStep {
  enum class Action : std::uint8_t { send, hold, raw, read, resp3, repeat, close, advance };
  Action action = Action::send;
  int line = 0;
  std::string connection;
  std::string text;
  std::vector<WireExpectation> expected;
};

struct WireCase {
  std::string file;
  std::string name;
  int line = 0;
  bool fairlane_only = false;
  std::vector<std::string> needs = {};  ///< commands without which the case means nothing ("xadd", "client|tracking")
  std::vector<WireStep> steps;
};

/// Reads the text of a .wire file. Throws NotationError with file and line.
std::vector<WireCase> parse_wire(const std::string& file, std::string_view text);
/// The same for a file on disk.
std::vector<WireCase> read_wire_file(const std::string& path);
/// Every .wire file below a folder, sorted.
std::vector<std::string> find_wire_files(const std::string& folder);

/// A reply to be written into the file: in place of the `??` on its line, or below the line.
struct WireRecording {
  enum class Place : std::uint8_t { mark, below };
  int line;
  Place place;
  std::string text;
};

enum class WireMode : std::uint8_t {
  check,         ///< a reply marked ?? is a failure
  record_marks,  ///< replies marked ?? are recorded
  record_all     ///< as before, and a step without any expectation takes all that has arrived once the server settles
};

struct WireOutcome {
  /// Empty when the case passes; else file:line, the step, what was expected and what came.
  std::string failure;
  std::vector<WireRecording> recordings;
};

/// Plays one case: FLUSHALL and fresh connections first, all connections closed and changed parameters restored after.
WireOutcome run_wire_case(const WireCase& wire_case, Peer& peer, WireMode mode = WireMode::check);

/// The file's text with the recordings in it.
std::string apply_recordings(std::string_view text, std::vector<WireRecording> recordings);

/// The file's bytes. Throws std::runtime_error when it cannot be read.
std::string read_whole_file(const std::string& path);

}  // namespace fairlane::testkit
