#pragma once

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
  /// False when there is none of the name.
  bool remove(std::string_view name);
  void flush();
  const ScriptEngine::Function* find(std::string_view function) const;

  /// By name.
  const std::map<std::string, Library, std::less<>>& all() const noexcept { return libraries_; }
  std::size_t functions() const noexcept { return functions_.size(); }
  /// Bytes that the texts take here.
  std::size_t memory() const noexcept;

  /// Puts these in place of the libraries there are, which are returned. For restoring several or none.
  std::map<std::string, Library, std::less<>> exchange(std::map<std::string, Library, std::less<>> others);
  void forget(const Library& library);

 private:
  std::string clash(const Library& library, const Library* replaced) const;
  void index(const Library& library);

  Services& services_;
  std::map<std::string, Library, std::less<>> libraries_;
  std::unordered_map<std::string, const ScriptEngine::Function*> functions_;  // by name in lower case
};

}  // namespace fairlane::command
