#include "command/syntax.hpp"

#include <algorithm>
#include <utility>

#include "fairlane/base/text_match.hpp"

namespace fairlane::command {
namespace {

using Type = Argument::Type;
using Arguments = std::vector<Argument>;

constexpr std::string_view kTypeNames[] = {"string",    "integer",    "double", "key",  "pattern",
                                           "unix-time", "pure-token", "oneof",  "block"};

/// Cuts a line into words, brackets, bars and dots.
class Lexer {
 public:
  explicit Lexer(std::string_view line) : rest_(line) { advance(); }

  std::string_view now() const noexcept { return now_; }
  bool at(std::string_view piece) const noexcept { return now_ == piece; }
  bool ended() const noexcept { return now_.empty(); }
  std::string_view take() {
    const std::string_view piece = now_;
    advance();
    return piece;
  }

 private:
  void advance() {
    while (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
    std::size_t size = rest_.empty() ? 0 : 1;
    if (rest_.starts_with("...")) {
      size = 3;
    } else if (!rest_.empty() && kSigns.find(rest_.front()) == kSigns.npos) {
      size = std::min(rest_.find_first_of(kEnds), rest_.size());
    }
    now_ = rest_.substr(0, size);
    rest_.remove_prefix(size);
  }

  static constexpr std::string_view kSigns = "[]<>|";
  static constexpr std::string_view kEnds = " []<>|";
  std::string_view rest_;
  std::string_view now_;
};

// Also a word without any letter, such as "=" and "~" of XADD.
bool is_token(std::string_view word) noexcept {
  return std::none_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; });
}

bool is_pure(const Argument& argument) noexcept {
  return argument.type == Type::pure_token && !argument.optional && !argument.multiple;
}

bool takes_token(const Argument& argument) noexcept {
  return argument.type != Type::pure_token && !argument.optional && argument.token.empty();
}

/// One argument out of several that belong together.
Argument joined(Arguments arguments) {
  if (arguments.size() == 1) return std::move(arguments.front());
  Argument block;
  block.type = Type::block;
  // A token in front stands for the whole block, but for its first argument alone when there is more that may be
  // absent.
  if (is_pure(arguments.front()) && takes_token(arguments[1])) {
    const bool shared =
        std::none_of(arguments.begin() + 1, arguments.end(), [](const Argument& a) { return a.optional; });
    const bool alone = arguments.size() == 2;
    Argument& bearer = shared && !alone ? block : arguments[1];
    bearer.token = std::move(arguments.front().token);
    arguments.erase(arguments.begin());
    if (alone) return std::move(arguments.front());
  }
  for (const Argument& argument : arguments) {
    if (!block.name.empty()) block.name += '_';
    block.name += argument.name;
  }
  block.arguments = std::move(arguments);
  return block;
}

class Parser {
 public:
  explicit Parser(std::string_view line) : lexer_(line) {}

  Arguments line() {
    Arguments all = sequence({});
    if (!lexer_.ended() && error.empty()) error = "unexpected '" + std::string(lexer_.now()) + "'";
    return all;
  }

  std::string error;

 private:
  /// Items up to the closing sign or a bar. At the top level a bar joins its neighbours.
  Arguments sequence(std::string_view closing) {
    Arguments all;
    while (!lexer_.ended() && !lexer_.at(closing) && error.empty()) {
      if (lexer_.at("|")) {
        if (!closing.empty()) break;
        lexer_.take();
        join_alternative(all);
      } else if (lexer_.at("...")) {
        lexer_.take();
        repeat_last(all);
      } else if (lexer_.at("[")) {
        optional_item(all);
      } else {
        all.push_back(item());
        if (closing.empty()) attach_token(all);
      }
    }
    return all;
  }

  Argument item() {
    if (lexer_.at("<")) {
      lexer_.take();
      return alternatives(">");
    }
    if (lexer_.at("]") || lexer_.at(">")) error = "unexpected '" + std::string(lexer_.now()) + "'";
    return word(lexer_.take());
  }

  Argument word(std::string_view text) {
    Argument argument;
    if (is_token(text)) {
      argument.type = Type::pure_token;
      argument.token = text;
      argument.name = base::to_lower(text);
      return argument;
    }
    const std::size_t colon = std::min(text.find(':'), text.size());
    argument.name = text.substr(0, colon);
    const std::string_view type = colon < text.size() ? text.substr(colon + 1) : argument.name;
    const auto* const known = std::find(std::begin(kTypeNames), std::end(kTypeNames), type);
    // Without a type, only these two names say what they are.
    const bool typed = colon < text.size();
    if (known == std::end(kTypeNames)) {
      if (typed) error = "no such type: " + std::string(type);
    } else if (typed || type == "key" || type == "pattern") {
      argument.type = static_cast<Type>(known - std::begin(kTypeNames));
    }
    return argument;
  }

  void join_alternative(Arguments& all) {
    if (all.empty() || lexer_.ended()) {
      error = "a bar without neighbours";
      return;
    }
    Argument next = item();
    Argument& last = all.back();
    if (last.type != Type::one_of) {
      Argument first = std::exchange(last, Argument{});
      last.type = Type::one_of;
      last.name = "choice";
      last.arguments.push_back(std::move(first));
    }
    last.arguments.push_back(std::move(next));
  }

  /// At the top level a token belongs to the argument behind it.
  void attach_token(Arguments& all) const {
    if (all.size() < 2 || lexer_.at("|")) return;
    Argument& before = all[all.size() - 2];
    Argument& last = all.back();
    if (!is_pure(before) || !takes_token(last)) return;
    last.token = std::move(before.token);
    all.erase(all.end() - 2);
  }

  void repeat_last(Arguments& all) {
    if (all.empty()) return;  // "[...]" stands for options not written down
    all.back().multiple = true;
  }

  void optional_item(Arguments& all) {
    lexer_.take();
    if (lexer_.at("...")) lexer_.take();
    if (lexer_.at("]")) {
      lexer_.take();
      return;
    }
    bool repeated = false;
    Argument argument = bracket(repeated);
    if (repeated && fold(all, argument)) return;
    argument.optional = true;
    argument.multiple = argument.multiple || repeated;
    all.push_back(std::move(argument));
  }

  /// What stands between square brackets; dots at its end repeat all of it.
  Argument bracket(bool& repeated) {
    std::vector<Arguments> choices;
    do {
      choices.push_back(sequence_in_bracket(repeated));
    } while (lexer_.at("|") && !lexer_.take().empty());
    if (lexer_.at("]")) {
      lexer_.take();
    } else if (error.empty()) {
      error = "a bracket is not closed";
    }
    return chosen(std::move(choices));
  }

  Arguments sequence_in_bracket(bool& repeated) {
    Arguments all;
    while (!lexer_.ended() && !lexer_.at("]") && !lexer_.at("|") && error.empty()) {
      if (lexer_.at("...")) {
        lexer_.take();
        repeated = true;
      } else if (lexer_.at("[")) {
        optional_item(all);
      } else {
        all.push_back(item());
      }
    }
    if (all.empty() && error.empty()) error = "an empty bracket";
    return all;
  }

  Argument alternatives(std::string_view closing) {
    std::vector<Arguments> choices;
    do {
      choices.push_back(sequence(closing));
      if (choices.back().empty() && error.empty()) error = "an empty alternative";
    } while (error.empty() && lexer_.at("|") && !lexer_.take().empty());
    if (lexer_.at(closing)) {
      lexer_.take();
    } else if (error.empty()) {
      error = "'<' is not closed";
    }
    return chosen(std::move(choices));
  }

  Argument chosen(std::vector<Arguments> choices) const {
    if (!error.empty()) return {};
    if (choices.size() == 1) return joined(std::move(choices.front()));
    Argument choice;
    choice.type = Type::one_of;
    choice.name = "choice";
    // "AGGREGATE SUM | MIN | MAX": the first word is common to all.
    Arguments& first = choices.front();
    const bool common = first.size() == 2 && is_pure(first[0]) && is_pure(first[1]) &&
                        std::all_of(choices.begin() + 1, choices.end(),
                                    [](const Arguments& one) { return one.size() == 1 && is_pure(one[0]); });
    if (common) {
      choice.token = std::move(first.front().token);
      choice.name = std::move(first.front().name);
      first.erase(first.begin());
    }
    for (Arguments& one : choices) choice.arguments.push_back(joined(std::move(one)));
    return choice;
  }

  /// "score member [score member ...]" is one repeated block, "GET pattern [GET pattern ...]" one repeated argument.
  static bool fold(Arguments& all, const Argument& repeated) {
    const Arguments what =
        repeated.type == Type::block && repeated.token.empty() ? repeated.arguments : Arguments{repeated};
    if (!all.empty() && what.size() == 1 && same_but_token(all.back(), repeated)) {
      all.back().multiple = true;
      all.back().token_repeats = !repeated.token.empty();
      return true;
    }
    const Arguments parts = without_token(repeated);
    if (all.size() > parts.size() && is_pure(all[all.size() - parts.size() - 1]) &&
        all[all.size() - parts.size() - 1].token == repeated.token &&
        std::equal(parts.begin(), parts.end(), all.end() - std::ssize(parts))) {
      all.resize(all.size() - parts.size() - 1);
      all.push_back(repeated);
      all.back().multiple = all.back().token_repeats = true;
      return true;
    }
    if (all.size() < what.size() || what.size() < 2 ||
        !std::equal(what.begin(), what.end(), all.end() - static_cast<std::ptrdiff_t>(what.size()))) {
      return false;
    }
    all.resize(all.size() - what.size());
    all.push_back(repeated);
    all.back().multiple = true;
    return true;
  }

  /// What stands behind the token of an argument.
  static Arguments without_token(Argument argument) {
    if (argument.type == Type::block) return std::move(argument.arguments);
    argument.token.clear();
    return {std::move(argument)};
  }

  // "STREAMS key [key ...]": the token belongs to the first alone.
  static bool same_but_token(const Argument& first, const Argument& repeated) {
    if (first == repeated) return true;
    if (!repeated.token.empty() || first.token.empty()) return false;
    Argument bare = first;
    bare.token.clear();
    return bare == repeated;
  }

  Lexer lexer_;
};

/// Tells keys which specification finds them.
class KeyMarker {
 public:
  explicit KeyMarker(const Spec& spec) : keys_(spec.keys), place_(static_cast<int>(name_words(spec))) {}

  void mark(Arguments& arguments) {
    for (Argument& argument : arguments) mark(argument);
  }

 private:
  void mark(Argument& argument) {
    const bool fixed = place_ >= 0 && !argument.optional;
    if (!argument.arguments.empty()) {
      if (!argument.token.empty() && fixed) ++place_;
      mark_children(argument);
    } else {
      if (!argument.token.empty() && argument.type != Type::pure_token && fixed) ++place_;
      mark_leaf(argument);
      if (fixed) ++place_;
    }
    // Nobody knows at which position things stand behind what may be absent or repeated.
    if (argument.optional || argument.multiple) place_ = -1;
  }

  void mark_children(Argument& argument) {
    const int before = place_;
    if (argument.optional) place_ = -1;
    if (argument.type != Type::one_of) return mark(argument.arguments);
    for (Argument& choice : argument.arguments) {
      place_ = argument.optional ? -1 : before;
      mark(choice);
    }
    place_ = before < 0 || argument.optional ? -1 : before + 1;
  }

  void mark_leaf(Argument& argument) {
    for (int i = 0; i < keys_.count; ++i) {
      const KeySpec& key = keys_.specs[static_cast<std::size_t>(i)];
      if (!found_here(key, argument)) continue;
      if (argument.type == Type::string) argument.type = Type::key;
      if (argument.type == Type::key) argument.key_spec = i;
      last_ = i;
      return;
    }
    if (argument.type == Type::key) argument.key_spec = keys_.count == 0 ? -1 : last_;
  }

  bool found_here(const KeySpec& key, const Argument& argument) const {
    if (has(key.use, Use::not_key)) return false;
    if (key.begin == KeySpec::Begin::keyword) return base::equal_ignoring_case(key.keyword, argument.token);
    if (key.begin == KeySpec::Begin::unknown || place_ < 0) return false;
    const int first = key.find == KeySpec::Find::keynum ? key.index + key.limit : key.index;
    return place_ == first;
  }

  const Keys& keys_;
  int place_;     // position of the next argument in a request; -1 when it depends
  int last_ = 0;  // the specification of the key before
};

}  // namespace

std::string_view type_name(Argument::Type type) noexcept { return kTypeNames[static_cast<std::size_t>(type)]; }

std::vector<Argument> arguments_of(const Spec& spec, std::string& error) {
  std::string_view line = spec.syntax;
  for (std::size_t i = name_words(spec); i != 0; --i) {
    line.remove_prefix(std::min(line.find(' '), line.size()));
    line.remove_prefix(std::min<std::size_t>(line.size(), 1));
  }
  Parser parser(line);
  Arguments arguments = parser.line();
  error = parser.error;
  KeyMarker(spec).mark(arguments);
  return arguments;
}

std::string readable_syntax(std::string_view syntax) {
  std::string text;
  bool in_type = false;
  for (const char c : syntax) {
    if (c == ':') in_type = true;
    if (c == ' ' || c == ']' || c == '>' || c == '|') in_type = false;
    if (!in_type) text += c;
  }
  return text;
}

}  // namespace fairlane::command
