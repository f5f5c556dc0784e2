#include "command/options/readers.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>

#include "command/options/table.hpp"
#include "fairlane/base/number.hpp"
#include "fairlane/base/text_match.hpp"
#include "fairlane/command/settings.hpp"

namespace fairlane::command {
namespace {

constexpr std::size_t kMostAddresses = 16;
constexpr std::size_t kLongestHostName = 255;
/// The classes that "A" stands for, then the other letters, in the order in which CONFIG GET shows them.
constexpr std::string_view kAllClasses = "g$lshzxetd";
constexpr std::string_view kOtherClasses = "nKEm";

std::string joined(std::span<const std::string_view> words) {
  std::string text;
  for (const std::string_view word : words) {
    if (!text.empty()) text += ' ';
    text += word;
  }
  return text;
}

std::string read_file_name(std::span<const std::string_view> words, std::string& kept, const char* refusal) {
  if (words[0].find('/') != std::string_view::npos) return refusal;
  kept.assign(words[0]);
  return {};
}

constexpr std::string_view kClientClasses[] = {"normal", "slave", "pubsub"};

std::size_t client_class(std::string_view word) noexcept {
  if (base::equal_ignoring_case(word, "replica")) return static_cast<std::size_t>(ClientClass::replica);
  for (std::size_t i = 0; i < std::size(kClientClasses); ++i) {
    if (base::equal_ignoring_case(word, kClientClasses[i])) return i;
  }
  return std::size(kClientClasses);
}

std::array<OutputLimit, 3> output_limits_of(const std::string& kept) {
  std::array<OutputLimit, 3> limits{};
  const auto words = words_of(kept);
  const auto number = [&](std::size_t at) { return base::parse_integer(words[at]).value_or(0); };
  for (std::size_t i = 0; i + 3 < words.size(); i += 4) {
    limits[client_class(words[i])] = {number(i + 1), number(i + 2), number(i + 3)};
  }
  return limits;
}

}  // namespace

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    if (end > begin) words.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

std::string read_addresses(std::span<const std::string_view> words, std::string& kept) {
  if (words.size() > kMostAddresses) return "Too many bind addresses specified.";
  kept = joined(words);
  return {};
}

std::string read_output_limits(std::span<const std::string_view> words, std::string& kept) {
  if (words.size() % 4 != 0) return "Wrong number of arguments in buffer limit configuration.";
  auto limits = output_limits_of(kept);
  for (std::size_t i = 0; i < words.size(); i += 4) {
    const std::size_t place = client_class(words[i]);
    if (place >= limits.size()) return "Invalid client class specified in buffer limit configuration.";
    const auto hard = parse_bytes(words[i + 1]);
    const auto soft = parse_bytes(words[i + 2]);
    const auto seconds = base::parse_integer(words[i + 3]);
    if (!hard || !soft || !seconds || *seconds < 0) {
      return "Error in hard, soft or soft_seconds setting in buffer limit configuration.";
    }
    limits[place] = {static_cast<std::int64_t>(*hard), static_cast<std::int64_t>(*soft), *seconds};
  }
  kept.clear();
  for (std::size_t i = 0; i < limits.size(); ++i) {
    if (i != 0) kept += ' ';
    kept += std::string(kClientClasses[i]) + ' ' + std::to_string(limits[i].hard) + ' ' +
            std::to_string(limits[i].soft) + ' ' + std::to_string(limits[i].soft_seconds);
  }
  return {};
}

void apply_output_limits(Settings& settings, const OptionValue& value) {
  settings.output_limits = output_limits_of(value.text);
}

std::string read_title_template(std::span<const std::string_view> words, std::string& kept) {
  static constexpr std::string_view kVariables[] = {"title",    "listen-addr", "server-mode", "port",
                                                    "tls-port", "unixsocket",  "config-file"};
  constexpr const char* kRefusal = "template format is invalid or contains unknown variables";
  std::string_view rest = words[0];
  for (std::size_t open = rest.find('{'); open != std::string_view::npos; open = rest.find('{')) {
    const std::size_t close = rest.find('}', open);
    if (close == std::string_view::npos) return kRefusal;
    const std::string_view variable = rest.substr(open + 1, close - open - 1);
    if (std::find(std::begin(kVariables), std::end(kVariables), variable) == std::end(kVariables)) return kRefusal;
    rest.remove_prefix(close + 1);
  }
  kept.assign(words[0]);
  return {};
}

std::string read_directory(std::span<const std::string_view> words, std::string& kept) {
  const std::string path(words[0]);
  if (::chdir(path.c_str()) != 0) return std::strerror(errno);
  std::array<char, PATH_MAX> buffer{};
  const char* now = ::getcwd(buffer.data(), buffer.size());
  kept = now != nullptr ? now : path;
  return {};
}

std::string read_shutdown_flags(std::span<const std::string_view> words, std::string&) {
  const auto given = [&](std::string_view flag) {
    return std::any_of(words.begin(), words.end(),
                       [&](std::string_view word) { return base::equal_ignoring_case(word, flag); });
  };
  return given("save") && given("nosave") ? "shutdown options SAVE and NOSAVE can't be used simultaneously" : "";
}

std::string read_percentiles(std::span<const std::string_view> words, std::string& kept) {
  kept.clear();
  if (words.size() == 1 && words[0].empty()) return {};
  for (const std::string_view word : words) {
    const auto percentile = base::parse_double(word);
    if (!percentile) return "Invalid latency-tracking-info-percentiles parameters";
    if (*percentile < 0 || *percentile > 100) {
      return "latency-tracking-info-percentiles parameters should sit between [0.0,100.0]";
    }
    char digits[32];
    std::string text(digits, static_cast<std::size_t>(std::snprintf(digits, sizeof(digits), "%f", *percentile)));
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
    kept += (kept.empty() ? "" : " ") + text;
  }
  return {};
}

void apply_percentiles(Settings& settings, const OptionValue& value) {
  settings.latency_percentiles.clear();
  for (const std::string& word : words_of(value.text)) {
    settings.latency_percentiles.push_back(base::parse_double(word).value_or(0));
  }
}

std::string read_event_classes(std::span<const std::string_view> words, std::string& kept) {
  const std::string_view given = words[0];
  const std::string_view known[] = {kAllClasses, kOtherClasses, "A"};
  for (const char letter : given) {
    if (std::none_of(std::begin(known), std::end(known),
                     [&](std::string_view letters) { return letters.find(letter) != std::string_view::npos; })) {
      return "Invalid event class character. Use 'Ag$lshzxeKEtmdn'.";
    }
  }
  kept.clear();
  const bool all = given.find('A') != std::string_view::npos;
  for (const char letter : kAllClasses) {
    if (all || given.find(letter) != std::string_view::npos) kept += letter;
  }
  for (const char letter : kOtherClasses) {
    if (given.find(letter) != std::string_view::npos) kept += letter;
  }
  return {};
}

std::string show_event_classes(const std::string& kept) {
  if (!kept.starts_with(kAllClasses)) return kept;
  // Beside "A", Redis does not show the class of new keys.
  std::string text = "A";
  for (const char letter : kept.substr(kAllClasses.size())) {
    if (letter != 'n') text += letter;
  }
  return text;
}

std::string read_save_points(std::span<const std::string_view> words, std::string& kept) {
  if (words.size() == 1 && words[0].empty()) {
    kept.clear();
    return {};
  }
  if (words.size() % 2 != 0) return "Invalid save parameters";
  for (std::size_t i = 0; i < words.size(); i += 2) {
    const auto seconds = base::parse_integer(words[i]);
    const auto changes = base::parse_integer(words[i + 1]);
    if (!seconds || !changes || *seconds < 1 || *changes < 0) return "Invalid save parameters";
  }
  if (!kept.empty() && !words.empty()) kept += ' ';
  kept += joined(words);
  return {};
}

std::string read_snapshot_name(std::span<const std::string_view> words, std::string& kept) {
  return read_file_name(words, kept, "dbfilename can't be a path, just a filename");
}

std::string read_log_name(std::span<const std::string_view> words, std::string& kept) {
  return read_file_name(words, kept, "appendfilename can't be a path, just a filename");
}

std::string read_log_directory(std::span<const std::string_view> words, std::string& kept) {
  if (words[0].empty()) return "appenddirname can't be empty";
  return read_file_name(words, kept, "appenddirname can't be a path, just a dirname");
}

std::string read_master(std::span<const std::string_view> words, std::string& kept) {
  kept.clear();
  if (words.empty()) return {};
  if (words.size() != 2) return "wrong number of arguments";
  if (base::equal_ignoring_case(words[0], "no") && base::equal_ignoring_case(words[1], "one")) return {};
  const auto port = base::parse_integer(words[1]);
  if (!port || *port < 0 || *port > rows::kPortMost) return "Invalid master port";
  kept = joined(words);
  return {};
}

std::string read_host_name(std::span<const std::string_view> words, std::string& kept) {
  if (words[0].size() > kLongestHostName) return "Hostnames must be less than 256 characters";
  const bool plain = std::all_of(words[0].begin(), words[0].end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
  });
  if (!plain) return "Hostnames may only contain alphanumeric characters, hyphens or dots";
  kept.assign(words[0]);
  return {};
}

std::string read_scores(std::span<const std::string_view> words, std::string& kept) {
  constexpr std::int64_t kMostScore = 2000;
  if (words.size() != 3) return "wrong number of arguments";
  for (const std::string_view word : words) {
    const auto score = base::parse_integer(word);
    if (!score || *score < -kMostScore || *score > kMostScore) {
      return "Invalid oom-score-adj-values, elements must be between -2000 and 2000.";
    }
  }
  kept = joined(words);
  return {};
}

}  // namespace fairlane::command
