#include "command/acl/user_lines.hpp"

#include <utility>
#include <vector>

namespace fairlane::command {
namespace {

std::string_view trimmed(std::string_view line) noexcept {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t begin = line.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return line.substr(begin, line.find_last_not_of(kBlanks) - begin + 1);
}

/// Between every two blanks is a word, even an empty one.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

class Reader {
 public:
  Reader(const std::string& file, const Rules& rules) : file_(file), rules_(rules) {}

  void read(std::string_view line) {
    ++number_;
    line = trimmed(line);
    if (line.empty()) return;
    const auto words = split(line, ' ');
    if (words[0] != "user" || words.size() < 2) {
      return complain(" should start with user keyword followed by the username. ");
    }
    const auto [place, is_new] = result_.users.try_emplace(std::string(words[1]));
    if (!is_new) {
      result_.errors.append("WARNING: Duplicate user '").append(words[1]).append("' found on line ");
      result_.errors.append(std::to_string(number_)).append(". ");
      return;
    }
    place->second = std::make_unique<User>(rules_.new_user(words[1]));
    apply(*place->second, std::span(words).subspan(2));
  }
  UserLines take() && { return std::move(result_); }

 private:
  void apply(User& user, std::span<const std::string_view> words) {
    const JoinedRules joined = join_selectors(words);
    if (!joined.unclosed.empty()) return complain(": Unmatched parenthesis in selector definition.");
    // Of mistakes in form the first is told, since further ones may follow from it.
    bool told = false;
    for (const std::string& rule : joined.rules) {
      const std::string_view wrong = rules_.apply(user, rule);
      if (wrong.empty()) continue;
      if (wrong == kUnknownInRule) {
        complain(": Error in applying operation '" + rule + "': " + std::string(wrong) + ". ");
      } else if (!std::exchange(told, true)) {
        complain(": " + std::string(wrong) + ". ");
      }
    }
  }
  void complain(std::string_view about) {
    result_.errors.append(file_).append(":").append(std::to_string(number_)).append(about);
  }

  const std::string& file_;
  const Rules& rules_;
  std::size_t number_ = 0;
  UserLines result_;
};

}  // namespace

UserLines read_user_lines(std::string_view text, const std::string& file, const Rules& rules) {
  Reader reader(file, rules);
  for (const std::string_view line : split(text, '\n')) reader.read(line);
  UserLines result = std::move(reader).take();
  if (result.errors.empty()) return result;
  result.users.clear();
  result.errors += "WARNING: ACL errors detected, no change to the previously active ACL rules was performed";
  return result;
}

}  // namespace fairlane::command
