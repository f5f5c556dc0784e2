#pragma once

#include <cstdint>
#include <string_view>

#include "command/lane/lane_queues.hpp"
#include "fairlane/command/context.hpp"
#include "fairlane/command/services.hpp"
#include "fairlane/command/settings.hpp"
#include "fairlane/engine/database.hpp"

namespace fairlane::command {

/// One queue as one command sees it. There is one at a time: the names of its keys share a buffer.
struct Queue {
  Queue(Context& ctx, std::string_view queue) : Queue(ctx.services, ctx.keys, queue, ctx.now) {}
  Queue(Services& all, engine::Database& in, std::string_view queue, std::int64_t instant)
      : database(in),
        lanes(*all.lanes),
        keys(lanes.keys()),
        services(all),
        settings(all.settings),
        name(queue),
        now(instant) {
    keys.open(queue);
  }
  QueueState& state() { return lanes.current(database.index()); }

  /// A value to read, without the traces that a read by a client leaves.
  template <class T>
  engine::Found<T> look(engine::HashedKey key) {
    return engine::Found<T>(database.peek(key));
  }
  template <class T>
  engine::Found<T> look(const engine::RememberedKey& key) {
    return engine::Found<T>(database.peek(key));
  }

  engine::Database& database;
  LaneQueues& lanes;
  QueueKeys& keys;
  Services& services;
  const Settings& settings;
  std::string_view name;
  std::int64_t now;
};

/// How a step of the state machine ended. Anything but `done` changed nothing.
enum class Step : std::uint8_t {
  done,
  nothing,      ///< there was nothing to do
  exists,       ///< the id has a row already
  full,         ///< the lane holds as many jobs as allowed
  gone,         ///< the job has no row
  stale,        ///< the token is not that of the last claim
  wrong_state,  ///< the job is not where the step begins
  locked,       ///< the job is leased
  same,         ///< the job is there already
  wrong_type,   ///< a key holds another type than the contract says
  wrong_lane,   ///< the same of a key that concerns one lane alone
};

/// What is found in rows and counters all the time.
namespace field {
using Text = data::Hash::Text;
inline constexpr Text kState("state");
inline constexpr Text kAttempts("attempts");
inline constexpr Text kPayload("payload");
inline constexpr Text kGroup("group");
inline constexpr Text kCount("count");
inline constexpr Text kLastError("last_error");
inline constexpr Text kStalled("stalled");
inline constexpr Text kExpired("expired");
// Of the meta hash.
inline constexpr Text kPaused("paused");
inline constexpr Text kConcurrency("concurrency");
inline constexpr Text kMaxAttempts("max");
inline constexpr Text kKeepCompleted("keep-completed");
inline constexpr Text kPolicy("policy");
inline constexpr Text kCharge("charge");
}  // namespace field

/// Counters by lane are looked up in every claim: beyond a few lanes a table answers sooner than a search.
inline constexpr data::Hash::Limits kCounterLimits{.max_packed_entries = 16, .max_searched = 16};
/// Lanes come and go among those with jobs in flight, which a block would be moved for each time.
inline constexpr data::Hash::Limits kInFlightLimits{.max_packed_entries = 1, .max_searched = 1};

/// A count that anybody may have written: neither below 0 nor so large that sums overflow.
inline std::int64_t count_of(std::optional<std::string_view> text, std::int64_t fallback) noexcept {
  constexpr std::int64_t kMost = std::int64_t{1} << 53;
  const std::int64_t number = text ? base::parse_integer(*text).value_or(fallback) : fallback;
  return number < 0 ? 0 : number > kMost ? kMost : number;
}

/// Adds to a counter; what is no number counts as 0, and a sum out of range leaves it as it is.
std::int64_t count_up(data::Hash& counters, const data::Hash::Text& field, std::int64_t count,
                      const data::Hash::Limits& limits);

inline std::int64_t number_or(std::optional<std::string_view> text, std::int64_t fallback) noexcept {
  return text ? base::parse_integer(*text).value_or(fallback) : fallback;
}

}  // namespace fairlane::command
