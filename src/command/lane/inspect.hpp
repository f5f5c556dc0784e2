#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "command/lane/queue.hpp"
#include "fairlane/protocol/reply.hpp"

/// What is told about a queue to those who look at it. Nothing here changes a key: an entry that stands for no job is
/// passed over, not dropped. Each answers `done`, or `wrong_type` when a key holds another type than it should; what
/// has been written to the reply is void then.
namespace fairlane::command {

/// Milliseconds since the lane's oldest waiting job was minted; -1 when none waits, or its id is no branded one.
Step read_age(Queue& queue, std::string_view lane, std::int64_t& age);
/// The oldest of the lanes in the ring. O(lanes).
Step read_oldest(Queue& queue, std::int64_t& age);

/// An array of the lane's first jobs, as a claim would hand them out.
Step write_first_jobs(Queue& queue, std::string_view lane, std::size_t most, protocol::Reply& reply);
/// A map of all that is known of a job; null when it has no row.
Step write_job_details(Queue& queue, std::string_view id, protocol::Reply& reply);
/// An array of maps, a dead job each, in the order of their ids.
Step write_dead_jobs(Queue& queue, std::size_t most, protocol::Reply& reply);

/// One line that tells why the lane is not being served now, or when it will be. O(lanes) for a lane that is.
Step explain(Queue& queue, std::string_view lane, std::string& text);

/// The queues of a database, sorted: each of which it holds a key. Looks at every key.
std::vector<std::string_view> find_queues(engine::Database& database);

}  // namespace fairlane::command
