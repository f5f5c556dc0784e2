#include "fairlane/base/number.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "fairlane/base/random.hpp"

namespace fairlane::base {
namespace {

using namespace std::string_view_literals;

constexpr std::uint64_t kSeed = 20240101;

std::string text_of(double value) { return std::string(NumberText(value)); }

std::string text_of_long(long double value) {
  std::string text(kLongDoubleChars, '\0');
  text.resize(format_long_double(text.data(), value));
  return text;
}

std::string printf_double(double value) {
  char buffer[64];
  const int size = std::snprintf(buffer, sizeof buffer, "%.17g", value);
  return std::string(buffer, static_cast<std::size_t>(size));
}

std::string printf_long(long double value) {
  std::string text(kLongDoubleChars, '\0');
  text.resize(static_cast<std::size_t>(std::snprintf(text.data(), text.size(), "%.17Lf", value)));
  text.resize(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

TEST(Number, integers_are_canonical_decimals) {
  EXPECT_EQ(parse_integer("0"), 0);
  EXPECT_EQ(parse_integer("7"), 7);
  EXPECT_EQ(parse_integer("-12"), -12);
  EXPECT_EQ(parse_integer("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(parse_integer("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
  for (const auto text : {""sv,
                          "-"sv,
                          "-0"sv,
                          "00"sv,
                          "01"sv,
                          "-01"sv,
                          "+1"sv,
                          " 1"sv,
                          "1 "sv,
                          "1\0"sv,
                          "1.0"sv,
                          "1e3"sv,
                          "0x1"sv,
                          "--1"sv,
                          "9223372036854775808"sv,
                          "-9223372036854775809"sv,
                          "18446744073709551617"sv,
                          "92233720368547758070"sv,
                          "1/"sv,
                          "1:"sv,
                          "999999999999999999999"sv}) {
    EXPECT_FALSE(parse_integer(text)) << text;
  }
}

TEST(Number, unsigned_integers_take_what_stream_ids_take) {
  EXPECT_EQ(parse_unsigned("0"), 0U);
  EXPECT_EQ(parse_unsigned("18446744073709551615"), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(parse_unsigned("007"), 7U);
  EXPECT_EQ(parse_unsigned("+8"), 8U);
  EXPECT_EQ(parse_unsigned(" 9"), 9U);
  for (const auto text : {""sv, "-5"sv, "18446744073709551616"sv, "5\0"sv, "5 "sv, "x"sv, "+"sv}) {
    EXPECT_FALSE(parse_unsigned(text)) << text;
  }
}

TEST(Number, doubles_are_what_strtod_takes_without_space) {
  const std::vector<std::pair<std::string_view, double>> accepted = {{".5", 0.5},
                                                                     {"5.", 5},
                                                                     {"0x10", 16},
                                                                     {"0x1p4", 16},
                                                                     {"0x.8", 0.5},
                                                                     {"+5", 5},
                                                                     {"1e5", 1e5},
                                                                     {"1E5", 1e5},
                                                                     {"007", 7},
                                                                     {"-007", -7},
                                                                     {"3.0", 3},
                                                                     {"1.5e-3", 0.0015},
                                                                     {"0.1", 0.1},
                                                                     {"5e-324", 5e-324},
                                                                     {"1e-310", 1e-310},
                                                                     {"0x1p-1074", 5e-324},
                                                                     {"0e999999999999", 0},
                                                                     {"9007199254740993", 9007199254740992.0},
                                                                     {"1.7976931348623157e308", 1.7976931348623157e308},
                                                                     {"+inf", HUGE_VAL},
                                                                     {"-Infinity", -HUGE_VAL},
                                                                     {"INF", HUGE_VAL},
                                                                     {"infinity", HUGE_VAL},
                                                                     {"0", 0}};
  for (const auto& [text, value] : accepted) {
    const std::optional<double> parsed = parse_double(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(*parsed, value) << text;
  }
  EXPECT_TRUE(std::signbit(parse_double("-0").value()));
  EXPECT_EQ(parse_double(std::string(300, '0') + "1"), 1.0);
}

TEST(Number, doubles_refuse_space_rest_and_what_leaves_the_range) {
  for (const auto text :
       {""sv,       "."sv,     "0x"sv,     "infinit"sv, "nan"sv,     "NaN"sv,       "-nan"sv,
        "nan(1)"sv, "++5"sv,   " 5"sv,     "5 "sv,      "\t5"sv,     "5\0"sv,       "\0005"sv,
        "1e"sv,     "e5"sv,    "1_0"sv,    "1,5"sv,     "-"sv,       "+"sv,         "1e+"sv,
        "1p3"sv,    "1e400"sv, "-1e400"sv, "1e-400"sv,  "-1e-400"sv, "0x1p-1080"sv, "1.7976931348623159e308"sv}) {
    EXPECT_FALSE(parse_double(text)) << text;
  }
}

TEST(Number, doubles_agree_with_strtod_on_any_text) {
  Random random(kSeed);
  const std::string_view alphabet = "0123456789..eE+-xinf ";
  for (int round = 0; round < 200'000; ++round) {
    std::string text;
    for (std::uint64_t left = random.below(12); left > 0; --left) text += alphabet[random.below(alphabet.size())];
    char* end = nullptr;
    errno = 0;
    const double expected = std::strtod(text.c_str(), &end);
    const bool whole = !text.empty() && text[0] != ' ' && end == text.c_str() + text.size();
    const bool range = errno != ERANGE || (!std::isinf(expected) && expected != 0);
    const std::optional<double> parsed = parse_double(text);
    ASSERT_EQ(parsed.has_value(), whole && range) << text << " seed " << kSeed;
    if (parsed) {
      ASSERT_EQ(std::bit_cast<std::uint64_t>(*parsed), std::bit_cast<std::uint64_t>(expected)) << text;
    }
  }
}

TEST(Number, range_ends_are_read_loosely) {
  EXPECT_EQ(parse_range_end(" 5"), 5.0);
  EXPECT_EQ(parse_range_end(""), 0.0);
  EXPECT_EQ(parse_range_end("5\0x"sv), 5.0);
  EXPECT_EQ(parse_range_end("1e400"), HUGE_VAL);
  EXPECT_EQ(parse_range_end("1e-400"), 0.0);
  EXPECT_EQ(parse_range_end("-inf"), -HUGE_VAL);
  for (const auto text : {"nan"sv, "5 "sv, "x"sv, "."sv}) EXPECT_FALSE(parse_range_end(text)) << text;
}

TEST(Number, long_doubles_have_their_own_range_and_length) {
  EXPECT_EQ(parse_long_double("1e400"), 1e400L);
  EXPECT_EQ(parse_long_double("1e-400"), 1e-400L);
  EXPECT_EQ(parse_long_double("+inf"), HUGE_VALL);
  EXPECT_EQ(parse_long_double("0x10"), 16.0L);
  EXPECT_EQ(parse_long_double(std::string(5118, '0') + "7"), 7.0L);
  EXPECT_FALSE(parse_long_double(std::string(5119, '0') + "7"));
  for (const auto text :
       {""sv, "."sv, "-"sv, "-."sv, " 5"sv, "5 "sv, "5\0"sv, "nan"sv, "1e5000"sv, "1e-5000"sv, "1.2.3"sv}) {
    EXPECT_FALSE(parse_long_double(text)) << text;
  }
}

TEST(Number, long_doubles_agree_with_strtold_on_plain_decimals) {
  Random random(kSeed);
  for (int round = 0; round < 100'000; ++round) {
    std::string text = random.below(2) != 0 ? "-" : "";
    const std::uint64_t digits = 1 + random.below(22);
    const std::uint64_t point = random.below(digits * 2);
    for (std::uint64_t index = 0; index < digits; ++index) {
      if (index == point) text += '.';
      text += static_cast<char>('0' + random.below(10));
    }
    const long double expected = std::strtold(text.c_str(), nullptr);
    const std::optional<long double> parsed = parse_long_double(text);
    ASSERT_TRUE(parsed) << text;
    ASSERT_EQ(*parsed, expected) << text << " seed " << kSeed;
    ASSERT_EQ(std::signbit(*parsed), std::signbit(expected)) << text;
  }
}

TEST(Number, integers_print_as_decimals) {
  EXPECT_EQ(NumberText(0).view(), "0");
  EXPECT_EQ(NumberText(-1).view(), "-1");
  EXPECT_EQ(NumberText(std::numeric_limits<std::int64_t>::min()).view(), "-9223372036854775808");
  EXPECT_EQ(NumberText(std::numeric_limits<std::uint64_t>::max()).view(), "18446744073709551615");
  Random random(kSeed);
  for (int round = 0; round < 100'000; ++round) {
    const auto value = static_cast<std::int64_t>(random.next()) >> random.below(64);
    ASSERT_EQ(NumberText(value).view(), std::to_string(value));
    ASSERT_EQ(parse_integer(NumberText(value)), value);
  }
  for (std::uint64_t power = 1, digits = 1; digits < 20; power *= 10, ++digits) {
    ASSERT_EQ(NumberText(power).view().size(), digits);
    ASSERT_EQ(NumberText(power * 10 - 1).view().size(), digits);
  }
}

TEST(Number, doubles_print_with_seventeen_digits) {
  EXPECT_EQ(text_of(3.0), "3");
  EXPECT_EQ(text_of(-0.0), "-0");
  EXPECT_EQ(text_of(0.1), "0.10000000000000001");
  EXPECT_EQ(text_of(1e16), "10000000000000000");
  EXPECT_EQ(text_of(1e17), "1e+17");
  EXPECT_EQ(text_of(123456789012345678.0), "1.2345678901234568e+17");
  EXPECT_EQ(text_of(5e-324), "4.9406564584124654e-324");
  EXPECT_EQ(text_of(-2.2250738585072014e-308).size(), kDoubleChars);
  EXPECT_EQ(text_of(HUGE_VAL), "inf");
  EXPECT_EQ(text_of(-HUGE_VAL), "-inf");
  EXPECT_EQ(text_of(std::numeric_limits<double>::quiet_NaN()), "nan");
}

TEST(Number, doubles_print_as_printf_prints_them) {
  Random random(kSeed);
  for (int round = 0; round < 50'000; ++round) {
    const auto any = std::bit_cast<double>(random.next());
    ASSERT_EQ(text_of(any), printf_double(any)) << "seed " << kSeed;
    const double near = static_cast<double>(static_cast<std::int64_t>(random.next())) /
                        std::ldexp(1.0, static_cast<int>(random.below(80)));
    ASSERT_EQ(text_of(near), printf_double(near)) << "seed " << kSeed;
    const double whole = std::trunc(near);
    ASSERT_EQ(text_of(whole), printf_double(whole)) << "seed " << kSeed;
  }
}

TEST(Number, long_doubles_print_without_exponent) {
  EXPECT_EQ(text_of_long(0.1L), "0.1");
  EXPECT_EQ(text_of_long(-0.0L), "0");
  EXPECT_EQ(text_of_long(5e-18L), "0");
  EXPECT_EQ(text_of_long(-1e-18L), "0");
  EXPECT_EQ(text_of_long(1.5e-17L), "0.00000000000000002");
  EXPECT_EQ(text_of_long(123456789012345678.123456789L), "123456789012345678.125");
  EXPECT_EQ(text_of_long(18446744073709551616.0L), "18446744073709551616");
  EXPECT_EQ(text_of_long(1e4932L).size(), 4933U);
  EXPECT_EQ(text_of_long(HUGE_VALL), "inf");
  EXPECT_EQ(text_of_long(0.999999999999999999L), "1");
}

TEST(Number, long_doubles_print_as_printf_prints_them_trimmed) {
  Random random(kSeed);
  for (int round = 0; round < 100'000; ++round) {
    const int scale = static_cast<int>(random.below(140));
    const long double value = std::ldexp(static_cast<long double>(static_cast<std::int64_t>(random.next())), -scale);
    ASSERT_EQ(text_of_long(value), printf_long(value)) << "seed " << kSeed;
    const long double decimal = static_cast<long double>(random.below(100'000)) / 1000 - 50;
    ASSERT_EQ(text_of_long(decimal), printf_long(decimal)) << "seed " << kSeed;
  }
}

}  // namespace
}  // namespace fairlane::base
