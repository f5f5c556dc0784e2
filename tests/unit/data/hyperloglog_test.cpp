#include "fairlane/data/hyperloglog.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "fairlane/base/random.hpp"

namespace fairlane::data {
namespace {

using Form = HyperLogLog::Form;
using Mark = HyperLogLog::Mark;
using Raised = HyperLogLog::Raised;
using namespace std::string_view_literals;

constexpr std::size_t kLimit = 3000;
constexpr std::string_view kStaleHead = "HYLL\1\0\0\0\0\0\0\0\0\0\0\x80"sv;

std::string sparse(std::string_view runs) { return std::string(kStaleHead).append(runs); }

/// The registers of a sketch, read through its dense form.
std::array<std::uint8_t, HyperLogLog::kRegisters> registers_of(HyperLogLog sketch) {
  EXPECT_TRUE(sketch.make_dense());
  std::array<std::uint8_t, HyperLogLog::kRegisters> registers{};
  for (std::size_t i = 0; i < registers.size(); ++i) {
    registers[i] = HyperLogLog::dense_register(sketch.bytes(), i);
  }
  return registers;
}

TEST(HyperLogLog, an_empty_one_is_a_run_of_zeros) {
  const HyperLogLog sketch;
  EXPECT_EQ(sketch.bytes(), "HYLL\1\0\0\0\0\0\0\0\0\0\0\0\x7f\xff"sv);
  EXPECT_TRUE(HyperLogLog::recognizes(sketch.bytes()));
  EXPECT_EQ(HyperLogLog::kept_count(sketch.bytes()), 0U);
  EXPECT_EQ(HyperLogLog::count(sketch.bytes()), 0U);
  EXPECT_EQ(HyperLogLog::describe_runs(sketch.bytes()), "Z:16384");
}

TEST(HyperLogLog, is_known_by_its_head_and_length) {
  for (const std::string_view bytes :
       {""sv, "HYLL"sv, "HYLL\1\0\0\0\0\0\0\0\0\0\0"sv, "HYLM\1\0\0\0\0\0\0\0\0\0\0\0\x7f\xff"sv,
        "HYLL\2\0\0\0\0\0\0\0\0\0\0\0\x7f\xff"sv, "HYLL\0\0\0\0\0\0\0\0\0\0\0\0\x7f\xff"sv}) {
    EXPECT_FALSE(HyperLogLog::recognizes(bytes)) << bytes;
  }
  EXPECT_TRUE(HyperLogLog::recognizes(kStaleHead));
  std::string dense(HyperLogLog::kDenseBytes, '\0');
  dense.replace(0, 4, "HYLL");
  EXPECT_TRUE(HyperLogLog::recognizes(dense));
  EXPECT_FALSE(HyperLogLog::recognizes(dense + '\0'));
}

TEST(HyperLogLog, a_count_is_kept_and_forgotten) {
  HyperLogLog sketch;
  HyperLogLog::keep_count(sketch.data(), 0x0102030405060708);
  EXPECT_EQ(sketch.bytes().substr(8, 8), "\x08\x07\x06\x05\x04\x03\x02\x01"sv);
  EXPECT_EQ(HyperLogLog::kept_count(sketch.bytes()), 0x0102030405060708U);
  HyperLogLog::forget_count(sketch.data());
  EXPECT_EQ(HyperLogLog::kept_count(sketch.bytes()), std::nullopt);
}

TEST(HyperLogLog, a_run_is_split_where_a_register_rises) {
  HyperLogLog sketch;
  EXPECT_EQ(sketch.raise({100, 3}, kLimit), Raised::yes);
  EXPECT_EQ(HyperLogLog::describe_runs(sketch.bytes()), "Z:100 v:3,1 Z:16283");
  EXPECT_EQ(sketch.raise({100, 3}, kLimit), Raised::no);
  EXPECT_EQ(sketch.raise({100, 2}, kLimit), Raised::no);
  EXPECT_EQ(sketch.raise({0, 1}, kLimit), Raised::yes);
  EXPECT_EQ(HyperLogLog::describe_runs(sketch.bytes()), "v:1,1 Z:99 v:3,1 Z:16283");
  EXPECT_EQ(sketch.raise({16383, 32}, kLimit), Raised::yes);
  EXPECT_EQ(HyperLogLog::describe_runs(sketch.bytes()), "v:1,1 Z:99 v:3,1 Z:16282 v:32,1");
  EXPECT_EQ(sketch.raise({64, 2}, kLimit), Raised::yes);
  EXPECT_EQ(HyperLogLog::describe_runs(sketch.bytes()), "v:1,1 z:63 v:2,1 z:35 v:3,1 Z:16282 v:32,1");
}

TEST(HyperLogLog, equal_neighbours_become_one_run_of_four_at_most) {
  HyperLogLog sketch;
  for (const std::uint32_t index : {10U, 12U, 11U}) sketch.raise({index, 5}, kLimit);
  EXPECT_EQ(HyperLogLog::describe_runs(sketch.bytes()), "z:10 v:5,3 Z:16371");
  sketch.raise({13, 5}, kLimit);
  sketch.raise({14, 5}, kLimit);
  EXPECT_EQ(HyperLogLog::describe_runs(sketch.bytes()), "z:10 v:5,4 v:5,1 Z:16369");
  sketch.raise({12, 6}, kLimit);
  EXPECT_EQ(HyperLogLog::describe_runs(sketch.bytes()), "z:10 v:5,2 v:6,1 v:5,2 Z:16369");
}

TEST(HyperLogLog, becomes_dense_past_the_limit_or_for_a_high_rank) {
  HyperLogLog sketch;
  EXPECT_EQ(sketch.raise({5, 1}, 19), Raised::yes);
  EXPECT_EQ(sketch.form(), Form::dense);
  EXPECT_EQ(sketch.bytes().size(), HyperLogLog::kDenseBytes);
  EXPECT_EQ(HyperLogLog::dense_register(sketch.bytes(), 5), 1U);

  HyperLogLog high;
  EXPECT_EQ(high.raise({7, 32}, kLimit), Raised::yes);
  EXPECT_EQ(high.form(), Form::sparse);
  EXPECT_EQ(high.raise({7, 33}, kLimit), Raised::yes);
  EXPECT_EQ(high.form(), Form::dense);
  EXPECT_EQ(high.raise({7, 33}, kLimit), Raised::no);
}

TEST(HyperLogLog, dense_registers_do_not_touch_each_other) {
  HyperLogLog sketch;
  ASSERT_TRUE(sketch.make_dense());
  for (std::uint32_t i = 0; i < HyperLogLog::kRegisters; ++i) {
    sketch.raise({i, static_cast<std::uint8_t>(i * 7 % 51 + 1)}, 0);
  }
  for (std::uint32_t i = 0; i < HyperLogLog::kRegisters; ++i) {
    ASSERT_EQ(HyperLogLog::dense_register(sketch.bytes(), i), i * 7 % 51 + 1);
  }
}

TEST(HyperLogLog, agrees_with_an_array_of_registers) {
  base::Random random(7);
  for (int round = 0; round < 20; ++round) {
    HyperLogLog sketch;
    std::array<std::uint8_t, HyperLogLog::kRegisters> model{};
    const std::size_t limit = round % 2 == 0 ? HyperLogLog::kDenseBytes * 2 : kLimit;
    const std::uint64_t span = 1 + random.below(HyperLogLog::kRegisters);
    for (int step = 0; step < 3000; ++step) {
      const Mark mark{static_cast<std::uint32_t>(random.below(span)), static_cast<std::uint8_t>(1 + random.below(5))};
      const bool rises = mark.rank > model[mark.index];
      ASSERT_EQ(sketch.raise(mark, limit), rises ? Raised::yes : Raised::no);
      if (rises) model[mark.index] = mark.rank;
    }
    ASSERT_EQ(registers_of(sketch), model);
    HyperLogLogUnion all;
    ASSERT_TRUE(all.add(sketch.bytes()));
    ASSERT_EQ(all.count(), HyperLogLog::count(sketch.bytes()));
  }
}

TEST(HyperLogLog, estimates_within_a_few_standard_errors) {
  base::Random random(3);
  HyperLogLog sketch;
  std::uint64_t added = 0;
  for (const std::uint64_t target : {1U, 10U, 100U, 1000U, 10000U, 100000U}) {
    for (; added < target; ++added) sketch.raise(Mark::of(std::to_string(random.next())), kLimit);
    const auto count = static_cast<double>(HyperLogLog::count(sketch.bytes()).value());
    const auto truth = static_cast<double>(target);
    EXPECT_LE(std::abs(count - truth), std::max(1.0, truth * 0.04)) << target;
  }
}

TEST(HyperLogLog, a_union_has_the_highest_of_each_register) {
  HyperLogLog one;
  HyperLogLog other;
  one.raise({1, 5}, kLimit);
  one.raise({2, 1}, kLimit);
  other.raise({2, 40}, kLimit);
  HyperLogLogUnion all;
  EXPECT_EQ(all.count(), 0U);
  ASSERT_TRUE(all.add(one.bytes()));
  ASSERT_TRUE(all.add(other.bytes()));
  EXPECT_EQ(all[0], 0U);
  EXPECT_EQ(all[1], 5U);
  EXPECT_EQ(all[2], 40U);
}

TEST(HyperLogLog, runs_that_do_not_fit_are_corrupt) {
  for (const std::string_view runs :
       {""sv, "\0"sv, "\x7f\xfe"sv, "\x7f\xff\0"sv, "\x7f\xff\x84"sv, "\x7f\xfe\x87"sv, "\x7f"sv}) {
    const std::string bytes = sparse(runs);
    ASSERT_TRUE(HyperLogLog::recognizes(bytes));
    EXPECT_EQ(HyperLogLog::count(bytes), std::nullopt);
    EXPECT_FALSE(HyperLogLogUnion().add(bytes));
    HyperLogLog sketch(bytes);
    EXPECT_FALSE(sketch.make_dense());
    EXPECT_EQ(sketch.raise({3, 33}, kLimit), Raised::corrupt);
    EXPECT_EQ(sketch.bytes(), bytes);
  }
  HyperLogLog behind(sparse("\0"));
  EXPECT_EQ(behind.raise({1, 1}, kLimit), Raised::corrupt);
}

}  // namespace
}  // namespace fairlane::data
