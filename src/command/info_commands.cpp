#include <algorithm>
#include <vector>

#include "command/info_sections.hpp"
#include "fairlane/base/number.hpp"
#include "fairlane/base/ticks.hpp"
#include "fairlane/command/catalog.hpp"
#include "fairlane/command/services.hpp"
#include "fairlane/command/settings.hpp"

namespace fairlane::command {

void write_command_stats(Context& ctx, InfoText& text) {
  text.section("Commandstats");
  const double rate = base::ticks_per_microsecond();
  for (const auto& command : ctx.services.catalog.all()) {
    const CommandStats& stats = command->stats;
    if (stats.calls == 0 && stats.rejected == 0 && stats.failed == 0) continue;
    const double micros = static_cast<double>(stats.ticks) / rate;
    char line[256];
    const int size = std::snprintf(
        line, sizeof(line), "calls=%llu,usec=%llu,usec_per_call=%.2f,rejected_calls=%llu,failed_calls=%llu",
        static_cast<unsigned long long>(stats.calls), static_cast<unsigned long long>(micros),
        stats.calls == 0 ? 0.0 : micros / static_cast<double>(stats.calls),
        static_cast<unsigned long long>(stats.rejected), static_cast<unsigned long long>(stats.failed));
    text.add("cmdstat_" + command->name, std::string_view(line, static_cast<std::size_t>(size)));
  }
}

void write_error_stats(Context& ctx, InfoText& text) {
  text.section("Errorstats");
  auto codes = ctx.services.stats.errors_by_code;
  std::sort(codes.begin(), codes.end());
  for (const auto& [code, count] : codes) {
    std::string value = "count=";
    value += base::NumberText(count).view();
    text.add("errorstat_" + code, value);
  }
}

void write_latency_stats(Context& ctx, InfoText& text) {
  text.section("Latencystats");
  const double rate = base::ticks_per_microsecond();
  for (const auto& command : ctx.services.catalog.all()) {
    const Latency* latency = command->stats.latency.get();
    if (latency == nullptr) continue;
    std::string value;
    for (const double percentile : ctx.services.settings.latency_percentiles) {
      char part[64];
      const int size = std::snprintf(part, sizeof(part), "%sp%g=%.3f", value.empty() ? "" : ",", percentile,
                                     static_cast<double>(latency->percentile(percentile)) / rate);
      value.append(part, static_cast<std::size_t>(size));
    }
    text.add("latency_percentiles_usec_" + command->name, value);
  }
}

}  // namespace fairlane::command
