#include "command/script/libraries.hpp"

#include <algorithm>

#include "command/script/shebang.hpp"
#include "fairlane/base/clock.hpp"
#include "fairlane/command/services.hpp"

namespace fairlane::command {
namespace {

/// A library's own code only registers functions.
constexpr base::Millis kLoadTime = base::Millis(500);

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  return out;
}

/// What code that registers functions may ask for: to write to the log, and it must be quick.
class LibraryLoading final : public ScriptServer {
 public:
  explicit LibraryLoading(Services& services) : services_(services), begun_(services.clock.steady()) {}

  std::string_view call(std::span<const std::string_view>) override { return "-ERR no call here\r\n"; }
  void set_version(protocol::Version) override {}
  protocol::Version version() const override { return protocol::Version::resp2; }
  std::optional<bool> may_call(std::span<const std::string_view>) override { return std::nullopt; }
  void log(base::Log::Level level, std::string_view text) override {
    if (services_.log != nullptr) services_.log->write(level, text);
  }
  void note_error(std::string_view) override {}
  std::string_view interrupt() override {
    return services_.clock.steady() - begun_ > kLoadTime ? "ERR FUNCTION LOAD timeout" : std::string_view();
  }

 private:
  Services& services_;
  base::Steady begun_;
};

}  // namespace

std::string Libraries::clash(const Library& library, const Library* replaced) const {
  for (const ScriptEngine::Function& function : library.functions) {
    const ScriptEngine::Function* other = find(function.name);
    if (other == nullptr) continue;
    const bool goes = replaced != nullptr && other >= replaced->functions.data() &&
                      other < replaced->functions.data() + replaced->functions.size();
    if (!goes) return "ERR Function " + function.name + " already exists";
  }
  return {};
}

std::string Libraries::make(std::string_view code, Library& library) {
  if (std::string error = read_library_header(code, library.name); !error.empty()) return error;
  library.code = code;
  LibraryLoading loading(services_);
  std::string error = services_.script_engine->load_library(code, loading, library.functions);
  if (error.empty() && library.functions.empty()) error = "ERR No functions registered";
  return error;
}

std::string Libraries::load(std::string_view code, bool replace, std::string& name) {
  if (std::string error = read_library_header(code, name); !error.empty()) return error;
  const auto former = libraries_.find(name);
  if (former != libraries_.end() && !replace) return "ERR Library '" + name + "' already exists";
  Library library;
  std::string error = make(code, library);
  if (!error.empty()) return error;
  error = clash(library, former == libraries_.end() ? nullptr : &former->second);
  if (!error.empty()) {
    forget(library);
    return error;
  }
  if (former != libraries_.end()) remove(name);
  index(libraries_.emplace(name, std::move(library)).first->second);
  return {};
}

std::string Libraries::restore(const std::vector<std::string>& codes, Policy policy) {
  Map others;
  std::string error;
  for (const std::string& code : codes) {
    Library library;
    error = make(code, library);
    if (!error.empty()) break;
    const std::string name = library.name;
    if (others.contains(name)) {
      forget(library);
      error = "ERR Library '" + name + "' already exists";
      break;
    }
    others.emplace(name, std::move(library));
  }
  if (error.empty()) error = clashes(others, policy);
  if (!error.empty()) {
    forget(others);
    return error;
  }
  if (policy == Policy::flush) {
    forget(libraries_);
    libraries_.clear();
    functions_.clear();
  }
  for (auto& [name, library] : others) {
    remove(name);
    index(libraries_.emplace(name, std::move(library)).first->second);
  }
  return {};
}

/// Libraries of the same name, and functions that other libraries have.
std::string Libraries::clashes(const Map& others, Policy policy) const {
  if (policy == Policy::flush) return {};
  for (const auto& [name, library] : others) {
    const auto former = libraries_.find(name);
    if (former != libraries_.end() && policy == Policy::append) return "ERR Library " + name + " already exists";
    const std::string error = clash(library, former == libraries_.end() ? nullptr : &former->second);
    if (!error.empty()) return error;
  }
  return {};
}

void Libraries::index(const Library& library) {
  for (const ScriptEngine::Function& function : library.functions) functions_[lower(function.name)] = &function;
}

void Libraries::forget(const Library& library) {
  for (const ScriptEngine::Function& function : library.functions) {
    services_.script_engine->forget_function(function.code);
  }
}

void Libraries::forget(const Map& libraries) {
  for (const auto& [name, library] : libraries) forget(library);
}

bool Libraries::remove(std::string_view name) {
  const auto found = libraries_.find(name);
  if (found == libraries_.end()) return false;
  forget(found->second);
  for (const ScriptEngine::Function& function : found->second.functions) functions_.erase(lower(function.name));
  libraries_.erase(found);
  return true;
}

void Libraries::flush() {
  services_.script_engine->forget_functions();
  functions_.clear();
  libraries_.clear();
}

const ScriptEngine::Function* Libraries::find(std::string_view function) const {
  const auto found = functions_.find(lower(function));
  return found == functions_.end() ? nullptr : found->second;
}

std::size_t Libraries::memory() const noexcept {
  std::size_t bytes = 0;
  for (const auto& [name, library] : libraries_) {
    bytes +=
        sizeof(Library) + name.size() + library.code.size() + library.functions.size() * sizeof(library.functions[0]);
  }
  return bytes;
}

}  // namespace fairlane::command
