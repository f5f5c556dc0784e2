#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "fairlane/base/number.hpp"

namespace fairlane::rdb {

/// One element of a small value that is kept in one piece: a text, or an integer.
class Element {
 public:
  explicit Element(std::string_view text) noexcept : text_(text) {}
  explicit Element(std::int64_t value) noexcept : value_(value) {}

  std::optional<std::int64_t> integer() const noexcept { return value_; }
  /// An integer's is good as long as the element.
  std::string_view text() noexcept {
    if (!value_) return text_;
    return {digits_.data(), base::format_integer(digits_.data(), *value_)};
  }

 private:
  std::string_view text_;
  std::optional<std::int64_t> value_;
  std::array<char, base::kIntegerChars> digits_;
};

/// The elements of such a piece, one after the other. The piece may be any bytes: the end has come when there is no
/// next element, and then well_formed() tells whether everything was as it must be.
class Elements {
 public:
  virtual ~Elements() = default;
  virtual std::optional<Element> next() = 0;
  bool well_formed() const noexcept { return well_formed_; }

 protected:
  /// For next(): there is no more, since this is wrong.
  std::optional<Element> broken() noexcept {
    well_formed_ = false;
    return std::nullopt;
  }

 private:
  bool well_formed_ = true;
};

}  // namespace fairlane::rdb
