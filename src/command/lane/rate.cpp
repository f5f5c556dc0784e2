#include "command/lane/rate.hpp"

#include <algorithm>
#include <string>

#include "command/lane/events.hpp"
#include "command/lane/lane_facts.hpp"

namespace fairlane::command {
namespace {

/// "jobs per"; what is no such text is no rate.
Rate parse_rate(std::string_view text) noexcept {
  const std::size_t blank = text.find(' ');
  if (blank == text.npos) return {};
  const auto jobs = base::parse_integer(text.substr(0, blank));
  const auto per = base::parse_integer(text.substr(blank + 1));
  if (!jobs || !per || *jobs < 1 || *jobs > kMostRate || *per < 1 || *per > kLongestRate) return {};
  return {*jobs, *per};
}

/// In the same unit as Bucket::full_at.
std::int64_t scaled(std::int64_t instant, const Rate& rate) noexcept { return instant * rate.jobs; }

}  // namespace

std::int64_t Bucket::tokens(std::int64_t now) const noexcept {
  if (!limits()) return INT64_MAX;
  const std::int64_t missing = std::max<std::int64_t>(full_at - scaled(now, rate), 0);
  return std::max<std::int64_t>((rate.jobs * rate.per - missing) / rate.per, 0);
}

std::int64_t Bucket::next_token(std::int64_t now) const noexcept {
  const std::int64_t from = full_at - (rate.jobs - 1) * rate.per;
  return std::max((from + rate.jobs - 1) / rate.jobs, now);
}

void Bucket::take(std::int64_t count, std::int64_t now) noexcept {
  full_at = std::max(full_at, scaled(now, rate)) + count * rate.per;
}

Step read_bucket(Queue& queue, std::string_view lane, Bucket& bucket) {
  const auto rates = queue.look<data::Hash>(queue.keys[QueueKey::rates]);
  if (rates.absent()) return Step::done;
  if (rates.wrong_type()) return Step::wrong_type;
  const auto text = rates->find(lane);
  if (!text) return Step::done;
  bucket.rate = parse_rate(*text);
  const auto buckets = queue.look<data::Hash>(queue.keys[QueueKey::buckets]);
  if (buckets.wrong_type()) return Step::wrong_type;
  // An instant that no bucket of this rate can have is somebody's mistake.
  const std::int64_t latest = scaled(queue.now, bucket.rate) + bucket.rate.jobs * bucket.rate.per;
  if (!buckets.absent()) bucket.full_at = std::clamp<std::int64_t>(number_or(buckets->find(lane), 0), 0, latest);
  return Step::done;
}

void write_bucket(Queue& queue, std::string_view lane, const Bucket& bucket) {
  auto buckets = queue.database.upsert<data::Hash>(queue.keys[QueueKey::buckets]);
  buckets->put(lane, base::NumberText(bucket.full_at), kCounterLimits);
  buckets.commit(engine::events::kHSet);
}

Step set_rate(Queue& queue, std::string_view lane, Rate rate) {
  // Of a lane without a rate nobody has looked at its bucket.
  if (queue.look<data::Hash>(queue.keys[QueueKey::buckets]).wrong_type()) return Step::wrong_type;
  return change_lane(queue, lane, [&](LaneFacts& facts) {
    auto rates = queue.database.upsert<data::Hash>(queue.keys[QueueKey::rates]);
    if (rate.jobs != 0) {
      const std::string text = std::to_string(rate.jobs) + " " + std::to_string(rate.per);
      rates->put(lane, text, kCounterLimits);
      rates.commit(engine::events::kHSet);
    } else if (rates->erase(lane)) {
      rates.commit(engine::events::kHDel);
    }
    auto buckets = queue.database.edit<data::Hash>(queue.keys[QueueKey::buckets]);
    if (!buckets.absent() && buckets->erase(lane)) buckets.commit(engine::events::kHDel);
    facts.bucket = {rate, 0};
    tell(queue, "rate", [&] { return EventDetails{.lane = lane, .count = rate.jobs}; });
  });
}

}  // namespace fairlane::command
