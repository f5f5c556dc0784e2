#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "fairlane/base/number.hpp"
#include "fairlane/base/text_match.hpp"
#include "fairlane/command/errors.hpp"

namespace fairlane::command {

/// A cursor over the words of a request behind the command's name. Reading past the end or a word of the wrong kind
/// keeps the first error and then goes quiet, so a handler reads everything and asks once.
class Args {
 public:
  Args(std::span<const std::string_view> words, std::size_t first) noexcept : words_(words), next_(first) {}

  bool more() const noexcept { return next_ < words_.size() && error_.empty(); }
  std::size_t left() const noexcept { return words_.size() - next_; }
  std::size_t position() const noexcept { return next_; }
  std::span<const std::string_view> rest() const noexcept { return words_.subspan(next_); }
  void skip(std::size_t count) noexcept { next_ += count; }

  /// The next word, empty with a syntax error when there is none.
  std::string_view text() noexcept {
    if (next_ < words_.size()) [[likely]]
      return words_[next_++];
    fail(errors::kSyntax);
    return {};
  }
  /// The next word without taking it; only when more().
  std::string_view peek() const noexcept { return words_[next_]; }

  std::int64_t integer(std::string_view error = errors::kNotInteger) noexcept {
    const auto value = base::parse_integer(text());
    if (!value) fail(error);
    return value.value_or(0);
  }
  std::int64_t integer_in(std::int64_t low, std::int64_t high, std::string_view out_of_range,
                          std::string_view not_integer = errors::kNotInteger) noexcept {
    const std::int64_t value = integer(not_integer);
    if (error_.empty() && (value < low || value > high)) fail(out_of_range);
    return value;
  }
  double number(std::string_view error = errors::kNotFloat) noexcept {
    const auto value = base::parse_double(text());
    if (!value) fail(error);
    return value.value_or(0);
  }

  /// Takes the next word when it is this option, whatever its case.
  bool option(std::string_view name) noexcept {
    if (!more() || !base::equal_ignoring_case(words_[next_], name)) return false;
    ++next_;
    return true;
  }
  /// The same, and only when at least `operands` words follow it.
  bool option_with(std::string_view name, std::size_t operands) noexcept {
    if (left() <= operands || !base::equal_ignoring_case(words_[next_], name)) return false;
    ++next_;
    return true;
  }

  void fail(std::string_view error) noexcept {
    if (error_.empty()) error_ = error;
  }
  bool ok() const noexcept { return error_.empty(); }
  std::string_view error() const noexcept { return error_; }

 private:
  std::span<const std::string_view> words_;
  std::size_t next_;
  std::string_view error_;  // a constant of errors.hpp
};

}  // namespace fairlane::command
