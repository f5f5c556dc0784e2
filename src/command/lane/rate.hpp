#pragma once

#include <cstdint>
#include <string_view>

#include "command/lane/queue.hpp"

/// Rates of lanes: a bucket that holds `jobs` tokens and fills evenly within `per` milliseconds; a claim takes one.
///
/// What is kept of a bucket is one number, the instant at which it is full again (the generic cell rate algorithm,
/// ITU-T I.371), times `jobs` so that it stays whole.
namespace fairlane::command {

inline constexpr std::int64_t kMostRate = 1'000'000;                               ///< jobs
inline constexpr std::int64_t kLongestRate = std::int64_t{31} * 24 * 3600 * 1000;  ///< milliseconds

struct Rate {
  std::int64_t jobs = 0;  ///< 0: none
  std::int64_t per = 1;
};

/// A rate and how much of it is spent.
struct Bucket {
  Rate rate;
  std::int64_t full_at = 0;  ///< milliseconds since 1970, times rate.jobs

  bool limits() const noexcept { return rate.jobs != 0; }
  /// Tokens in it now.
  std::int64_t tokens(std::int64_t now) const noexcept;
  /// When it holds a token.
  std::int64_t next_token(std::int64_t now) const noexcept;
  void take(std::int64_t count, std::int64_t now) noexcept;
};

Step read_bucket(Queue& queue, std::string_view lane, Bucket& bucket);
/// read_bucket() answered `done`.
void write_bucket(Queue& queue, std::string_view lane, const Bucket& bucket);
/// The bucket is full then. `jobs` 0 takes the rate away.
Step set_rate(Queue& queue, std::string_view lane, Rate rate);

}  // namespace fairlane::command
