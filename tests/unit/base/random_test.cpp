#include "fairlane/base/random.hpp"

#include <gtest/gtest.h>

namespace fairlane::base {
namespace {

TEST(SecretDigits, are_as_many_as_were_asked_for_and_never_the_same) {
  for (const std::size_t count : {0U, 1U, 64U, 1024U}) {
    const std::string digits = secret_digits(count);
    EXPECT_EQ(digits.size(), count);
    EXPECT_EQ(digits.find_first_not_of("0123456789abcdef"), std::string::npos) << digits;
  }
  EXPECT_NE(secret_digits(64), secret_digits(64));
}

}  // namespace
}  // namespace fairlane::base
