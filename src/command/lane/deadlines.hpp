#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fairlane/base/clock.hpp"

namespace fairlane::command {

struct Queue;
struct QueueState;
struct Services;

/// Deadlines of jobs, nearest first: a heap of instants, each with the hash of the job's row key instead of its id.
///
/// The jobs stand in a sorted set of the queue by the same instants, so the ids of those due are found there; an entry
/// whose job is listed there no more, or at another instant, means nothing. Entries are not taken out when a job is
/// settled: the heap is cleared of those that mean nothing when it holds several times as many as there are jobs. So
/// keeping costs O(1) amortised when deadlines come in order, else O(log n), 16 bytes, and no look-up.
class DeadlineHeap {
 public:
  struct Kept {
    std::int64_t when;  ///< milliseconds since 1970
    std::uint64_t row;  ///< the hash of the row's key
    auto operator<=>(const Kept&) const = default;
  };

  bool empty() const noexcept { return heap_.empty(); }
  std::size_t size() const noexcept { return heap_.size(); }
  std::int64_t nearest() const noexcept { return heap_.empty() ? INT64_MAX : heap_.front().when; }
  void push(Kept kept);
  /// Takes out those that are due, up to `most`, sorted.
  std::vector<Kept> take_due(std::int64_t now, std::size_t most);

  /// Worth clearing, while so many jobs may be awaited?
  bool overgrown(std::size_t jobs) const noexcept { return heap_.size() > kSlack + 4 * jobs; }
  /// Keeps only what is among these, sorted.
  void retain(const std::vector<Kept>& awaited);

 private:
  static constexpr std::size_t kSlack = 1024;
  std::vector<Kept> heap_;
};

/// What one queue waits for.
struct KeptDeadlines {
  struct Token {
    std::int64_t when;
    std::string lane;
    auto operator<=>(const Token&) const = default;
  };

  DeadlineHeap leases;                                     ///< of `active`
  DeadlineHeap delays;                                     ///< of `schedule`
  std::vector<Token> tokens;                               ///< a heap: lanes that had spent their rate
  std::unordered_map<std::string, std::int64_t> token_at;  ///< the nearest in the heap for each of them

  base::TimerId timer = 0;
  std::int64_t timer_at = INT64_MAX;  ///< when the timer runs; none is set at INT64_MAX

  bool empty() const noexcept { return leases.empty() && delays.empty() && tokens.empty(); }
  std::int64_t nearest() const noexcept;
};

/// Keeps the leases, delays and rates that lane commands gave: at the millisecond, without any client, an expired lease
/// returns to its lane, a due job goes to its own, a lane with a token is served again. What other commands wrote into
/// the same keys is left alone: an entry counts only while the key shows the very deadline it was given here.
///
/// One timer a queue, set to its nearest deadline; the cost of a deadline does not depend on how many jobs wait.
class LaneDeadlines {
 public:
  explicit LaneDeadlines(Services& services) noexcept : services_(services) {}

  /// `active` and `schedule` list the job at this instant; `row` is the hash of its row's key.
  void keep_lease(Queue& queue, std::uint64_t row, std::int64_t when, std::size_t leases);
  void keep_delay(Queue& queue, std::uint64_t row, std::int64_t when, std::size_t delayed);
  void keep_token(Queue& queue, std::string_view lane, std::int64_t when);
  /// The queue's state is about to go.
  void forget(QueueState& state) noexcept;

 private:
  /// Sets the timer to the nearest deadline, or not before `earliest`.
  void arm(QueueState& state, std::int64_t earliest = 0);
  void run(QueueState& state);

  Services& services_;
};

}  // namespace fairlane::command
