#include "command/script/scripts.hpp"

#include <algorithm>
#include <array>

#include "command/script/shebang.hpp"
#include "fairlane/base/sha1.hpp"
#include "fairlane/command/services.hpp"

namespace fairlane::command {
namespace {

constexpr std::size_t kDigest = 40;

}  // namespace

const Script* Scripts::find(std::string_view digest) const {
  if (digest.size() != kDigest) return nullptr;
  std::array<char, kDigest> lower;
  std::transform(digest.begin(), digest.end(), lower.begin(),
                 [](char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c); });
  const auto found = scripts_.find(std::string_view(lower.data(), lower.size()));
  return found == scripts_.end() ? nullptr : &found->second;
}

const Script* Scripts::load(std::string_view text, std::string& error) {
  const std::string digest = base::sha1_hex(text);
  if (const auto found = scripts_.find(digest); found != scripts_.end()) return &found->second;
  ScriptHeader header;
  error = read_script_header(text, header);
  if (!error.empty()) return nullptr;
  const ScriptEngine::Compiled compiled = services_.script_engine->compile(text);
  if (!compiled.error.empty()) {
    error = "ERR Error compiling script (new function): " + compiled.error;
    return nullptr;
  }
  memory_ += digest.size() + text.size() + sizeof(Script);
  return &scripts_.emplace(digest, Script{digest, compiled.code, header.present, header.flags, std::string(text)})
              .first->second;
}

void Scripts::flush() {
  services_.script_engine->forget_scripts();
  scripts_.clear();
  memory_ = 0;
}

}  // namespace fairlane::command
