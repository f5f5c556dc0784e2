#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fairlane::testkit {

/// A mistake in a .wire file.
struct NotationError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Texts a case has saved, by name.
class Variables {
 public:
  void set(std::string_view name, std::string text);
  /// The text with every ${name} that is known replaced.
  std::string fill(std::string_view text) const;

 private:
  std::vector<std::pair<std::string, std::string>> texts_;
};

/// A cursor over one line of a .wire file. Views what it was given; throws NotationError.
class TextScanner {
 public:
  TextScanner(std::string_view text, const Variables& variables) : text_(text), variables_(variables) {}

  /// Moves past blanks; false at the end.
  bool more();
  bool starts_with(std::string_view prefix) const { return rest().substr(0, prefix.size()) == prefix; }
  /// Moves past the prefix when it stands here.
  bool take(std::string_view prefix);
  std::string_view rest() const { return text_.substr(position_); }
  void skip(std::size_t count) { position_ += count; }
  /// The longest run of bytes for which `wanted` holds.
  template <class Wanted>
  std::string_view run(Wanted wanted) {
    const std::size_t start = position_;
    while (position_ < text_.size() && wanted(text_[position_])) ++position_;
    return text_.substr(start, position_ - start);
  }
  /// "text" with its escapes, and "text"*count.
  std::string quoted();
  /// /pattern/, as a POSIX extended regular expression.
  std::string pattern();
  const Variables& variables() const { return variables_; }

 private:
  std::string_view enclosed(char quote);

  std::string_view text_;
  const Variables& variables_;
  std::size_t position_ = 0;
};

/// The arguments of a request: split at blanks; quotes, escapes and variables as in tests/wire/README.md.
std::vector<std::string> split_arguments(std::string_view text, const Variables& variables);

/// Several quoted strings joined: the bytes of a raw send.
std::string join_quoted(std::string_view text, const Variables& variables);

}  // namespace fairlane::testkit
