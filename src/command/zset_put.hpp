#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

#include "fairlane/data/sorted_set.hpp"

namespace fairlane::command {

/// Puts a score as redis-server would keep it: its packed encoding has no -0, the other one has.
inline data::SortedSet::Put put_score(data::SortedSet& set, std::string_view member, double score,
                                      const data::SortedSet::Limits& limits) {
  if (std::bit_cast<std::uint64_t>(score) == std::bit_cast<std::uint64_t>(-0.0)) [[unlikely]] {
    const bool known = set.score(member).has_value();
    const bool outgrows =
        !known && (set.size() >= limits.max_packed_entries || member.size() > limits.max_packed_value);
    if (!outgrows && (set.empty() || !set.large())) score = 0;
  }
  return set.put(member, score, limits);
}

}  // namespace fairlane::command
