#pragma once

#include <cstdint>
#include <string_view>

#include "fairlane/command/args.hpp"

/// The words that lane commands have in common. Each reading function keeps its error in the Args.
namespace fairlane::command::lane_errors {

inline constexpr std::string_view kQueueName =
    "ERR invalid queue name: 1 to 128 bytes of letters, digits, dot, underscore, colon and hyphen";
inline constexpr std::string_view kLaneName = "ERR invalid lane name: 1 to 512 bytes";
inline constexpr std::string_view kJobId = "ERR invalid job id: 1 to 512 bytes";
inline constexpr std::string_view kLease = "ERR lease must be a positive number of milliseconds";
inline constexpr std::string_view kCount = "ERR count must be a positive number";
inline constexpr std::string_view kWeight = "ERR weight must be a number from 1 to 4294967295";
inline constexpr std::string_view kLimit = "ERR limit must be a number from 0 to 4294967295";
inline constexpr std::string_view kMaxDepth = "ERR depth must be a positive number";
inline constexpr std::string_view kDelay = "ERR delay must be a number of milliseconds, 0 or more";
inline constexpr std::string_view kInstant = "ERR time must be a number of milliseconds since 1970";
inline constexpr std::string_view kAttempts = "ERR attempts must be a positive number";
inline constexpr std::string_view kRate = "ERR rate must be 0, or a number of jobs from 1 to 1000000 and milliseconds";
inline constexpr std::string_view kLocked = "EMQLOCK the job is leased";
inline constexpr std::string_view kFull = "LANEFULL the lane holds as many jobs as it may";
inline constexpr std::string_view kStale = "EMQSTALE the token is not that of the last claim of this job";
inline constexpr std::string_view kNotHeld = "EMQSTATE the job is not active";
inline constexpr std::string_view kBrand = "EMQKIND a brand is three letters A to Z";
inline constexpr std::string_view kBrandedId = "EMQKIND not a branded id";

}  // namespace fairlane::command::lane_errors

namespace fairlane::command {

/// Longer than any lease, and exact as a score even when it is added to the time.
inline constexpr std::int64_t kLongestLease = std::int64_t{1} << 52;
inline constexpr std::int64_t kMostPerLane = 0xFFFFFFFF;

bool valid_queue_name(std::string_view name) noexcept;

std::string_view read_queue(Args& args) noexcept;
std::string_view read_lane(Args& args) noexcept;
/// "queue [lane]": a lane, or the whole queue where none is named. Nothing may follow.
struct Scope {
  std::string_view queue;
  std::string_view lane;
  bool whole;
};
Scope read_scope(Args& args) noexcept;
std::string_view read_job_id(Args& args) noexcept;
std::int64_t read_lease(Args& args) noexcept;
/// In milliseconds; 0 is none.
std::int64_t read_delay(Args& args) noexcept;
/// In milliseconds since 1970.
std::int64_t read_instant(Args& args) noexcept;
std::size_t read_count(Args& args, std::string_view error = lane_errors::kCount) noexcept;
/// BLOCK's operand: 0 waits for ever.
std::int64_t read_block(Args& args) noexcept;

}  // namespace fairlane::command
