#include "command/geo.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace fairlane::command::geo {
namespace {

constexpr unsigned kMostBits = 26;  // of a coordinate, in a score
constexpr double kRadian = std::numbers::pi / 180.0;
constexpr double kEarthRadius = 6372797.560856;
constexpr double kHalfEquator = 20037726.37;

struct Span {
  double low;
  double high;
  double size() const noexcept { return high - low; }
};
constexpr Span kLongitudes{-180, 180};
constexpr Span kLatitudes{-85.05112878, 85.05112878};
constexpr Span kAllLatitudes{-90, 90};

double radians(double degrees) noexcept { return degrees * kRadian; }
double degrees(double radians) noexcept { return radians / kRadian; }

/// The bits of a number, each followed by a zero.
std::uint64_t spread(std::uint32_t number) noexcept {
  std::uint64_t bits = number;
  bits = (bits | bits << 16) & 0x0000FFFF0000FFFFULL;
  bits = (bits | bits << 8) & 0x00FF00FF00FF00FFULL;
  bits = (bits | bits << 4) & 0x0F0F0F0F0F0F0F0FULL;
  bits = (bits | bits << 2) & 0x3333333333333333ULL;
  return (bits | bits << 1) & 0x5555555555555555ULL;
}

/// Every second bit, from the lowest on.
std::uint32_t gathered(std::uint64_t bits) noexcept {
  bits &= 0x5555555555555555ULL;
  bits = (bits | bits >> 1) & 0x3333333333333333ULL;
  bits = (bits | bits >> 2) & 0x0F0F0F0F0F0F0F0FULL;
  bits = (bits | bits >> 4) & 0x00FF00FF00FF00FFULL;
  bits = (bits | bits >> 8) & 0x0000FFFF0000FFFFULL;
  return static_cast<std::uint32_t>(bits | bits >> 16);
}

/// One of the 2^bits parts of a span, counted from its low end.
std::uint32_t part_of(double value, const Span& span, unsigned bits) noexcept {
  return static_cast<std::uint32_t>((value - span.low) / span.size() * static_cast<double>(std::uint64_t{1} << bits));
}

Span span_of(std::uint32_t part, const Span& whole, unsigned bits) noexcept {
  const auto parts = static_cast<double>(std::uint64_t{1} << bits);
  return {whole.low + part / parts * whole.size(), whole.low + (part + 1) / parts * whole.size()};
}

/// A field of the map when each coordinate is cut into 2^bits parts.
struct Cell {
  std::uint32_t column;  // along the longitudes
  std::uint32_t row;
  unsigned bits;

  bool operator==(const Cell&) const = default;

  static Cell at(const Place& place, unsigned bits) noexcept {
    return {part_of(place.longitude, kLongitudes, bits), part_of(place.latitude, kLatitudes, bits), bits};
  }
  std::uint64_t number() const noexcept { return spread(row) | spread(column) << 1; }
  Span longitudes() const noexcept { return span_of(column, kLongitudes, bits); }
  Span latitudes() const noexcept { return span_of(row, kLatitudes, bits); }

  /// The map goes on at its other side.
  Cell neighbour(int columns, int rows) const noexcept {
    const std::uint32_t mask = (1U << bits) - 1;
    const auto moved = [mask](std::uint32_t part, int by) {
      return by == 0 ? part : (part + static_cast<std::uint32_t>(by)) & mask;
    };
    return {moved(column, columns), moved(row, rows), bits};
  }

  ScoreRange scores() const noexcept {
    const unsigned unused = 2 * (kMostBits - bits);
    return {static_cast<double>(number() << unused), static_cast<double>((number() + 1) << unused)};
  }
};

/// The whole part of a score, modulo 2^64 when it is negative. What is out of all range becomes what an x86 processor
/// makes of it: any score may stand in a sorted set, and redis-server answers a place for it.
std::uint64_t cell_number(double score) noexcept {
  constexpr double kBorder = 9223372036854775808.0;
  constexpr auto kIndefinite = std::numeric_limits<std::int64_t>::min();
  const auto truncated = [](double value) {
    return value >= -kBorder && value < kBorder ? static_cast<std::int64_t>(value) : kIndefinite;
  };
  if (score < kBorder) return static_cast<std::uint64_t>(truncated(score));
  return static_cast<std::uint64_t>(truncated(score - kBorder)) ^ std::uint64_t{1} << 63;
}

double middle(const Span& part, const Span& whole) noexcept {
  return std::clamp((part.low + part.high) / 2, whole.low, whole.high);
}

}  // namespace

bool Place::on_map() const noexcept {
  return longitude >= kLongitudes.low && longitude <= kLongitudes.high && latitude >= kLatitudes.low &&
         latitude <= kLatitudes.high;
}

double score_of(const Place& place) noexcept { return static_cast<double>(Cell::at(place, kMostBits).number()); }

Place place_of(double score) noexcept {
  const std::uint64_t number = cell_number(score);
  const Cell cell{gathered(number >> 1), gathered(number), kMostBits};
  return {middle(cell.longitudes(), kLongitudes), middle(cell.latitudes(), kLatitudes)};
}

std::string geohash_of(double score) {
  constexpr std::string_view kLetters = "0123456789bcdefghjkmnpqrstuvwxyz";
  constexpr unsigned kLength = 11;
  // Geohashes reach up to the poles, scores do not.
  const Place place = place_of(score);
  const std::uint64_t number = spread(part_of(place.latitude, kAllLatitudes, kMostBits)) |
                               spread(part_of(place.longitude, kLongitudes, kMostBits)) << 1;
  std::string text;
  for (unsigned i = 1; i < kLength; ++i) text += kLetters[number >> (2 * kMostBits - 5 * i) & 31U];
  // There are 52 bits, enough for ten letters.
  return text + kLetters[0];
}

double distance(const Place& from, const Place& to) noexcept {
  const double from_latitude = radians(from.latitude);
  const double to_latitude = radians(to.latitude);
  const double u = std::sin((to_latitude - from_latitude) / 2);
  const double v = std::sin((radians(to.longitude) - radians(from.longitude)) / 2);
  return 2.0 * kEarthRadius * std::asin(std::sqrt(u * u + std::cos(from_latitude) * std::cos(to_latitude) * v * v));
}

Area Area::circle(double radius, double unit) noexcept {
  Area area;
  area.radius_ = radius;
  area.unit_ = unit;
  return area;
}

Area Area::box(double width, double height, double unit) noexcept {
  Area area;
  area.is_box_ = true;
  area.width_ = width;
  area.height_ = height;
  area.unit_ = unit;
  return area;
}

std::optional<double> Area::distance_within(const Place& place) const noexcept {
  if (is_box_) {
    // Along the parallel of the place, which is shorter nearer to a pole, and along its meridian.
    const double across = distance(place, {center_.longitude, place.latitude});
    const double along = distance(place, {place.longitude, center_.latitude});
    if (across > width_ * unit_ / 2 || along > height_ * unit_ / 2) return std::nullopt;
  }
  const double metres = distance(center_, place);
  if (!is_box_ && metres > radius_ * unit_) return std::nullopt;
  return metres;
}

Area::Bounds Area::bounds() const noexcept {
  const double half_height = unit_ * (is_box_ ? height_ / 2 : radius_);
  const double half_width = unit_ * (is_box_ ? width_ / 2 : radius_);
  const double rows = degrees(half_height / kEarthRadius);
  // The edge that is farther from the equator spans more degrees.
  const double edge = center_.latitude < 0 ? center_.latitude - rows : center_.latitude + rows;
  const double columns = degrees(half_width / kEarthRadius / std::cos(radians(edge)));
  return {{center_.longitude - columns, center_.latitude - rows},
          {center_.longitude + columns, center_.latitude + rows}};
}

/// How many bits cells have that are about as large as the area: nine of them should cover it.
unsigned Area::fitting_bits() const noexcept {
  const double half_width = width_ / 2;
  const double half_height = height_ / 2;
  double reach = (is_box_ ? std::sqrt(half_width * half_width + half_height * half_height) : radius_) * unit_;
  if (reach == 0) return kMostBits;
  int bits = -1;
  for (; reach < kHalfEquator; reach *= 2) ++bits;
  // Towards the poles cells get narrow.
  if (std::abs(center_.latitude) > 66) --bits;
  if (std::abs(center_.latitude) > 80) --bits;
  return static_cast<unsigned>(std::clamp<int>(bits, 1, kMostBits));
}

std::vector<ScoreRange> Area::score_ranges() const {
  const Bounds edges = bounds();
  Cell cell = Cell::at(center_, fitting_bits());
  const bool too_small = cell.neighbour(0, 1).latitudes().high < edges.high.latitude ||
                         cell.neighbour(0, -1).latitudes().low > edges.low.latitude ||
                         cell.neighbour(1, 0).longitudes().high < edges.high.longitude ||
                         cell.neighbour(-1, 0).longitudes().low > edges.low.longitude;
  if (too_small && cell.bits > 1) cell = Cell::at(center_, cell.bits - 1);

  // Large cells may be the neighbours of their neighbours; of the others, those beyond the edges are left out. An edge
  // at infinity is no number, and leaves out nothing.
  const bool selects = cell.bits >= 2;
  const Span columns = cell.longitudes();
  const Span rows = cell.latitudes();
  const bool west = !selects || !(columns.low < edges.low.longitude);
  const bool east = !selects || !(columns.high > edges.high.longitude);
  const bool south = !selects || !(rows.low < edges.low.latitude);
  const bool north = !selects || !(rows.high > edges.high.latitude);

  std::vector<ScoreRange> ranges{cell.scores()};
  std::optional<Cell> last;
  const auto add = [&](bool wanted, int column, int row) {
    const Cell next = cell.neighbour(column, row);
    if (!wanted || next == last) return;
    ranges.push_back(next.scores());
    last = next;
  };
  add(north, 0, 1);
  add(south, 0, -1);
  add(east, 1, 0);
  add(west, -1, 0);
  add(north && east, 1, 1);
  add(north && west, -1, 1);
  add(south && east, 1, -1);
  add(south && west, -1, -1);
  return ranges;
}

}  // namespace fairlane::command::geo
