#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "command/script/libraries.hpp"
#include "fairlane/base/buffer.hpp"
#include "fairlane/command/script_engine.hpp"

namespace fairlane::command {

class RunningScript;
struct Services;

/// A script that EVAL or SCRIPT LOAD has brought.
struct Script {
  std::string digest;  ///< in lower case
  ScriptEngine::Code code;
  bool has_header;  ///< what it may do is what its first line says; without one, what the caller's command may
  ScriptFlag flags;
  std::string body;
};

/// The scripts that are known, by digest, the libraries of functions, and the one that runs.
class Scripts {
 public:
  explicit Scripts(Services& services) noexcept : services_(services), libraries_(services) {}

  /// By its digest, 40 hexadecimal digits of any case; null when there is none. Good until flush().
  const Script* find(std::string_view digest) const;
  /// Compiles a script unless it is known. Null with an error when it has a fault.
  const Script* load(std::string_view text, std::string& error);
  void flush();
  std::size_t size() const noexcept { return scripts_.size(); }
  /// Bytes that the texts take here.
  std::size_t memory() const noexcept { return memory_; }

  Libraries& libraries() noexcept { return libraries_; }

  /// Null while no script runs.
  RunningScript* running() const noexcept { return running_; }
  /// Where a running script's commands reply to.
  base::Buffer& replies() noexcept { return replies_; }

 private:
  friend class RunningScript;

  Services& services_;
  struct HashDigest {
    using is_transparent = void;
    std::size_t operator()(std::string_view digest) const noexcept { return std::hash<std::string_view>{}(digest); }
  };
  std::unordered_map<std::string, Script, HashDigest, std::equal_to<>> scripts_;
  std::size_t memory_ = 0;
  Libraries libraries_;
  RunningScript* running_ = nullptr;
  base::Buffer replies_;
};

}  // namespace fairlane::command
