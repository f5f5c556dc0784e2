#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Places on the earth as scores of a sorted set, and areas around them. Every step is computed in the order in which
/// redis-server computes it, so that the last bit of a coordinate or a distance is the same.
namespace fairlane::command::geo {

/// In degrees.
struct Place {
  double longitude = 0;
  double latitude = 0;

  /// Near the poles the map that scores stand for has nothing.
  bool on_map() const noexcept;
};

/// The score of a place: 26 bits of the longitude and 26 of the latitude, in turn, so that close scores are close
/// places. The place is on the map.
double score_of(const Place& place) noexcept;
/// The middle of the cell that a score stands for; of any score whatever.
Place place_of(double score) noexcept;
/// The 11 letters that other software calls a geohash, of the place that a score stands for.
std::string geohash_of(double score);
/// In metres, on a sphere.
double distance(const Place& from, const Place& to) noexcept;

/// Scores from low up to but without high.
struct ScoreRange {
  double low;
  double high;
};

/// A circle, or a box with sides along the meridians, around a place.
class Area {
 public:
  Area() noexcept = default;
  /// Lengths are given in units of so many metres.
  static Area circle(double radius, double unit) noexcept;
  static Area box(double width, double height, double unit) noexcept;

  void move_to(const Place& center) noexcept { center_ = center; }
  double unit() const noexcept { return unit_; }

  /// How many metres from the centre the place is; nothing when it lies outside.
  std::optional<double> distance_within(const Place& place) const noexcept;
  /// Where the scores of all places inside are, and some others: up to nine cells of the map, the one in the middle
  /// first.
  std::vector<ScoreRange> score_ranges() const;

 private:
  struct Bounds {
    Place low;
    Place high;
  };
  Bounds bounds() const noexcept;
  unsigned fitting_bits() const noexcept;

  bool is_box_ = false;
  Place center_;
  double radius_ = 0;
  double width_ = 0;
  double height_ = 0;
  double unit_ = 1;
};

}  // namespace fairlane::command::geo
