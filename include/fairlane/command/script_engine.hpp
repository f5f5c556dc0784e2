#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fairlane/base/log.hpp"
#include "fairlane/protocol/reply.hpp"

/// The language of scripts behind a small interface, so that this layer knows no interpreter and the interpreter no
/// command. The implementation stands in src/scripting.
namespace fairlane::command {

/// What a script may say of itself, in its first line or when it registers a function.
enum class ScriptFlag : std::uint8_t {
  none = 0,
  no_writes = 1U << 0,
  allow_oom = 1U << 1,
  allow_stale = 1U << 2,
  no_cluster = 1U << 3,
  allow_cross_slot_keys = 1U << 4,
};
constexpr ScriptFlag operator|(ScriptFlag a, ScriptFlag b) noexcept {
  return static_cast<ScriptFlag>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
constexpr bool has(ScriptFlag flags, ScriptFlag flag) noexcept {
  return (static_cast<unsigned>(flags) & static_cast<unsigned>(flag)) != 0;
}

/// The flag of a name ("no-writes"); none when there is no such.
ScriptFlag script_flag(std::string_view name) noexcept;
struct ScriptFlagName {
  ScriptFlag flag;
  std::string_view name;
};
/// In the order in which they are shown.
std::span<const ScriptFlagName> script_flag_names() noexcept;

inline constexpr std::string_view kBadLibraryName =
    "ERR Library names can only contain letters, numbers, or underscores(_) and must be at least one character long";
/// May libraries and functions be called so?
bool good_library_name(std::string_view name) noexcept;

/// What a running script asks of the server.
class ScriptServer {
 public:
  /// Runs one command. Returns its reply in RESP, in the version last set; errors of the call itself as well. The bytes
  /// are good until the next call. One word at least.
  virtual std::string_view call(std::span<const std::string_view> words) = 0;
  /// The version of the replies of call(), RESP2 when a script starts.
  virtual void set_version(protocol::Version version) = 0;
  virtual protocol::Version version() const = 0;
  /// May the caller run this command? Nothing when there is none of the name.
  virtual std::optional<bool> may_call(std::span<const std::string_view> words) = 0;
  virtual void log(base::Log::Level level, std::string_view text) = 0;
  /// The script answers an error that no command has counted.
  virtual void note_error(std::string_view text) = 0;
  /// To be asked about every millisecond while code runs. Returns the error that ends the script, or nothing.
  virtual std::string_view interrupt() = 0;

 protected:
  ~ScriptServer() = default;
};

class ScriptEngine {
 public:
  virtual ~ScriptEngine() = default;

  /// Code that was compiled; good until it is forgotten.
  using Code = int;
  struct Compiled {
    Code code = 0;
    std::string error;  ///< empty when it worked
  };
  /// Lines count from the first of `text`; a "#!" line is skipped.
  virtual Compiled compile(std::string_view text) = 0;
  virtual void forget(Code code) = 0;
  /// Forgets every script, and all that scripts have left behind.
  virtual void forget_scripts() = 0;

  struct Function {
    std::string name;
    std::optional<std::string> description;
    ScriptFlag flags = ScriptFlag::none;
    Code code = 0;
  };
  /// Runs a library's code, which registers functions. Returns an error, or nothing; then the functions' code lives
  /// until forget_function(), otherwise `functions` is empty.
  virtual std::string load_library(std::string_view text, ScriptServer& server, std::vector<Function>& functions) = 0;
  virtual void forget_function(Code code) = 0;
  /// Forgets every library.
  virtual void forget_functions() = 0;

  struct Run {
    ScriptServer& server;
    std::string_view name;  ///< for error texts: the script's digest, the function's name
    std::span<const std::string_view> keys;
    std::span<const std::string_view> arguments;
    protocol::Reply& reply;
  };
  /// Runs a script, which sees KEYS and ARGV, and writes one reply.
  virtual void run(Code code, Run& run) = 0;
  /// Runs a function, which is given keys and arguments, and writes one reply.
  virtual void run_function(Code code, Run& run) = 0;

  /// Bytes that the interpreter holds for scripts, and for functions.
  virtual std::size_t script_memory() const = 0;
  virtual std::size_t function_memory() const = 0;
};

}  // namespace fairlane::command
