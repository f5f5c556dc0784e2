#include "command/lane/inspect.hpp"

#include <algorithm>
#include <unordered_set>

#include "command/lane/answers.hpp"
#include "command/lane/job.hpp"
#include "command/lane/lane_facts.hpp"
#include "fairlane/base/branded_id.hpp"

namespace fairlane::command {
namespace {

/// What a row has in addition as a job goes through its life.
constexpr field::Text kLaterFields[] = {
    field::kLastError,     field::Text("progress"),     field::kStalled,
    field::Text("parent"), field::Text("parent_queue"), field::Text("parent_policy")};

/// Fields of a row that are told under names of their own, and names that are no fields.
constexpr std::string_view kToldNames[] = {"id", "state", "lane", "group", "attempts", "payload", "deadline", "due"};

bool told_already(std::string_view name) noexcept {
  const auto is_it = [&](const field::Text& later) { return later.text() == name; };
  return std::find(std::begin(kToldNames), std::end(kToldNames), name) != std::end(kToldNames) ||
         std::any_of(std::begin(kLaterFields), std::end(kLaterFields), is_it);
}

/// The score of a job as an instant; others may have given it one that is none.
std::int64_t instant_of(double score) noexcept {
  constexpr auto kMost = static_cast<double>(std::int64_t{1} << 53);
  return static_cast<std::int64_t>(std::clamp(score, -kMost, kMost));
}

/// The row behind an entry of a sorted set of jobs: absent when the entry stands for no job.
engine::Found<data::Hash> row_of(Queue& queue, std::string_view id) {
  return queue.look<data::Hash>(queue.keys.row(id));
}

/// visit(id, row) for the first jobs of a sorted set; how many there were.
template <class Visit>
Step visit_jobs(Queue& queue, engine::HashedKey key, std::size_t most, std::size_t& count, Visit&& visit) {
  const auto jobs = queue.look<data::SortedSet>(key);
  if (jobs.wrong_type()) return Step::wrong_type;
  if (jobs.absent()) return Step::done;
  for (auto cursor = jobs->first(); cursor.valid() && count < most; cursor.next()) {
    const std::string_view id = cursor.item().member;
    const auto row = row_of(queue, id);
    if (row.wrong_type()) return Step::wrong_type;
    if (row.absent()) continue;
    visit(id, *row);
    ++count;
  }
  return Step::done;
}

/// Writes the pairs of a map and counts them.
class Details {
 public:
  explicit Details(protocol::Reply& reply) : reply_(reply), place_(reply.open()) {}

  void text(std::string_view name, std::string_view value) {
    begin(name);
    reply_.bulk(value);
  }
  void text_or_null(std::string_view name, std::optional<std::string_view> value) {
    begin(name);
    write_field(reply_, value);
  }
  void integer(std::string_view name, std::int64_t value) {
    begin(name);
    reply_.integer(value);
  }
  void close() { reply_.close_map(place_, pairs_); }

 private:
  void begin(std::string_view name) {
    reply_.bulk(name);
    ++pairs_;
  }

  protocol::Reply& reply_;
  protocol::Reply::Place place_;
  std::size_t pairs_ = 0;
};

void write_dead_job(std::string_view id, const data::Hash& row, protocol::Reply& reply) {
  Details details(reply);
  details.text("id", id);
  details.text_or_null("lane", row.find(field::kGroup));
  details.integer("attempts", number_or(row.find(field::kAttempts), 0));
  details.text_or_null("payload", row.find(field::kPayload));
  details.text_or_null("error", row.find(field::kLastError));
  details.close();
}

/// "2 of 5"
std::string& append_of(std::string& text, std::int64_t some, std::int64_t all) {
  return text.append(base::NumberText(some).view()).append(" of ").append(base::NumberText(all).view());
}

/// Under `smooth` the ring tells who takes part, not whose turn is next.
Step explain_place(Queue& queue, const QueueGate& gate, std::string_view lane, std::string& text) {
  const auto ring = queue.look<data::List>(queue.keys[QueueKey::ring]);
  if (ring.wrong_type()) return Step::wrong_type;
  std::int64_t position = 0;
  std::int64_t passed = 0;
  if (!ring.absent()) {
    ring->for_each(0, ring->size(), [&](std::string_view name) {
      ++passed;
      if (position == 0 && name == lane) position = passed;
    });
  }
  if (position == 0) {
    text = "the lane is missing in the rota";
  } else if (gate.smooth) {
    text = "the lane is served: one of ";
    text.append(base::NumberText(passed).view()).append(" lanes that share by weight");
  } else {
    text = "the lane is served: position ";
    append_of(text, position, passed).append(" in the rota");
  }
  return Step::done;
}

}  // namespace

Step read_age(Queue& queue, std::string_view lane, std::int64_t& age) {
  age = -1;
  const auto backlog = queue.look<data::SortedSet>(queue.keys.backlog(lane));
  if (backlog.wrong_type()) return Step::wrong_type;
  if (backlog.absent()) return Step::done;
  const auto id = base::parse_branded_id(backlog->first().item().member);
  if (id) age = std::max<std::int64_t>(queue.now - static_cast<std::int64_t>(id->unix_ms()), 0);
  return Step::done;
}

Step read_oldest(Queue& queue, std::int64_t& age) {
  age = -1;
  const auto ring = queue.look<data::List>(queue.keys[QueueKey::ring]);
  if (ring.wrong_type()) return Step::wrong_type;
  Step step = Step::done;
  if (ring.absent()) return step;
  ring->for_each(0, ring->size(), [&](std::string_view lane) {
    std::int64_t one = -1;
    if (read_age(queue, lane, one) != Step::done) step = Step::wrong_type;
    age = std::max(age, one);
  });
  return step;
}

Step write_first_jobs(Queue& queue, std::string_view lane, std::size_t most, protocol::Reply& reply) {
  const auto place = reply.open();
  std::size_t count = 0;
  const Step step =
      visit_jobs(queue, queue.keys.backlog(lane), most, count, [&](std::string_view id, const data::Hash& row) {
        write_job(reply, id, row.find(field::kPayload), number_or(row.find(field::kAttempts), 0), lane);
      });
  if (step == Step::done) reply.close_array(place, count);
  return step;
}

Step write_job_details(Queue& queue, std::string_view id, protocol::Reply& reply) {
  Job job;
  const Step step = find_job(queue, id, job);
  if (step == Step::gone) {
    reply.null();
    return Step::done;
  }
  if (step != Step::done) return step;
  const auto row = row_of(queue, id);
  Details details(reply);
  details.text("id", id);
  details.text("state", place_name(job.place));
  if (job.grouped) details.text("lane", job.lane);
  details.integer("attempts", job.attempts);
  details.text_or_null("payload", row->find(field::kPayload));
  for (const field::Text& later : kLaterFields) {
    if (const auto value = row->find(later)) details.text(later.text(), *value);
  }
  if (job.place == Place::active) details.integer("deadline", instant_of(job.when));
  if (job.place == Place::scheduled) details.integer("due", instant_of(job.when));
  row->for_each([&](std::string_view name, std::string_view value) {
    if (!told_already(name)) details.text(name, value);
  });
  details.close();
  return Step::done;
}

Step write_dead_jobs(Queue& queue, std::size_t most, protocol::Reply& reply) {
  const auto place = reply.open();
  std::size_t count = 0;
  const Step step = visit_jobs(queue, queue.keys[QueueKey::dead], most, count,
                               [&](std::string_view id, const data::Hash& row) { write_dead_job(id, row, reply); });
  if (step == Step::done) reply.close_array(place, count);
  return step;
}

Step explain(Queue& queue, std::string_view lane, std::string& text) {
  QueueGate gate;
  LaneFacts facts;
  if (read_gate(queue, gate) != Step::done || read_facts(queue, lane, facts) != Step::done) return Step::wrong_type;
  if (gate.paused) {
    text = "the queue is paused";
  } else if (gate.room == 0) {
    text = "the queue is at its limit: ";
    append_of(text, gate.active, gate.ceiling).append(" jobs active");
  } else if (facts.paused) {
    text = "the lane is paused";
  } else if (facts.depth == 0) {
    text = "the lane is empty";
  } else if (facts.at_limit()) {
    text = "the lane is at its limit: ";
    append_of(text, facts.in_flight, facts.limit).append(" jobs in flight");
  } else if (facts.out_of_tokens()) {
    const std::int64_t wait = facts.bucket.next_token(queue.now) - queue.now;
    text = "the lane has spent its rate: next token in ";
    text.append(base::NumberText(wait).view()).append(" ms");
  } else {
    return explain_place(queue, gate, lane, text);
  }
  return Step::done;
}

std::vector<std::string_view> find_queues(engine::Database& database) {
  constexpr std::string_view kBefore = "emq:{";
  std::unordered_set<std::string_view> names;
  database.for_each([&](const engine::Entry& entry) {
    const std::string_view key = entry.key();
    if (key.substr(0, kBefore.size()) != kBefore || database.expired(entry)) return;
    const std::size_t end = key.find("}:", kBefore.size());
    if (end == std::string_view::npos) return;
    const std::string_view name = key.substr(kBefore.size(), end - kBefore.size());
    if (valid_queue_name(name)) names.insert(name);
  });
  std::vector<std::string_view> sorted(names.begin(), names.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

}  // namespace fairlane::command
