// enqueue.cpp - the step by which a job comes into being.
#include <array>

#include "command/lane/lane_facts.hpp"
#include "command/lane/transitions.hpp"

namespace fairlane::command {
namespace {

constexpr field::Text kPending("pending");
constexpr field::Text kNone("0");

/// Looks at what joining the ring needs; `joins` when the lane is not in the ring and could be served.
Step plan_to_join(Queue& queue, Membership& membership, std::string_view lane, bool& joins) {
  LaneFacts facts;
  if (read_facts(queue, lane, facts) != Step::done) return Step::wrong_type;
  joins = facts.open();
  return joins ? membership.check() : Step::done;
}

}  // namespace

Step enqueue(Queue& queue, std::string_view lane, std::string_view id, std::string_view payload, std::size_t most) {
  auto row = queue.database.upsert<data::Hash>(queue.keys.row(id));
  if (row.wrong_type()) return Step::wrong_type;
  if (!row.created()) return Step::exists;
  auto backlog = queue.database.upsert<data::SortedSet>(queue.keys.backlog(lane));
  if (backlog.wrong_type()) return Step::wrong_type;
  if (backlog->size() >= most) return Step::full;

  Membership membership(queue);
  if (membership.wrong_type()) return Step::wrong_type;
  bool joins = false;
  if (!membership.in_ring(lane)) {
    const Step step = plan_to_join(queue, membership, lane, joins);
    if (step != Step::done) return step;
  }

  const std::array<field::Text, 8> fields{field::kState,        kPending,      field::kAttempts, kNone, field::kPayload,
                                          field::Text(payload), field::kGroup, field::Text(lane)};
  row->put_texts(fields, queue.settings.hash);
  row.commit(engine::events::kHSet);
  backlog->put(id, 0, queue.settings.sorted_set);
  backlog.commit(engine::events::kZAdd);
  if (joins) membership.set(lane, true);
  return Step::done;
}

}  // namespace fairlane::command
