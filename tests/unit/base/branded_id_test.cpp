#include "fairlane/base/branded_id.hpp"

#include <gtest/gtest.h>

#include <string>

#include "fairlane/base/random.hpp"

namespace fairlane::base {
namespace {

constexpr std::uint64_t kSeed = 11;

TEST(BrandedId, known_ids_decode) {
  const std::optional<BrandedId> first = parse_branded_id("USR0KHTOWnGLuC");
  ASSERT_TRUE(first);
  EXPECT_EQ(first->brand_text(), "USR");
  EXPECT_EQ(first->snowflake, 274557032793636864U);
  EXPECT_EQ(first->unix_ms(), 1769526697641U);
  EXPECT_EQ(first->node(), 0U);
  EXPECT_EQ(first->sequence(), 0U);

  const std::optional<BrandedId> second = parse_branded_id("USR0NgWEfAEJfs");
  ASSERT_TRUE(second);
  EXPECT_EQ(second->snowflake, 320636799581945856U);
  EXPECT_EQ(second->unix_ms(), 1780512970164U);

  const std::optional<BrandedId> third = parse_branded_id("EVT000xY9Wvvcd");
  ASSERT_TRUE(third);
  EXPECT_EQ(third->brand_text(), "EVT");
  EXPECT_EQ(third->snowflake, 209715201620567U);
  EXPECT_EQ(third->unix_ms(), 1704117200000U);
  EXPECT_EQ(third->node(), 395U);
  EXPECT_EQ(third->sequence(), 2647U);
}

TEST(BrandedId, known_payloads_encode) {
  EXPECT_EQ(BrandedIdText("JOB", 0).view(), "JOB00000000000");
  EXPECT_EQ(BrandedIdText("JOB", 61).view(), "JOB0000000000z");
  EXPECT_EQ(BrandedIdText("JOB", 62).view(), "JOB00000000010");
  EXPECT_EQ(BrandedIdText("JOB", 3843).view(), "JOB000000000zz");
  EXPECT_EQ(BrandedIdText("JOB", kMaxSnowflake).view(), "JOBAzL8n0Y58m7");
  EXPECT_EQ(BrandedIdText("USR", 274557032793636864U).view(), "USR0KHTOWnGLuC");
  EXPECT_EQ(BrandedIdText("EVT", 209715201620567U).view(), "EVT000xY9Wvvcd");
}

TEST(BrandedId, invalid_texts_are_refused) {
  for (const auto* text : {"", "JOB", "JOBzzzzzzzzzzz", "JOBAzL8n0Y58m8", "JOB0000000000", "JOB000000000000",
                           "job00000000000", "JoB00000000000", "J0B00000000000", "JOB0000000000-", "JOB0000000_000",
                           "JOB 0000000000", "JOB0000000000\xC3"}) {
    EXPECT_FALSE(parse_branded_id(text)) << text;
  }
  EXPECT_FALSE(is_brand("JO"));
  EXPECT_FALSE(is_brand("JOBS"));
}

TEST(BrandedId, byte_order_is_number_order) {
  Random random(kSeed);
  for (int round = 0; round < 20'000; ++round) {
    const std::uint64_t left = (random.next() >> 1) >> random.below(63);
    const std::uint64_t right = (random.next() >> 1) >> random.below(63);
    const BrandedIdText left_text("JOB", left);
    const BrandedIdText right_text("JOB", right);
    ASSERT_EQ(left < right, left_text.view() < right_text.view()) << "seed " << kSeed;
    ASSERT_EQ(parse_branded_id(left_text).value().snowflake, left) << "seed " << kSeed;
  }
}

TEST(Minter, the_first_id_of_a_millisecond_has_sequence_zero) {
  Minter minter(395);
  const BrandedId id{{'J', 'O', 'B'}, minter.next(1780512970164)};
  EXPECT_EQ(id.unix_ms(), 1780512970164U);
  EXPECT_EQ(id.node(), 395U);
  EXPECT_EQ(id.sequence(), 0U);
}

TEST(Minter, ids_rise_and_keep_their_node_when_the_sequence_overflows) {
  Minter minter(kMaxNode);
  std::uint64_t last = minter.next(kBrandedIdEpoch + 5);
  for (int round = 0; round < 10'000; ++round) {
    const BrandedId id{{'J', 'O', 'B'}, minter.next(kBrandedIdEpoch + 5)};
    ASSERT_GT(id.snowflake, last);
    ASSERT_EQ(id.node(), kMaxNode);
    last = id.snowflake;
  }
  EXPECT_EQ(BrandedId({{}, last}).unix_ms(), kBrandedIdEpoch + 5 + 10'000 / 4096);
  EXPECT_EQ(BrandedId({{}, last}).sequence(), 10'000U % 4096);
}

TEST(Minter, ids_rise_when_the_clock_steps_back) {
  Minter minter(1);
  const std::uint64_t before = minter.next(1780512970164);
  EXPECT_EQ(minter.next(1780512970164 - 60'000), before + 1);
  EXPECT_EQ(minter.next(0), before + 2);
  const BrandedId later{{}, minter.next(1780512970165)};
  EXPECT_EQ(later.unix_ms(), 1780512970165U);
  EXPECT_EQ(later.sequence(), 0U);
}

TEST(Minter, ids_rise_past_an_id_read_back) {
  Minter minter(3);
  Minter other(900);
  const std::uint64_t seen = other.next(1780512970164);
  minter.resume_after(seen);
  EXPECT_GT(minter.next(1780512970000), seen);
  Minter same(3);
  const std::uint64_t own = minter.next(1780512970000);
  same.resume_after(own);
  EXPECT_EQ(same.next(0), own + 1);
}

}  // namespace
}  // namespace fairlane::base
