#include "testkit/wire_file.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "testkit/wire_text.hpp"

namespace fairlane::testkit {
namespace {

constexpr std::string_view kBlanks = " \t\r";

bool starts_with(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (true) {
    const auto end = text.find('\n');
    lines.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return lines;
    text.remove_prefix(end + 1);
  }
}

bool is_name_byte(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') || byte == '_';
}

// Brackets still open at the end of an expectation; those inside texts and patterns do not count.
int open_brackets(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char quote = text[i];
    if (quote == '"' || quote == '/') {
      for (++i; i < text.size() && text[i] != quote; ++i) {
        if (text[i] == '\\') ++i;
      }
    } else if (quote == '[') {
      ++depth;
    } else if (quote == ']') {
      --depth;
    }
  }
  return depth;
}

class Parser {
 public:
  Parser(const std::string& file, std::string_view text) : file_(file), lines_(split_lines(text)) {}

  std::vector<WireCase> run() {
    while (at_ < lines_.size()) {
      number_ = static_cast<int>(at_) + 1;
      const std::string_view line = trim(lines_[at_++]);
      if (line.empty() || (line.front() == '#' && line != "#t" && line != "#f")) continue;
      if (starts_with(line, "==")) {
        begin_case(trim(line.substr(2)));
      } else if (cases_.empty()) {
        fail("text before the first case");
      } else if (line.front() == '@') {
        directive(line.substr(1));
      } else if (starts_with(line, "~ ")) {
        add(WireStep::Action::advance, {}, trim(line.substr(2)));
      } else if (!step(line)) {
        expectation(line);
      }
    }
    return std::move(cases_);
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw NotationError(file_ + ':' + std::to_string(number_) + ": " + problem);
  }

  void begin_case(std::string_view name) {
    for (const WireCase& other : cases_) {
      if (other.name == name) fail("a second case named " + std::string(name));
    }
    if (name.empty() || !std::all_of(name.begin(), name.end(), is_name_byte)) fail("a case's name is one word");
    cases_.push_back({file_, std::string(name), number_, false, {}, {}});
  }

  void add(WireStep::Action action, std::string_view connection, std::string_view text) {
    cases_.back().steps.push_back({action, number_, std::string(connection), std::string(text), {}});
  }

  void directive(std::string_view line) {
    const auto blank = line.find(' ');
    const std::string_view word = line.substr(0, blank);
    const std::string_view argument = blank == std::string_view::npos ? std::string_view() : trim(line.substr(blank));
    if (word == "fairlane-only" && argument.empty()) {
      cases_.back().fairlane_only = true;
    } else if (word == "needs" && !argument.empty()) {
      cases_.back().needs.emplace_back(argument);
    } else if (word == "resp3" && !argument.empty()) {
      add(WireStep::Action::resp3, argument, {});
    } else if (word == "close" && !argument.empty()) {
      add(WireStep::Action::close, argument, {});
    } else if (word == "times" && !argument.empty()) {
      add(WireStep::Action::repeat, {}, argument);
    } else {
      fail("unknown directive @" + std::string(line));
    }
  }

  bool step(std::string_view line) {
    std::size_t name_end = 0;
    while (name_end < line.size() && is_name_byte(line[name_end])) ++name_end;
    const std::string_view name = line.substr(0, name_end);
    std::string_view rest = line.substr(name_end);
    if (name.empty() || rest.empty()) return false;
    auto action = WireStep::Action::send;
    std::size_t sign = 1;
    if (starts_with(rest, ">>")) {
      action = WireStep::Action::raw;
      sign = 2;
    } else if (rest.front() == '+') {
      action = WireStep::Action::hold;
    } else if (rest.front() == '<') {
      action = WireStep::Action::read;
    } else if (rest.front() != '>') {
      return false;
    }
    rest = trim(rest.substr(sign));
    const bool inline_value = action == WireStep::Action::read && !rest.empty();
    add(action, name, inline_value ? std::string_view() : rest);
    if (inline_value) expectation(rest);
    return true;
  }

  void expectation(std::string_view first) {
    std::string text(first);
    while (first.front() != '-' && first.front() != '+' && open_brackets(text) > 0 && at_ < lines_.size()) {
      text += '\n';
      text += trim(lines_[at_++]);
    }
    auto& steps = cases_.back().steps;
    using Action = WireStep::Action;
    const auto takes_replies = [](Action action) {
      return action == Action::send || action == Action::raw || action == Action::read;
    };
    if (steps.empty() || !takes_replies(steps.back().action)) fail("a reply without a step");
    steps.back().expected.push_back({number_, std::move(text)});
  }

  std::string file_;
  std::vector<std::string_view> lines_;
  std::size_t at_ = 0;
  int number_ = 0;
  std::vector<WireCase> cases_;
};

}  // namespace

std::vector<WireCase> parse_wire(const std::string& file, std::string_view text) { return Parser(file, text).run(); }

std::vector<WireCase> read_wire_file(const std::string& path) { return parse_wire(path, read_whole_file(path)); }

std::vector<std::string> find_wire_files(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".wire") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string read_whole_file(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) throw std::runtime_error("cannot read " + path);
  std::string text;
  char chunk[16384];
  while (const std::size_t got = std::fread(chunk, 1, sizeof chunk, file)) text.append(chunk, got);
  std::fclose(file);
  return text;
}

std::string apply_recordings(std::string_view text, std::vector<WireRecording> recordings) {
  std::vector<std::string> lines;
  for (const std::string_view line : split_lines(text)) lines.emplace_back(line);
  // From the foot upwards, so that what is written does not move the lines still to come. Several replies below one
  // line were recorded in their order and are kept in it.
  std::stable_sort(recordings.begin(), recordings.end(),
                   [](const WireRecording& a, const WireRecording& b) { return a.line < b.line; });
  for (auto recording = recordings.rbegin(); recording != recordings.rend(); ++recording) {
    const auto line = lines.begin() + (recording->line - 1);
    if (recording->place == WireRecording::Place::below) {
      lines.insert(line + 1, recording->text);
    } else if (const auto mark = line->find("??"); mark != std::string::npos) {
      line->replace(mark, 2, recording->text);
    }
  }
  std::string out;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) out += '\n';
    out += lines[i];
  }
  return out;
}

}  // namespace fairlane::testkit
