// lane_random_checks.cpp - what must be true of a queue at any time, read from its keys.
#include <algorithm>

#include "fairlane/base/number.hpp"
#include "fairlane/data/hash.hpp"
#include "fairlane/data/list.hpp"
#include "fairlane/data/set.hpp"
#include "fairlane/data/sorted_set.hpp"
#include "testkit/lane_random_run.hpp"

namespace fairlane::testkit {
namespace {

const std::string kKeys = "emq:{q}:";

std::string backlog_key(const std::string& lane) { return kKeys + "g:" + lane + ":pending"; }

std::int64_t number(const std::string& text) { return base::parse_integer(text).value_or(0); }

}  // namespace

std::vector<std::string> LaneRandomRun::members(const std::string& key) {
  std::vector<std::string> found;
  const engine::Entry* entry = server_.database().peek(key);
  if (entry == nullptr) return found;
  for (auto cursor = entry->value<data::SortedSet>().first(); cursor.valid(); cursor.next()) {
    found.emplace_back(cursor.item().member);
  }
  return found;
}

std::string LaneRandomRun::field(const std::string& key, std::string_view name) {
  const engine::Entry* entry = server_.database().peek(key);
  return entry == nullptr ? std::string() : std::string(entry->value<data::Hash>().find(name).value_or(""));
}

LaneRandomRun::Lane LaneRandomRun::look(const std::string& lane) {
  const engine::Entry* backlog = server_.database().peek(backlog_key(lane));
  const engine::Entry* paused = server_.database().peek(kKeys + "paused");
  return {.depth = backlog == nullptr ? 0 : backlog->value<data::SortedSet>().size(),
          .limit = number(field(kKeys + "glimit", lane)),
          .in_flight = number(field(kKeys + "gactive", lane)),
          .paused = paused != nullptr && paused->value<data::Set>().contains(lane)};
}

void LaneRandomRun::check_claim(const std::vector<const Value*>& tuples) {
  if (last_.kind == Kind::error) return wrong("a claim was refused");
  for (const Value* tuple : tuples) {
    const std::string& id = tuple->items[0].text;
    const std::string& lane = tuple->items[3].text;
    if (alive_.count(id) == 0) wrong("a ghost was handed out");
    if (field(kKeys + "job:" + id, "group") != lane) wrong("a job of another lane was handed out");
    const Lane now = look(lane);
    if (now.paused) wrong("a paused lane was served");
    if (now.limit != 0 && now.in_flight > now.limit) wrong("a limit was exceeded");
    std::erase_if(held_, [&](const Held& held) { return held.id == id; });
    held_.push_back({id, tuple->items[2].text});
  }
  const bool paused = !field(kKeys + "meta", "paused").empty();
  if (paused && !tuples.empty()) wrong("a paused queue was served");
  claimed_ += tuples.size();
  if (!tuples.empty()) return;
  ++empty_claims_;
  for (std::size_t lane = 0; lane < kLanes && !paused; ++lane) {
    const std::string name = LaneQueue::lane_name(lane);
    if (look(name).serviceable()) wrong("an empty claim while " + name + " was serviceable");
  }
}

bool LaneRandomRun::check_keys() {
  places_.clear();
  check_places();
  check_lanes();
  return problem_.empty();
}

/// Every job is listed once, under a key that its row agrees with, and nothing else is.
void LaneRandomRun::check_places() {
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const std::string name = LaneQueue::lane_name(lane);
    note_places(backlog_key(name), "pending");
    for (const std::string& id : members(backlog_key(name))) {
      if (field(kKeys + "job:" + id, "group") != name) wrong(id + " waits in another lane than its row says");
    }
  }
  note_places(kKeys + "active", "active");
  note_places(kKeys + "schedule", "scheduled");
  note_places(kKeys + "dead", "dead");
  for (const std::string& id : alive_) {
    if (places_.count(id) == 0) wrong(id + " is nowhere");
  }
  std::size_t rows = 0;
  server_.database().for_each(
      [&](const engine::Entry& entry) { rows += entry.key().starts_with(kKeys + "job:") ? 1 : 0; });
  if (rows != alive_.size()) wrong(std::to_string(rows) + " rows of " + std::to_string(alive_.size()) + " jobs");
}

void LaneRandomRun::note_places(const std::string& key, std::string_view state) {
  for (const std::string& id : members(key)) {
    if (!places_.emplace(id, key).second) wrong(id + " is in two places");
    if (alive_.count(id) == 0) wrong(id + " is a ghost in " + key);
    if (field(kKeys + "job:" + id, "state") != state) wrong(id + " is not in the state of its place");
  }
}

/// The ring holds every serviceable lane once and nothing else, and the counts in flight are those of the leases.
void LaneRandomRun::check_lanes() {
  std::map<std::string, std::int64_t> in_flight;
  for (const std::string& id : members(kKeys + "active")) ++in_flight[field(kKeys + "job:" + id, "group")];
  std::map<std::string, int> ring;
  if (const engine::Entry* entry = server_.database().peek(kKeys + "ring")) {
    const auto& list = entry->value<data::List>();
    list.for_each(0, list.size(), [&](std::string_view lane) { ++ring[std::string(lane)]; });
  }
  std::size_t listed = 0;
  for (std::size_t number = 0; number < kLanes; ++number) {
    const std::string name = LaneQueue::lane_name(number);
    const Lane lane = look(name);
    if (lane.in_flight != in_flight[name]) wrong(name + " has another number of jobs in flight");
    const int times = ring.count(name) != 0 ? ring[name] : 0;
    if (times != (lane.serviceable() ? 1 : 0)) wrong(name + " is in the ring " + std::to_string(times) + " times");
    if (times != 0) ++listed;
  }
  if (listed != ring.size()) wrong("the ring holds what is no lane");
}

}  // namespace fairlane::testkit
