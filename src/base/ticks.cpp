#include "fairlane/base/ticks.hpp"

namespace fairlane::base {

double ticks_per_microsecond() noexcept {
  static const double rate = [] {
    using namespace std::chrono;
    const auto begin = steady_clock::now();
    const std::uint64_t first = ticks();
    while (steady_clock::now() - begin < milliseconds(1)) {
    }
    const std::uint64_t last = ticks();
    const auto nanos = duration_cast<nanoseconds>(steady_clock::now() - begin).count();
    return static_cast<double>(last - first) * 1000.0 / static_cast<double>(nanos);
  }();
  return rate;
}

}  // namespace fairlane::base
