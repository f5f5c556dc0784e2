#include "command/lane/ring_foresight.hpp"

#include "command/lane/queue.hpp"
#include "fairlane/base/hash.hpp"
#include "fairlane/command/likely_keys.hpp"

namespace fairlane::command {
namespace {

/// The key of the row of the first job, as far as there seems to be one; else 0.
std::uint64_t first_row(Queue& queue, std::uint64_t backlog) {
  const engine::Entry* entry = queue.database.likely(backlog);
  if (entry == nullptr || entry->type() != engine::Type::sorted_set) return 0;
  const auto first = entry->value<data::SortedSet>().first();
  return first.valid() ? queue.keys.row(first.item().member).hash : 0;
}

}  // namespace

void RingForesight::step(Queue& queue, const data::List& ring) {
  const engine::Database& database = queue.database;
  if (database.size() < kManyKeys || ring.size() <= kAhead) return;
  ++served_;
  const std::string_view lane = ring.cursor_at(kAhead).value();
  const ServedCounts& served = queue.state().served;
  next(5) = {base::hash_bytes(lane), queue.keys.backlog(lane).hash, 0};
  served.prefetch(next(5).lane);
  database.prefetch(next(5).backlog);
  served.prefetch_count(next(4).lane);
  database.prefetch_entry(next(4).backlog);
  database.prefetch_value(next(3).backlog);
  next(2).row = first_row(queue, next(2).backlog);
  database.prefetch(next(2).row);
  database.prefetch_entry(next(1).row);
  database.prefetch_value(next(0).row);
}

}  // namespace fairlane::command
