#include "command/load_meter.hpp"

#include <algorithm>

#include "fairlane/base/memory_use.hpp"
#include "fairlane/engine/keyspace.hpp"

namespace fairlane::command {
namespace {

constexpr std::int64_t kSampleEvery = 100;
constexpr std::int64_t kWindow = 1600;

}  // namespace

LoadMeter::Sample LoadMeter::now() const noexcept {
  const ServerStats& stats = services_.stats;
  return {services_.keyspace.shared().now, stats.commands_processed, stats.bytes_in, stats.bytes_out};
}

std::int64_t LoadMeter::sample() {
  newest_ = (newest_ + 1) % samples_.size();
  samples_[newest_] = now();
  peak_memory_ = std::max(peak_memory_, base::allocated_memory());
  return samples_[newest_].at + kSampleEvery;
}

LoadMeter::Rates LoadMeter::rates() {
  const Sample end = now();
  // From the newest sample that is old enough, or the oldest there is.
  Sample begin{};
  for (const Sample& sample : samples_) {
    if (sample.at == 0) continue;
    const bool old_enough = end.at - sample.at >= kWindow;
    const bool begin_old_enough = begin.at != 0 && end.at - begin.at >= kWindow;
    if (begin.at == 0 || (old_enough && (!begin_old_enough || sample.at > begin.at)) ||
        (!begin_old_enough && sample.at < begin.at)) {
      begin = sample;
    }
  }
  if (begin.at == 0 || end.at <= begin.at) return {};
  const double seconds = static_cast<double>(end.at - begin.at) / 1000;
  const auto rate = [seconds](std::uint64_t first, std::uint64_t last) {
    return last > first ? static_cast<double>(last - first) / seconds : 0.0;
  };
  return {rate(begin.commands, end.commands), rate(begin.bytes_in, end.bytes_in), rate(begin.bytes_out, end.bytes_out)};
}

void LoadMeter::reset() noexcept {
  samples_ = {};
  peak_memory_ = base::allocated_memory();
}

}  // namespace fairlane::command
