#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fairlane/base/clock.hpp"
#include "fairlane/engine/changes.hpp"

namespace fairlane::command {

struct Queue;
struct QueueState;
struct Services;

/// What is to happen at an instant, in the order in which it does.
enum class Deadline : std::uint8_t {
  lease,  ///< a lease ends: the job is claimable again
  due,    ///< a delayed job goes to its lane
  token,  ///< a lane that had spent its rate may be served again
};

/// The instants that one queue waits for: a heap, nearest first. Entries are never taken out when their cause is gone
/// (a job was completed): each is compared with the keys when its time comes, and the heap is cleared of those that
/// no longer hold, or are there twice, each time it has doubled. So keeping costs O(log n) amortised and one comparison
/// when deadlines come in order, and the heap is at most twice as large as what is really awaited, or 1024. Of one
/// instant leases come first, then delays, then tokens, and names in their order, so that what happens does not depend
/// on how the heap grew.
class KeptDeadlines {
 public:
  struct Kept {
    std::int64_t when;  ///< milliseconds since 1970
    Deadline what;
    std::string name;  ///< of the job or the lane

    friend auto operator<=>(const Kept&, const Kept&) = default;
  };

  bool empty() const noexcept { return heap_.empty(); }
  std::size_t size() const noexcept { return heap_.size(); }
  const Kept& nearest() const noexcept { return heap_.front(); }
  void push(Kept kept);
  Kept pop();
  /// Has the heap grown so much that it should be cleared of what no longer holds?
  bool overgrown() const noexcept { return heap_.size() >= clear_at_; }
  /// Keeps what `holds` says holds.
  template <class Holds>
  void clear(Holds&& holds) {
    std::erase_if(heap_, [&](const Kept& kept) { return !holds(kept); });
    restore_order();
  }

  base::TimerId timer = 0;
  std::int64_t timer_at = INT64_MAX;  ///< when the timer runs; none is set at INT64_MAX

 private:
  static constexpr std::size_t kLeastClear = 1024;
  void restore_order();

  std::vector<Kept> heap_;
  std::size_t clear_at_ = kLeastClear;
};

/// Keeps the leases, delays and rates that lane commands gave: at the millisecond, without any client, an expired lease
/// returns to its lane, a due job goes to its own, a lane with a token is served again. What other commands wrote into
/// the same keys is left alone: an entry holds only while the key shows the very deadline it was given here.
///
/// One timer a queue, set to its nearest deadline; the cost of a deadline does not depend on how many jobs wait.
class LaneDeadlines {
 public:
  explicit LaneDeadlines(Services& services) noexcept : services_(services) {}

  void keep(Queue& queue, Deadline what, std::string_view name, std::int64_t when);
  /// The queue's state is about to go.
  void forget(QueueState& state) noexcept;

 private:
  void arm(QueueState& state);
  void run(QueueState& state);

  Services& services_;
};

}  // namespace fairlane::command
