#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fairlane/command/script_engine.hpp"

namespace fairlane::command {
struct Settings;
}

namespace fairlane::scripting {

class Environment;

/// Lua 5.1 as Redis 7 lets scripts see it. Scripts share one state and functions another; what a state holds is limited
/// by the option script-memory-limit. Nothing is kept until the first script comes.
class LuaEngine final : public command::ScriptEngine {
 public:
  /// The settings outlive it.
  explicit LuaEngine(const command::Settings& settings);
  ~LuaEngine() override;

  Compiled compile(std::string_view text) override;
  void forget(Code code) override;
  void forget_scripts() override;
  std::string load_library(std::string_view text, command::ScriptServer& server,
                           std::vector<Function>& functions) override;
  void forget_function(Code code) override;
  void forget_functions() override;
  void run(Code code, Run& run) override;
  void run_function(Code code, Run& run) override;
  std::size_t script_memory() const override;
  std::size_t function_memory() const override;

 private:
  struct State;
  template <class Prepare>
  void run_in(Environment& environment, Run& run, Prepare prepare);

  std::unique_ptr<State> state_;
};

}  // namespace fairlane::scripting
