#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace fairlane::base {

/// Numbers as clients write and read them. Nothing here allocates for texts of ordinary length, and nothing depends on
/// the locale as long as the process keeps the "C" locale for LC_NUMERIC. No text needs a terminating NUL.

/// A canonical decimal: an optional minus, no plus, no spaces, no leading zeros, no "-0"; the whole range of int64.
std::optional<std::int64_t> parse_integer(std::string_view text) noexcept;

/// The halves of a stream id: canonical decimals up to 2^64-1, and beyond those whatever strtoull takes ("007", "+7").
/// A canonical negative number is refused.
std::optional<std::uint64_t> parse_unsigned(std::string_view text);

/// Everything strtod takes ("1e3", "0x1p4", "+inf", ".5", "5."), whole and without surrounding space. Refused: NaN,
/// an overflow ("1e400") and an underflow to zero ("1e-400"). Plain integers cost a few nanoseconds.
std::optional<double> parse_double(std::string_view text);

/// The looser reading of range ends (ZRANGEBYSCORE and its family): as strtod, so leading space is allowed, an overflow
/// is infinite, an underflow is 0, the text ends at its first NUL, and an empty text is 0. NaN is refused.
std::optional<double> parse_range_end(std::string_view text);

/// As parse_double in the precision of long double, at most 5119 bytes. Infinity is a value: who adds must check.
std::optional<long double> parse_long_double(std::string_view text);

/// Enough room for every result of format_integer and format_unsigned; of format_double; of format_long_double.
inline constexpr std::size_t kIntegerChars = 20;
inline constexpr std::size_t kDoubleChars = 24;
inline constexpr std::size_t kLongDoubleChars = 5120;

/// Each writes to `out`, which has the room named above, and returns the number of bytes; no NUL is appended.
std::size_t format_integer(char* out, std::int64_t value) noexcept;
std::size_t format_unsigned(char* out, std::uint64_t value) noexcept;

/// The layout of printf's "%.17g": 3 is "3", 0.1 is "0.10000000000000001", 1e17 is "1e+17"; "inf", "-inf", "-0".
std::size_t format_double(char* out, double value) noexcept;

/// What INCRBYFLOAT answers: never an exponent, 17 digits after the point without trailing zeros, never "-0".
std::size_t format_long_double(char* out, long double value) noexcept;

/// The text of one number, kept in place. Views of it end with it.
class NumberText {
 public:
  explicit NumberText(std::signed_integral auto value) noexcept
      : size_(static_cast<std::uint8_t>(format_integer(text_, value))) {}
  explicit NumberText(std::unsigned_integral auto value) noexcept
      : size_(static_cast<std::uint8_t>(format_unsigned(text_, value))) {}
  explicit NumberText(double value) noexcept : size_(static_cast<std::uint8_t>(format_double(text_, value))) {}

  std::string_view view() const noexcept { return {text_, size_}; }
  operator std::string_view() const noexcept { return view(); }

 private:
  char text_[kDoubleChars];
  std::uint8_t size_;
};

}  // namespace fairlane::base
