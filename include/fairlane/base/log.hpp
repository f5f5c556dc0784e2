#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace fairlane::base {

/// The lines that tell whoever runs the server what it does: "4711:M 30 Nov 2026 16:29:55.824 * Ready to accept
/// connections". Every line is written at once, with a system call or three: nothing for a path that is walked often.
class Log {
 public:
  enum class Level : std::uint8_t { debug, verbose, notice, warning };

  /// Writes to standard output until told otherwise.
  Log();
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  void set_level(Level least) noexcept;
  /// An empty path is standard output. The file is opened anew for each line, so that it may be moved away.
  void set_file(std::string path);

  void debug(std::string_view text) { write(Level::debug, text); }
  void verbose(std::string_view text) { write(Level::verbose, text); }
  void notice(std::string_view text) { write(Level::notice, text); }
  void warning(std::string_view text) { write(Level::warning, text); }
  void write(Level level, std::string_view text);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fairlane::base
