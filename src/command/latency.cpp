#include "fairlane/command/latency.hpp"

#include <cmath>
#include <numeric>

namespace fairlane::command {

std::uint64_t Latency::calls() const noexcept {
  return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
}

std::uint64_t Latency::percentile(double percent) const noexcept {
  const auto wanted = static_cast<std::uint64_t>(std::ceil(static_cast<double>(calls()) * percent / 100));
  std::uint64_t seen = 0;
  std::size_t last = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] == 0) continue;
    last = i;
    seen += counts_[i];
    if (seen >= wanted) break;
  }
  return end_of(last);
}

std::uint64_t Latency::calls_within(std::uint64_t ticks) const noexcept {
  std::uint64_t calls = 0;
  for (std::size_t i = 0; i < counts_.size() && end_of(i) <= ticks; ++i) calls += counts_[i];
  return calls;
}

}  // namespace fairlane::command
