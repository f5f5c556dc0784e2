#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fairlane/command/script_engine.hpp"

namespace fairlane::command {

struct Services;

/// A library of functions, as FUNCTION LOAD brought it.
struct Library {
  std::string name;
  std::string code;
  std::vector<ScriptEngine::Function> functions;
};

/// The libraries, and their functions by name whatever the case.
class Libraries {
 public:
  explicit Libraries(Services& services) noexcept : services_(services) {}

  /// Adds a library, in place of one of the same name when `replace` says so. Returns an error, or nothing with the
  /// library's name; then nothing has changed.
  std::string load(std::string_view code, bool replace, std::string& name);
  /// What FUNCTION RESTORE does with libraries of the same name.
  enum class Policy : std::uint8_t { append, replace, flush };
  /// Adds all of these or, with an error, none.
  std::string restore(const std::vector<std::string>& codes, Policy policy);
  /// False when there is none of the name.
  bool remove(std::string_view name);
  void flush();
  const ScriptEngine::Function* find(std::string_view function) const;

  /// By name.
  const std::map<std::string, Library, std::less<>>& all() const noexcept { return libraries_; }
  std::size_t functions() const noexcept { return functions_.size(); }
  /// Bytes that the texts take here.
  std::size_t memory() const noexcept;

 private:
  using Map = std::map<std::string, Library, std::less<>>;

  /// Runs a library's code. Returns an error, or nothing.
  std::string make(std::string_view code, Library& library);
  void forget(const Library& library);
  void forget(const Map& libraries);
  std::string clash(const Library& library, const Library* replaced) const;
  std::string clashes(const Map& others, Policy policy) const;
  void index(const Library& library);

  Services& services_;
  Map libraries_;
  std::unordered_map<std::string, const ScriptEngine::Function*> functions_;  // by name in lower case
};

}  // namespace fairlane::command
