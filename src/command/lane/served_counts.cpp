#include "command/lane/served_counts.hpp"

#include <cstdlib>
#include <cstring>
#include <new>

namespace fairlane::command {

void ServedCounts::Traits::destroy(Count* count) noexcept { std::free(count); }

void ServedCounts::insert(std::string_view lane, std::uint64_t hash, std::uint64_t jobs) {
  void* memory = std::malloc(sizeof(Count) + lane.size());
  if (memory == nullptr) throw std::bad_alloc();
  auto* count = new (memory) Count{jobs, static_cast<std::uint32_t>(lane.size())};
  if (!lane.empty()) std::memcpy(count->bytes(), lane.data(), lane.size());
  counts_.insert(count, hash);
}

}  // namespace fairlane::command
