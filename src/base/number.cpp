#include "fairlane/base/number.hpp"

#include <bit>
#include <cerrno>
#include <cfloat>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>

namespace fairlane::base {
namespace {

constexpr bool is_digit(char byte) noexcept { return byte >= '0' && byte <= '9'; }
constexpr bool is_space(char byte) noexcept { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }
constexpr std::uint64_t digit_of(char byte) noexcept { return static_cast<std::uint64_t>(byte - '0'); }

// The longest run of digits that cannot overflow 64 bits.
constexpr std::size_t kSafeDigits = 19;
constexpr std::size_t kLongDoubleTextLimit = 5 * 1024;

// The strto family needs a NUL behind the text; texts are short, so the copy almost always lands on the stack.
template <class Call>
auto with_terminated(std::string_view text, Call call) {
  char buffer[128];
  if (text.size() < sizeof buffer) {
    if (!text.empty()) std::memcpy(buffer, text.data(), text.size());
    buffer[text.size()] = '\0';
    return call(static_cast<const char*>(buffer));
  }
  return call(std::string(text).c_str());
}

// Canonical digits, no sign.
std::optional<std::uint64_t> parse_digits(std::string_view text) noexcept {
  if (text.empty() || text.size() > kSafeDigits + 1) return std::nullopt;
  if (text.front() == '0') return text.size() == 1 ? std::optional<std::uint64_t>(0) : std::nullopt;
  std::uint64_t value = 0;
  for (const char byte : text.substr(0, kSafeDigits)) {
    if (!is_digit(byte)) return std::nullopt;
    value = value * 10 + digit_of(byte);
  }
  if (text.size() <= kSafeDigits) return value;
  if (!is_digit(text.back())) return std::nullopt;
  const std::uint64_t last = digit_of(text.back());
  if (value > (std::numeric_limits<std::uint64_t>::max() - last) / 10) return std::nullopt;
  return value * 10 + last;
}

std::optional<double> parse_double_by_strtod(std::string_view text) {
  return with_terminated(text, [&](const char* start) -> std::optional<double> {
    char* end = nullptr;
    errno = 0;
    const double value = std::strtod(start, &end);
    if (end != start + text.size() || std::isnan(value)) return std::nullopt;
    if (errno == ERANGE && (std::isinf(value) || value == 0)) return std::nullopt;
    return value;
  });
}

// A plain decimal as whole * 10^-places with the whole in 64 bits.
struct Decimal {
  std::uint64_t whole = 0;
  std::size_t places = 0;
  bool negative = false;
};

std::optional<Decimal> parse_plain_decimal(std::string_view text) noexcept {
  Decimal decimal;
  decimal.negative = !text.empty() && text.front() == '-';
  if (decimal.negative) text.remove_prefix(1);
  if (text.empty() || text.size() > kSafeDigits + 1) return std::nullopt;
  std::size_t digits = 0;
  bool fraction = false;
  for (const char byte : text) {
    if (byte == '.' && !fraction) {
      fraction = true;
    } else if (is_digit(byte)) {
      decimal.whole = decimal.whole * 10 + digit_of(byte);
      decimal.places += fraction ? 1U : 0U;
      ++digits;
    } else {
      return std::nullopt;
    }
  }
  if (digits == 0 || digits > kSafeDigits) return std::nullopt;
  return decimal;
}

constexpr char kPairs[] =
    "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
    "5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";

std::size_t count_digits(std::uint64_t value) noexcept {
  constexpr std::uint64_t kPowers[] = {0,
                                       10,
                                       100,
                                       1000,
                                       10000,
                                       100000,
                                       1000000,
                                       10000000,
                                       100000000,
                                       1000000000,
                                       10000000000,
                                       100000000000,
                                       1000000000000,
                                       10000000000000,
                                       100000000000000,
                                       1000000000000000,
                                       10000000000000000,
                                       100000000000000000,
                                       1000000000000000000,
                                       10000000000000000000U};
  // 1233 / 4096 is just above log10(2), so the estimate is right or one too small.
  const auto estimate = static_cast<std::size_t>(std::bit_width(value | 1) * 1233 >> 12);
  return estimate + (value >= kPowers[estimate] ? 1 : 0);
}

std::size_t trim_fraction(const char* text, std::size_t size) noexcept {
  while (text[size - 1] == '0') --size;
  return text[size - 1] == '.' ? size - 1 : size;
}

std::size_t format_long_double_by_printf(char* out, long double value) noexcept {
  // snprintf writes a NUL as well, which the caller's buffer has room for: the longest result takes 4952 bytes.
  const auto size = static_cast<std::size_t>(std::snprintf(out, kLongDoubleChars, "%.17Lf", value));
  const std::size_t trimmed = trim_fraction(out, size);
  if (trimmed == 2 && out[0] == '-' && out[1] == '0') {
    out[0] = '0';
    return 1;
  }
  return trimmed;
}

constexpr std::size_t kFractionDigits = 17;
constexpr std::uint64_t kFractionScale = 100'000'000'000'000'000;

// The fraction in [0, 1) of an x87 long double times 10^17, rounded half to even as printf does. Its mantissa has 64
// bits and the scale 57, so the product is exact in 128.
std::uint64_t scale_fraction(long double fraction) noexcept {
  __extension__ using Wide = unsigned __int128;
  int exponent = 0;
  const long double normal = std::frexp(fraction, &exponent);
  const auto mantissa = static_cast<std::uint64_t>(std::ldexp(normal, 64));
  const int shift = 64 - exponent;
  if (mantissa == 0 || shift >= 128) return 0;
  const Wide product = static_cast<Wide>(mantissa) * kFractionScale;
  const Wide half = static_cast<Wide>(1) << (shift - 1);
  const Wide rest = product & ((half << 1) - 1);
  const auto quotient = static_cast<std::uint64_t>(product >> shift);
  return quotient + (rest > half || (rest == half && (quotient & 1) != 0) ? 1U : 0U);
}

}  // namespace

std::optional<std::int64_t> parse_integer(std::string_view text) noexcept {
  if (text.size() == 1 && is_digit(text.front())) return static_cast<std::int64_t>(digit_of(text.front()));
  const bool negative = !text.empty() && text.front() == '-';
  if (negative) text.remove_prefix(1);
  const std::optional<std::uint64_t> magnitude = parse_digits(text);
  if (!magnitude) return std::nullopt;
  const std::uint64_t limit = std::uint64_t{1} << 63;
  if (negative) {
    if (*magnitude == 0 || *magnitude > limit) return std::nullopt;
    return static_cast<std::int64_t>(0 - *magnitude);
  }
  if (*magnitude >= limit) return std::nullopt;
  return static_cast<std::int64_t>(*magnitude);
}

std::optional<std::uint64_t> parse_unsigned(std::string_view text) {
  if (const std::optional<std::uint64_t> value = parse_digits(text)) return value;
  if (text.empty() || parse_integer(text)) return std::nullopt;
  return with_terminated(text, [&](const char* start) -> std::optional<std::uint64_t> {
    char* end = nullptr;
    errno = 0;
    const std::uint64_t value = std::strtoull(start, &end, 10);
    if (end == start || end != start + text.size() || errno == ERANGE) return std::nullopt;
    return value;
  });
}

std::optional<double> parse_double(std::string_view text) {
  if (text.empty() || is_space(text.front())) return std::nullopt;
  // Integers of 15 digits are exact in a double, and by far the commonest scores.
  if (text.size() <= 15 && text.front() != '-') {
    std::uint64_t value = 0;
    std::size_t index = 0;
    while (index < text.size() && is_digit(text[index])) value = value * 10 + digit_of(text[index++]);
    if (index == text.size()) return static_cast<double>(value);
  }
  double value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure == std::errc() && end == text.data() + text.size() && std::isfinite(value) && value != 0) return value;
  // What is left is rare or wrong: signs, hexadecimals, infinities, zeros and whatever leaves the range.
  return parse_double_by_strtod(text);
}

std::optional<double> parse_range_end(std::string_view text) {
  text = text.substr(0, text.find('\0'));
  if (text.empty()) return 0.0;
  if (const std::optional<double> value = parse_double(text)) return value;
  return with_terminated(text, [&](const char* start) -> std::optional<double> {
    char* end = nullptr;
    const double value = std::strtod(start, &end);
    if (end != start + text.size() || std::isnan(value)) return std::nullopt;
    return value;
  });
}

std::optional<long double> parse_long_double(std::string_view text) {
  if (text.empty() || text.size() >= kLongDoubleTextLimit || is_space(text.front())) return std::nullopt;
  if constexpr (LDBL_MANT_DIG == 64) {
    // Both the digits and the power of ten are exact in 64 bits of mantissa, so one division rounds correctly.
    if (const std::optional<Decimal> decimal = parse_plain_decimal(text)) {
      long double power = 1;
      for (std::size_t place = 0; place < decimal->places; ++place) power *= 10;
      const long double value = static_cast<long double>(decimal->whole) / power;
      return decimal->negative ? -value : value;
    }
  }
  return with_terminated(text, [&](const char* start) -> std::optional<long double> {
    char* end = nullptr;
    errno = 0;
    const long double value = std::strtold(start, &end);
    if (end != start + text.size() || std::isnan(value)) return std::nullopt;
    if (errno == ERANGE && (std::isinf(value) || value == 0)) return std::nullopt;
    return value;
  });
}

std::size_t format_unsigned(char* out, std::uint64_t value) noexcept {
  if (value < 10) {
    *out = static_cast<char>('0' + value);
    return 1;
  }
  const std::size_t size = count_digits(value);
  char* at = out + size;
  while (value >= 100) {
    at -= 2;
    std::memcpy(at, kPairs + value % 100 * 2, 2);
    value /= 100;
  }
  if (value >= 10) {
    std::memcpy(out, kPairs + value * 2, 2);
  } else {
    *out = static_cast<char>('0' + value);
  }
  return size;
}

std::size_t format_integer(char* out, std::int64_t value) noexcept {
  const auto bits = static_cast<std::uint64_t>(value);
  if (value >= 0) return format_unsigned(out, bits);
  *out = '-';
  return 1 + format_unsigned(out + 1, 0 - bits);
}

std::size_t format_double(char* out, double value) noexcept {
  // Below 10^17 an integer has at most 17 digits, and %.17g prints it as one.
  constexpr double kPlainLimit = 1e17;
  if (value > -kPlainLimit && value < kPlainLimit) {
    const auto whole = static_cast<std::int64_t>(value);
    if (static_cast<double>(whole) == value && (whole != 0 || !std::signbit(value))) return format_integer(out, whole);
  }
  const auto result = std::to_chars(out, out + kDoubleChars, value, std::chars_format::general, 17);
  return static_cast<std::size_t>(result.ptr - out);
}

std::size_t format_long_double(char* out, long double value) noexcept {
  constexpr long double kWholeLimit = 9223372036854775808.0L;
  if (LDBL_MANT_DIG != 64 || !(value > -kWholeLimit && value < kWholeLimit)) {
    if (std::isfinite(value)) return format_long_double_by_printf(out, value);
    return format_double(out, static_cast<double>(value));
  }
  const long double magnitude = std::fabs(value);
  auto whole = static_cast<std::uint64_t>(magnitude);
  std::uint64_t fraction = scale_fraction(magnitude - static_cast<long double>(whole));
  if (fraction == kFractionScale) {
    ++whole;
    fraction = 0;
  }
  char* at = out;
  if (value < 0 && (whole != 0 || fraction != 0)) *at++ = '-';
  at += format_unsigned(at, whole);
  if (fraction == 0) return static_cast<std::size_t>(at - out);
  *at++ = '.';
  const std::size_t zeros = kFractionDigits - count_digits(fraction);
  std::memset(at, '0', zeros);
  at += zeros;
  at += format_unsigned(at, fraction);
  return trim_fraction(out, static_cast<std::size_t>(at - out));
}

}  // namespace fairlane::base
