#include "command/eviction.hpp"

#include <algorithm>
#include <cmath>

#include "fairlane/base/ticks.hpp"
#include "fairlane/command/executor.hpp"
#include "fairlane/command/services.hpp"
#include "fairlane/command/settings.hpp"
#include "fairlane/engine/keyspace.hpp"

namespace fairlane::command {
namespace {

/// Keys that give way between two looks at the time.
constexpr int kBetweenLooks = 16;

using Order = EvictionPolicy::Order;

}  // namespace

bool Eviction::exceeded() const {
  const std::uint64_t limit = services_.settings.maxmemory;
  return limit != 0 && meter_.allocated() > limit;
}

Eviction::Room Eviction::make_room() {
  if (!exceeded()) [[likely]] {
    note_excess(false);
    return Room::enough;
  }
  note_excess(true);
  if (services_.settings.eviction.order == Order::none) return Room::none;
  return evict();
}

Eviction::Room Eviction::evict() {
  const std::uint64_t patience = patience_ticks();
  const std::uint64_t begun = base::ticks();
  for (int evicted = 1; exceeded(); ++evicted) {
    if (!evict_one()) return Room::none;
    if (evicted % kBetweenLooks == 0 && base::ticks() - begun > patience && exceeded()) {
      go_on_later();
      return Room::later;
    }
  }
  note_excess(false);
  return Room::enough;
}

/// Up to 500 microseconds from a tenacity of 0 to 10, 15 % more with each step above, without end at 100.
std::uint64_t Eviction::patience_ticks() const {
  const std::int64_t tenacity = services_.settings.eviction_tenacity;
  if (tenacity >= 100) return UINT64_MAX;
  const double micros = tenacity <= 10 ? 50.0 * static_cast<double>(tenacity)
                                       : 500.0 * std::pow(1.15, static_cast<double>(tenacity) - 10.0);
  return static_cast<std::uint64_t>(micros * base::ticks_per_microsecond());
}

void Eviction::begin() {
  if (exceeded()) go_on_later();
}

void Eviction::go_on_later() {
  if (timer_set_) return;
  timer_set_ = true;
  services_.scheduler.at(services_.clock.steady(), [this] {
    timer_set_ = false;
    services_.executor->run_unit([this] { services_.executor->make_room(); });
  });
}

bool Eviction::evict_one() {
  const auto victim = services_.settings.eviction.order == Order::by_chance ? choose_by_chance() : choose_by_score();
  if (!victim) return false;
  services_.keyspace.at(victim->db).erase(victim->key, engine::events::kEvicted);
  ++services_.stats.evicted_keys;
  return true;
}

const engine::Entry* Eviction::draw(engine::DbIndex db) {
  const engine::Database& database = services_.keyspace.at(db);
  return services_.settings.eviction.only_with_deadline ? database.any_with_deadline(services_.random)
                                                        : database.any_entry(services_.random);
}

/// The databases take turns.
std::optional<engine::KeyId> Eviction::choose_by_chance() {
  const auto count = static_cast<engine::DbIndex>(services_.keyspace.count());
  for (engine::DbIndex i = 0; i < count; ++i) {
    const engine::DbIndex db = next_db_ = (next_db_ + 1) % count;
    if (const engine::Entry* entry = draw(db)) return engine::KeyId{db, std::string(entry->key())};
  }
  return std::nullopt;
}

std::optional<engine::KeyId> Eviction::choose_by_score() {
  while (sample()) {
    while (!pool_.empty()) {
      engine::KeyId best = std::move(pool_.back().id);
      pool_.pop_back();
      if (may_give_way(best)) return best;
    }
  }
  return std::nullopt;
}

/// Has the pool been offered anything?
bool Eviction::sample() {
  bool found = false;
  for (engine::DbIndex db = 0; db < services_.keyspace.count(); ++db) {
    for (std::int64_t i = 0; i < services_.settings.eviction_samples; ++i) {
      const engine::Entry* entry = draw(db);
      if (entry == nullptr) break;
      found = true;
      offer(db, *entry);
    }
  }
  return found;
}

void Eviction::offer(engine::DbIndex db, const engine::Entry& entry) {
  const std::uint64_t score = score_of(entry);
  if (pool_.size() == kPool && score <= pool_.front().score) return;
  const auto known = [&](const Candidate& candidate) {
    return candidate.id.db == db && candidate.id.key == entry.key();
  };
  if (std::any_of(pool_.begin(), pool_.end(), known)) return;
  if (pool_.size() == kPool) pool_.erase(pool_.begin());
  const auto place = std::upper_bound(pool_.begin(), pool_.end(), score,
                                      [](std::uint64_t value, const Candidate& other) { return value < other.score; });
  pool_.insert(place, Candidate{score, {db, std::string(entry.key())}});
}

std::uint64_t Eviction::score_of(const engine::Entry& entry) const {
  const engine::Shared& shared = services_.keyspace.shared();
  switch (services_.settings.eviction.order) {
    case Order::least_frequent:
      return engine::kMostCount - engine::access_count(shared.access_rule, entry.access(), shared.access_clock);
    case Order::nearest_deadline:
      return UINT64_MAX - static_cast<std::uint64_t>(entry.deadline());
    default:
      return engine::idle_seconds(entry.access(), shared.access_clock);
  }
}

/// Since it came into the pool a key may have gone, or lost its deadline.
bool Eviction::may_give_way(const engine::KeyId& id) const {
  const engine::Entry* entry = services_.keyspace.at(id.db).peek(id.key);
  return entry != nullptr && (!services_.settings.eviction.only_with_deadline || entry->has_deadline());
}

void Eviction::note_excess(bool over) {
  if (over == over_) [[likely]]
    return;
  total_excess_ += current_excess();
  over_ = over;
  over_since_ = services_.clock.steady();
}

std::int64_t Eviction::current_excess() const { return over_ ? (services_.clock.steady() - over_since_).count() : 0; }

}  // namespace fairlane::command
