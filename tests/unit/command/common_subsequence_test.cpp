#include "command/common_subsequence.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fairlane/base/random.hpp"

namespace fairlane::command {
namespace {

std::string random_text(base::Random& random) {
  std::string text(random.below(12), '\0');
  for (char& byte : text) byte = static_cast<char>('a' + random.below(3));
  return text;
}

bool is_subsequence(std::string_view part, std::string_view text) {
  for (const char byte : text) {
    if (!part.empty() && part.front() == byte) part.remove_prefix(1);
  }
  return part.empty();
}

/// By trying every subsequence of the shorter text.
std::size_t longest_by_trying(std::string_view left, std::string_view right) {
  std::size_t longest = 0;
  for (std::size_t chosen = 0; chosen < (std::size_t{1} << left.size()); ++chosen) {
    std::string part;
    for (std::size_t i = 0; i < left.size(); ++i) {
      if ((chosen >> i & 1U) != 0) part += left[i];
    }
    if (part.size() > longest && is_subsequence(part, right)) longest = part.size();
  }
  return longest;
}

TEST(CommonSubsequence, is_as_long_as_the_best_of_all_subsequences) {
  constexpr std::uint64_t kSeed = 11;
  SCOPED_TRACE(kSeed);
  base::Random random(kSeed);
  for (int round = 0; round < 300; ++round) {
    const std::string left = random_text(random);
    const std::string right = random_text(random);
    SCOPED_TRACE(left + " " + right);
    const CommonSubsequence common(left, right);
    const std::string text = common.text();
    EXPECT_EQ(text.size(), longest_by_trying(left, right));
    EXPECT_EQ(text.size(), common.length());
    EXPECT_EQ(text.size(), common_length(left, right));
    EXPECT_TRUE(is_subsequence(text, left));
    EXPECT_TRUE(is_subsequence(text, right));
  }
}

TEST(CommonSubsequence, matches_are_equal_stretches_in_falling_order_and_make_up_the_text) {
  constexpr std::uint64_t kSeed = 12;
  SCOPED_TRACE(kSeed);
  base::Random random(kSeed);
  for (int round = 0; round < 300; ++round) {
    const std::string left = random_text(random);
    const std::string right = random_text(random);
    SCOPED_TRACE(left + " " + right);
    const CommonSubsequence common(left, right);
    std::string text;
    std::size_t left_end = left.size();
    std::size_t right_end = right.size();
    common.for_each([&](const CommonSubsequence::Match& match) {
      EXPECT_LE(match.left + match.length, left_end);
      EXPECT_LE(match.right + match.length, right_end);
      const std::string stretch = left.substr(match.left, match.length);
      EXPECT_EQ(stretch, right.substr(match.right, match.length));
      text = stretch + text;
      left_end = match.left;
      right_end = match.right;
    });
    EXPECT_EQ(text, common.text());
  }
}

TEST(CommonSubsequence, memory_that_no_number_can_tell_is_zero) {
  EXPECT_EQ(CommonSubsequence::memory(0, 0), 4U);
  EXPECT_EQ(CommonSubsequence::memory(1, 2), 24U);
  EXPECT_EQ(CommonSubsequence::memory(SIZE_MAX / 2, 2), 0U);
  EXPECT_EQ(CommonSubsequence::memory(std::size_t{1} << 31U, std::size_t{1} << 31U), 0U);
}

}  // namespace
}  // namespace fairlane::command
