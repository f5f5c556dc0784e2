#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "command/lane/lane_facts.hpp"
#include "command/lane/queue.hpp"

/// Where a job is, and the moves between places of which the slower steps of the state machine are made.
namespace fairlane::command {

/// A job is in exactly one of these. The keys say which; the row's `state` repeats it for those who read rows.
enum class Place : std::uint8_t {
  nowhere,    ///< a row that no key lists: somebody's mistake
  lane,       ///< waiting in its lane
  ungrouped,  ///< waiting outside of lanes
  active,     ///< leased
  scheduled,  ///< delayed
  dead,       ///< given up
  finished,   ///< completed and kept
};
std::string_view place_name(Place place) noexcept;

/// A job as it was found.
struct Job {
  std::string id;
  std::string lane;  ///< empty when it is in none
  bool grouped = false;
  std::int64_t attempts = 0;
  Place place = Place::nowhere;
  double when = 0;  ///< the end of the lease, or the time a delayed job is due
};

/// `gone` when there is no row. Every key of the queue that a move may touch has the type it should when this answers
/// `done`, the keys of the job's lane and of `other_lane` included.
Step find_job(Queue& queue, std::string_view id, Job& job, std::string_view other_lane = {});
/// The same without looking at more than the row and the places.
Step locate(Queue& queue, std::string_view id, Job& job);

/// Was this token handed out by the job's last claim, and may it still settle? That is so while the job is leased, also
/// past the end of the lease, and when the lease has ended and the job waits again. `gone`, `stale`, `wrong_state`.
Step check_token(Queue& queue, const Job& job, std::string_view token);

// --- moves; each requires what find_job() answered `done` about, and leaves the ring true

/// Takes the job out of where it is; a slot in flight is free then.
void take_out(Queue& queue, const Job& job);
/// Puts a job that is nowhere to its lane, or among the ungrouped.
void put_to_wait(Queue& queue, const Job& job);
void put_on_schedule(Queue& queue, const Job& job, std::int64_t due);
/// Gives the job up.
void bury(Queue& queue, const Job& job);
/// Removes the row and what hangs off it. The job is nowhere.
void erase_row(Queue& queue, std::string_view id);
/// The same where the row's key is at hand; its text may be the key's own.
void erase_row(Queue& queue, std::string_view id, engine::HashedKey row);

/// Only the last `most` of the completed jobs that are kept stay. Whether any went; whoever calls commits the set.
bool trim_finished(Queue& queue, data::SortedSet& finished, std::int64_t most);

/// Changes fields of the row, which exists.
using RowChange = std::pair<field::Text, field::Text>;
void change_row(Queue& queue, std::string_view id, std::initializer_list<RowChange> changes);

/// The job's lease ended: its token stays good until the next claim. And: it is good no more.
void mark_expired(Queue& queue, const Job& job);
void forget_expiry(Queue& queue, std::string_view id);

/// Puts the lane into the ring or takes it out, whichever the keys call for.
void settle_ring(Queue& queue, std::string_view lane);
/// Ends a lease that stands for no leased job. The slot in flight that it held is unknown without the row:
/// recount_in_flight() is due, O(leases).
Step drop_lease(Queue& queue, std::string_view id);
void recount_in_flight(Queue& queue);
/// Frees a slot in flight.
void subtract_in_flight(engine::Edit<data::Hash>& in_flight, std::string_view lane);
/// Adds one to a lifetime total.
void count_one(Queue& queue, QueueKey total);

}  // namespace fairlane::command
