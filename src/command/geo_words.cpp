#include "command/geo_words.hpp"

#include <cmath>
#include <cstdio>

#include "fairlane/base/number.hpp"
#include "fairlane/base/text_match.hpp"

namespace fairlane::command::geo {
namespace {

constexpr std::size_t kFixedRoom = 400;  // any double with a few digits behind the point

void reply_degrees(protocol::Reply& reply, double degrees) {
  char text[base::kLongDoubleChars];
  reply.number_text({text, base::format_long_double(text, degrees)});
}

}  // namespace

std::optional<Place> read_place(Args& args, std::string& error) {
  const double longitude = args.number();
  const double latitude = args.number();
  const Place place{longitude, latitude};
  if (!args.ok()) {
    error = args.error();
    return std::nullopt;
  }
  if (place.on_map()) return place;
  char text[2 * kFixedRoom];
  std::snprintf(text, sizeof(text), "ERR invalid longitude,latitude pair %f,%f", longitude, latitude);
  error = text;
  return std::nullopt;
}

std::optional<double> metres_in(std::string_view unit) noexcept {
  if (base::equal_ignoring_case(unit, "m")) return 1;
  if (base::equal_ignoring_case(unit, "km")) return 1000;
  if (base::equal_ignoring_case(unit, "ft")) return 0.3048;
  if (base::equal_ignoring_case(unit, "mi")) return 1609.34;
  return std::nullopt;
}

void reply_distance(protocol::Reply& reply, double distance) {
  // Rounded after the multiplication, which differs from "%.4f" where the product falls between two integers.
  constexpr long long kScale = 10000;
  const long long scaled = std::llrint(distance * kScale);
  char text[2 * base::kIntegerChars + 2];
  const int size = std::snprintf(text, sizeof(text), "%lld.%04lld", scaled / kScale, scaled % kScale);
  reply.bulk({text, static_cast<std::size_t>(size)});
}

void reply_place(protocol::Reply& reply, const Place& place) {
  reply.array(2);
  reply_degrees(reply, place.longitude);
  reply_degrees(reply, place.latitude);
}

}  // namespace fairlane::command::geo
