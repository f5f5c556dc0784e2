#include "command/geo.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "fairlane/base/random.hpp"

namespace fairlane::command::geo {
namespace {

constexpr Place kPalermo{13.361389, 38.115556};
constexpr Place kCatania{15.087269, 37.502669};

double between(base::Random& random, double low, double high) {
  return low + (high - low) * static_cast<double>(random.below(1U << 30)) / (1U << 30);
}

bool covers(const std::vector<ScoreRange>& ranges, double score) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [score](const ScoreRange& range) { return score >= range.low && score < range.high; });
}

TEST(Geo, the_map_has_borders) {
  EXPECT_TRUE((Place{180, 85.05112878}.on_map()));
  EXPECT_TRUE((Place{-180, -85.05112878}.on_map()));
  EXPECT_FALSE((Place{180.1, 0}.on_map()));
  EXPECT_FALSE((Place{0, 85.06}.on_map()));
  EXPECT_FALSE((Place{0, -std::numeric_limits<double>::infinity()}.on_map()));
}

TEST(Geo, scores_are_those_of_redis) {
  EXPECT_EQ(score_of(kPalermo), 3479099956230698.0);
  EXPECT_EQ(score_of(kCatania), 3479447370796909.0);
  EXPECT_EQ(geohash_of(score_of(kPalermo)), "sqc8b49rny0");
  EXPECT_NEAR(distance(place_of(score_of(kPalermo)), place_of(score_of(kCatania))), 166274.1516, 0.0001);
}

TEST(Geo, a_place_comes_back_from_its_score) {
  base::Random random(1);
  for (int i = 0; i < 10000; ++i) {
    const Place place{between(random, -180, 180), between(random, -85, 85)};
    const Place back = place_of(score_of(place));
    ASSERT_NEAR(back.longitude, place.longitude, 1e-5);
    ASSERT_NEAR(back.latitude, place.latitude, 1e-5);
    ASSERT_EQ(score_of(back), score_of(place));
  }
}

TEST(Geo, any_score_is_some_place) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double score : {0.0, -1.0, 3.7, 4503599627370496.0, 1e17, 1e19, -1e19, 1e300, kInfinity, -kInfinity}) {
    EXPECT_TRUE(place_of(score).on_map()) << score;
  }
}

TEST(Geo, distance_is_symmetric_and_grows_with_the_angle) {
  EXPECT_EQ(distance(kPalermo, kPalermo), 0);
  EXPECT_EQ(distance(kPalermo, kCatania), distance(kCatania, kPalermo));
  EXPECT_NEAR(distance({0, 0}, {180, 0}), 6372797.560856 * std::acos(-1.0), 1);
}

TEST(Geo, an_area_holds_what_is_near_its_centre) {
  Area circle = Area::circle(200, 1000);
  circle.move_to(kPalermo);
  EXPECT_TRUE(circle.distance_within(kCatania));
  Area narrow = Area::box(100, 1000, 1000);
  narrow.move_to(kPalermo);
  EXPECT_FALSE(narrow.distance_within(kCatania));
  Area wide = Area::box(1000, 1000, 1000);
  wide.move_to(kPalermo);
  EXPECT_EQ(wide.distance_within(kCatania), distance(kPalermo, kCatania));
}

TEST(Geo, all_that_an_area_holds_has_a_score_in_its_ranges) {
  base::Random random(5);
  std::size_t inside = 0;
  for (int round = 0; round < 2000; ++round) {
    const double reach = std::pow(10, between(random, 0, 6));
    Area area = random.below(2) == 0 ? Area::circle(reach, 1) : Area::box(2 * reach, reach, 1);
    // What lies beyond the date line, or beyond a pole, redis-server does not look for in every case.
    const Place center{between(random, -90, 90), between(random, -60, 60)};
    area.move_to(center);
    const auto ranges = area.score_ranges();
    ASSERT_LE(ranges.size(), 9U);
    for (int i = 0; i < 20; ++i) {
      const double degrees = reach / 111000;
      const Place place{center.longitude + between(random, -degrees, degrees),
                        center.latitude + between(random, -degrees, degrees)};
      const double score = place.on_map() ? score_of(place) : 0;
      if (!place.on_map() || !area.distance_within(place_of(score))) continue;
      ++inside;
      ASSERT_TRUE(covers(ranges, score)) << center.longitude << ' ' << center.latitude << ' ' << reach;
    }
  }
  EXPECT_GT(inside, 10000U);
}

TEST(Geo, ranges_do_not_overlap) {
  base::Random random(9);
  for (int round = 0; round < 2000; ++round) {
    Area area = Area::circle(std::pow(10, between(random, 0, 8)), 1);
    area.move_to({between(random, -180, 180), between(random, -85, 85)});
    auto ranges = area.score_ranges();
    std::sort(ranges.begin(), ranges.end(), [](const auto& a, const auto& b) { return a.low < b.low; });
    for (std::size_t i = 1; i < ranges.size(); ++i) ASSERT_LE(ranges[i - 1].high, ranges[i].low);
  }
}

}  // namespace
}  // namespace fairlane::command::geo
