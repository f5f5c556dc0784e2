#include "command/statistics.hpp"

#include "command/load_meter.hpp"
#include "fairlane/command/catalog.hpp"
#include "fairlane/engine/keyspace.hpp"

namespace fairlane::command {
namespace {

/// Scripts make up codes of their own.
constexpr std::size_t kMostCodes = 128;

}  // namespace

void ServerStats::count_error(std::string_view text) {
  ++errors;
  const std::string_view code = text.substr(0, text.find(' '));
  for (auto& [known, count] : errors_by_code) {
    if (known == code) {
      ++count;
      return;
    }
  }
  if (errors_by_code.size() < kMostCodes) errors_by_code.emplace_back(code, 1);
}

void reset_statistics(Services& services) {
  const std::size_t memory_at_start = services.stats.memory_at_start;
  services.stats = {};
  services.stats.memory_at_start = memory_at_start;
  engine::Shared& shared = services.keyspace.shared();
  shared.hits = shared.misses = shared.expired = 0;
  for (const auto& command : services.catalog.all()) command->stats = {};
  if (services.load != nullptr) services.load->reset();
}

}  // namespace fairlane::command
