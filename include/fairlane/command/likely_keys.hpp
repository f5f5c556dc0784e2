#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace fairlane::command {

/// With fewer keys in a database what commands look for is in the caches anyway.
inline constexpr std::size_t kManyKeys = 10'000;

/// Hashes of what a request will look for as soon as it runs, found out while others run before it. 0 where not known.
///
/// A guess: whoever spares itself a hash by it asks for the word that was meant, which is told by where it stands.
struct LikelyKeys {
  std::uint64_t key = 0;            ///< the first key; of lane commands the row of the job
  std::uint64_t backlog = 0;        ///< where there are many keys, that of the lane's jobs
  std::uint64_t lane = 0;           ///< likewise the lane's name in the ring
  const char* job_word = nullptr;   ///< the id whose row `key` is
  const char* lane_word = nullptr;  ///< the lane whose key `backlog` is

  std::uint64_t row_of(std::string_view id) const noexcept { return id.data() == job_word ? key : 0; }
  std::uint64_t backlog_of(std::string_view name) const noexcept { return name.data() == lane_word ? backlog : 0; }
};

}  // namespace fairlane::command
