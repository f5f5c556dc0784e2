#include "command/script/shebang.hpp"

#include <algorithm>
#include <array>

#include "fairlane/base/text_match.hpp"

namespace fairlane::command {
namespace {

constexpr std::array<ScriptFlagName, 5> kFlags = {{
    {ScriptFlag::no_writes, "no-writes"},
    {ScriptFlag::allow_oom, "allow-oom"},
    {ScriptFlag::allow_stale, "allow-stale"},
    {ScriptFlag::no_cluster, "no-cluster"},
    {ScriptFlag::allow_cross_slot_keys, "allow-cross-slot-keys"},
}};

constexpr std::string_view kMark = "#!";

bool blank(char c) noexcept { return c == ' ' || (c >= '\t' && c <= '\r'); }

int hex_digit(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/// The character that an escape in double quotes stands for; `at` is left on its last character.
char unescaped(std::string_view line, std::size_t& at) noexcept {
  if (line[at] == 'x' && at + 2 < line.size()) {
    const int high = hex_digit(line[at + 1]);
    const int low = hex_digit(line[at + 2]);
    if (high >= 0 && low >= 0) {
      at += 2;
      return static_cast<char>(high * 16 + low);
    }
  }
  constexpr std::string_view kLetters = "nrtba";
  constexpr std::string_view kMeant = "\n\r\t\b\a";
  const std::size_t which = kLetters.find(line[at]);
  return which == std::string_view::npos ? line[at] : kMeant[which];
}

/// From behind an opening quote to behind the closing one, which a blank or the end must follow.
bool read_quoted(std::string_view line, std::size_t& at, char quote, std::string& word) {
  for (; at < line.size(); ++at) {
    if (line[at] == quote) {
      ++at;
      return at == line.size() || blank(line[at]);
    }
    const bool escaped = line[at] == '\\' && at + 1 < line.size() && (quote == '"' || line[at + 1] == '\'');
    if (escaped) ++at;
    word += escaped && quote == '"' ? unescaped(line, at) : line[at];
  }
  return false;
}

bool read_word(std::string_view line, std::size_t& at, std::string& word) {
  while (at < line.size() && !blank(line[at])) {
    const char c = line[at++];
    if (c != '"' && c != '\'') {
      word += c;
    } else if (!read_quoted(line, at, c, word)) {
      return false;
    }
  }
  return true;
}

/// Flags apart by commas.
std::string read_flags(std::string_view list, ScriptFlag& flags) {
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    const std::string_view name = list.substr(0, comma);
    const ScriptFlag flag = script_flag(name);
    if (flag == ScriptFlag::none) return "ERR Unexpected flag in script shebang: " + std::string(name);
    flags = flags | flag;
    if (comma == std::string_view::npos) break;
    list.remove_prefix(comma + 1);
    if (list.empty()) return "ERR Unexpected flag in script shebang: ";
  }
  return {};
}

}  // namespace

std::span<const ScriptFlagName> script_flag_names() noexcept { return kFlags; }

ScriptFlag script_flag(std::string_view name) noexcept {
  const auto* found = std::find_if(kFlags.begin(), kFlags.end(), [name](const auto& one) { return one.name == name; });
  return found == kFlags.end() ? ScriptFlag::none : found->flag;
}

bool split_words(std::string_view line, std::vector<std::string>& words) {
  std::size_t at = 0;
  for (;;) {
    while (at < line.size() && blank(line[at])) ++at;
    if (at == line.size()) return true;
    if (!read_word(line, at, words.emplace_back())) return false;
  }
}

std::string read_script_header(std::string_view text, ScriptHeader& header) {
  if (!text.starts_with(kMark)) return {};
  header.present = true;
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return "ERR Invalid script shebang";
  std::vector<std::string> words;
  if (!split_words(text.substr(0, end), words)) return "ERR Invalid engine in script shebang";
  if (words[0] != "#!lua") return "ERR Unexpected engine in script shebang: " + words[0];
  constexpr std::string_view kFlagsAre = "flags=";
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (!words[i].starts_with(kFlagsAre)) return "ERR Unknown lua shebang option: " + words[i];
    const std::string_view list = std::string_view(words[i]).substr(kFlagsAre.size());
    if (std::string error = read_flags(list, header.flags); !error.empty()) return error;
  }
  return {};
}

bool good_library_name(std::string_view name) noexcept {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

std::string read_library_header(std::string_view text, std::string& name) {
  if (!text.starts_with(kMark)) return "ERR Missing library metadata";
  const std::size_t end = text.find('\n');
  std::vector<std::string> words;
  if (end == std::string_view::npos || !split_words(text.substr(0, end), words)) return "ERR Invalid library metadata";
  bool named = false;
  constexpr std::string_view kNameIs = "name=";
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (!base::equal_ignoring_case(std::string_view(words[i]).substr(0, kNameIs.size()), kNameIs)) {
      return "ERR Invalid metadata value given: " + words[i];
    }
    if (named) return "ERR Invalid metadata value, name argument was given multiple times";
    named = true;
    name = words[i].substr(kNameIs.size());
  }
  if (!named) return "ERR Library name was not given";
  if (!good_library_name(name)) return std::string(kBadLibraryName);
  const std::string_view engine = std::string_view(words[0]).substr(kMark.size());
  if (!base::equal_ignoring_case(engine, "lua")) return "ERR Engine '" + std::string(engine) + "' not found";
  return {};
}

}  // namespace fairlane::command
