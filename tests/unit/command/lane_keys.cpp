#include "unit/command/lane_keys.hpp"

#include "fairlane/data/hash.hpp"
#include "fairlane/data/list.hpp"
#include "fairlane/data/set.hpp"
#include "fairlane/data/sorted_set.hpp"

namespace fairlane::command::lane_model {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

std::string shown(const std::string& text) { return text; }
std::string shown(const std::pair<std::string, std::string>& field) { return field.first + "=" + field.second; }
std::string shown(const std::pair<double, std::string>& item) { return item.second + "@" + std::to_string(item.first); }
template <class Items>
std::string listed(const Items& items) {
  std::string text;
  for (const auto& item : items) text += " " + shown(item);
  return text;
}

class Comparison {
 public:
  Comparison(engine::Database& database, std::string prefix, std::size_t& keys)
      : database_(database), prefix_(std::move(prefix)), keys_(keys) {}

  void sorted_set(const std::string& suffix, const Listed& expected) {
    Listed found;
    if (const auto* set = value<data::SortedSet>(suffix)) {
      for (auto cursor = set->first(); cursor.valid(); cursor.next()) {
        found.emplace_back(cursor.item().score, cursor.item().member);
      }
    }
    compare(suffix, found, expected);
  }
  void list(const std::string& suffix, const Names& expected) {
    Names found;
    const auto* list = value<data::List>(suffix);
    if (list != nullptr) list->for_each(0, list->size(), [&](std::string_view item) { found.emplace_back(item); });
    compare(suffix, found, expected);
  }
  void set(const std::string& suffix, const Names& expected) {
    Names found;
    const auto* set = value<data::Set>(suffix);
    if (set != nullptr) set->for_each([&](std::string_view member) { found.emplace_back(member); });
    std::sort(found.begin(), found.end());
    compare(suffix, found, expected);
  }
  void hash(const std::string& suffix, const Fields& expected) {
    const auto* hash = value<data::Hash>(suffix);
    bool same = (hash == nullptr ? 0 : hash->size()) == expected.size();
    for (auto field = expected.begin(); same && field != expected.end(); ++field) {
      same = hash->find(field->first) == field->second;
    }
    if (same) return;
    Fields found;
    if (hash != nullptr) hash->for_each([&](auto field, auto text) { found.emplace_back(field, text); });
    report(suffix, listed(found), listed(expected));
  }
  std::string text() && { return std::move(text_); }

 private:
  template <class T>
  const T* value(const std::string& suffix) {
    const engine::Entry* entry = database_.peek(prefix_ + suffix);
    if (entry == nullptr) return nullptr;
    ++keys_;
    return &entry->value<T>();
  }
  template <class Items>
  void compare(const std::string& suffix, const Items& found, const Items& expected) {
    if (found != expected) report(suffix, listed(found), listed(expected));
  }
  void report(const std::string& suffix, const std::string& found, const std::string& expected) {
    text_ += prefix_ + suffix + ":" + found + ", expected" + expected + "\n";
  }

  engine::Database& database_;
  std::string prefix_;
  std::size_t& keys_;
  std::string text_;
};

/// The row's state is the name of the place.
std::string state_of(Place place) {
  constexpr const char* kNames[] = {"pending", "pending", "active", "scheduled", "dead", "completed"};
  return kNames[static_cast<std::size_t>(place)];
}

Fields row_of(const Job& job) {
  Fields row{{"state", state_of(job.place)}, {"attempts", std::to_string(job.attempts)}, {"payload", job.payload}};
  if (job.lane) row.emplace_back("group", *job.lane);
  if (job.last_error) row.emplace_back("last_error", *job.last_error);
  if (job.stalled != 0) row.emplace_back("stalled", std::to_string(job.stalled));
  if (job.expired) row.emplace_back("expired", std::to_string(*job.expired));
  return row;
}

void compare_lanes(Comparison& keys, const Model& model) {
  Fields in_flight;
  Fields weights;
  Fields limits;
  Names paused;
  for (const auto& [name, lane] : model.lanes) {
    Listed waiting;
    for (const std::string& id : model.waiting_in(name)) waiting.emplace_back(0, id);
    keys.sorted_set("g:" + name + ":pending", waiting);
    if (const auto count = model.in_flight(name); count != 0) in_flight.emplace_back(name, std::to_string(count));
    if (lane.weight) weights.emplace_back(name, std::to_string(*lane.weight));
    if (lane.limit != 0) limits.emplace_back(name, std::to_string(lane.limit));
    if (lane.paused) paused.push_back(name);
  }
  keys.hash("gactive", in_flight);
  keys.hash("gweight", weights);
  keys.hash("glimit", limits);
  keys.set("paused", paused);
}

void compare_meta(Comparison& keys, const Model& model) {
  Fields meta;
  if (model.paused) meta.emplace_back("paused", "1");
  if (model.max_attempts != 0) meta.emplace_back("max", std::to_string(model.max_attempts));
  if (model.ceiling != 0) meta.emplace_back("concurrency", std::to_string(model.ceiling));
  if (model.keep_completed != 0) meta.emplace_back("keep-completed", std::to_string(model.keep_completed));
  keys.hash("meta", meta);
  const auto total = [](std::int64_t count) {
    return count == 0 ? Fields{} : Fields{{"count", std::to_string(count)}};
  };
  keys.hash("metrics:completed", total(model.completed));
  keys.hash("metrics:failed", total(model.failed));
}

}  // namespace

std::string difference(engine::Database& database, const std::string& queue, const Model& model, std::size_t& keys) {
  Comparison comparison(database, "emq:{" + queue + "}:", keys);
  comparison.list("ring", Names(model.ring.begin(), model.ring.end()));
  comparison.list("wake", Names(static_cast<std::size_t>(model.wake), "1"));
  comparison.sorted_set("pending", model.listed(Place::ungrouped));
  comparison.sorted_set("active", model.listed(Place::active));
  comparison.sorted_set("schedule", model.listed(Place::scheduled));
  comparison.sorted_set("dead", model.listed(Place::dead));
  comparison.sorted_set("completed", model.listed(Place::finished));
  compare_lanes(comparison, model);
  compare_meta(comparison, model);
  for (const auto& [id, job] : model.jobs) comparison.hash("job:" + id, row_of(job));
  return std::move(comparison).text();
}

}  // namespace fairlane::command::lane_model
