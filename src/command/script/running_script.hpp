#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "command/script/scripts.hpp"
#include "fairlane/base/clock.hpp"
#include "fairlane/command/context.hpp"
#include "fairlane/command/script_engine.hpp"

namespace fairlane::command {

/// A script or function while it runs: the commands it calls, what it may do, and its end when someone kills it. Exists
/// for the time of one run; there is one at a time.
class RunningScript final : public ScriptServer {
 public:
  enum class Kind : std::uint8_t { script, function };
  struct Rights {
    bool may_write;
    bool ignores_memory_limit;  ///< also where there is no room
  };

  /// The name is a function's, or a script's digest; it and the context outlive this.
  RunningScript(Context& context, Kind kind, std::string_view name, Rights rights);
  ~RunningScript();
  RunningScript(const RunningScript&) = delete;
  RunningScript& operator=(const RunningScript&) = delete;

  Kind kind() const noexcept { return kind_; }
  std::string_view name() const noexcept { return name_; }
  std::span<const std::string_view> request() const noexcept { return context_.request; }
  const Command& command() const noexcept { return context_.command; }
  std::int64_t milliseconds() const;
  /// It has taken so long that others are served beside it, with the error BUSY.
  bool busy() const noexcept { return busy_; }
  /// What others are told.
  std::string_view busy_error() const noexcept;

  /// Has it run a command that writes? Then it must not be killed.
  bool wrote() const noexcept { return wrote_; }
  /// Ends it at the next interrupt().
  void kill() noexcept { killed_ = true; }

  std::string_view call(std::span<const std::string_view> words) override;
  void set_version(protocol::Version version) override { version_ = version; }
  protocol::Version version() const override { return version_; }
  std::optional<bool> may_call(std::span<const std::string_view> words) override;
  void log(base::Log::Level level, std::string_view text) override;
  void note_error(std::string_view text) override;
  std::string_view interrupt() override;

 private:
  std::string_view refused(const Command* command, std::span<const std::string_view> words) const;

  Context& context_;
  Scripts& scripts_;
  Kind kind_;
  std::string_view name_;
  Rights rights_;
  engine::DbIndex db_;
  protocol::Version version_ = protocol::Version::resp2;
  base::Steady begun_;
  bool wrote_ = false;
  bool busy_ = false;
  bool killed_ = false;
  bool failed_ = false;
};

}  // namespace fairlane::command
