#include "fairlane/engine/wait_queue.hpp"

#include <algorithm>

#include "fairlane/engine/keyspace.hpp"

namespace fairlane::engine {

std::size_t WaitQueue::kind_of(std::optional<Type> type) noexcept {
  return type ? static_cast<std::size_t>(*type) + 1 : 0;
}

void WaitQueue::add(SessionId session, DbIndex db, std::span<const std::string_view> keys, std::optional<Type> type) {
  const std::uint64_t turn = ++last_turn_;
  Awaited& awaited = sessions_[session];
  awaited.turn = turn;
  for (const std::string_view key : keys) {
    KeyId id{db, std::string(key)};
    Line& line = keys_[id];
    // The same key twice in one request is one place.
    if (!line.places.empty() && line.places.back().turn == turn) continue;
    line.places.push_back({session, turn, kind_of(type)});
    ++line.counts[kind_of(type)];
    awaited.keys.push_back(std::move(id));
  }
  changes_->set_interest(Listener::wait_queue, true);
}

void WaitQueue::add_hints(SessionId session, std::span<const std::string_view> hints) {
  if (hints.empty()) return;
  Awaited& awaited = sessions_.find(session)->second;
  const KeyId& first = awaited.keys.front();
  for (const std::string_view key : hints) {
    KeyId id{first.db, std::string(key)};
    ++hints_.try_emplace(id, Hint{first, 0}).first->second.sessions;
    awaited.hints.push_back(std::move(id));
  }
}

void WaitQueue::remove(SessionId session) {
  const auto found = sessions_.find(session);
  if (found == sessions_.end()) return;
  for (const KeyId& id : found->second.keys) {
    const auto at = keys_.find(id);
    Line& line = at->second;
    const auto place = std::lower_bound(line.places.begin(), line.places.end(), found->second.turn,
                                        [](const Place& one, std::uint64_t turn) { return one.turn < turn; });
    --line.counts[place->kind];
    line.places.erase(place);
    if (line.places.empty()) keys_.erase(at);
  }
  for (const KeyId& id : found->second.hints) {
    const auto at = hints_.find(id);
    if (--at->second.sessions == 0) hints_.erase(at);
  }
  sessions_.erase(found);
  if (sessions_.empty()) changes_->set_interest(Listener::wait_queue, false);
}

void WaitQueue::on_change(const Change& change) {
  if (!change.grew && !change.created && !change.removed) return;
  if (!hints_.empty()) {
    const auto hint = hints_.find(KeyView{change.db, change.key});
    if (hint != hints_.end()) {
      const auto awaited = keys_.find(hint->second.awaited);
      mark_ready(awaited->first, awaited->second);
    }
  }
  const auto at = keys_.find(KeyView{change.db, change.key});
  if (at == keys_.end()) return;
  // Keys are served in the order in which they came to hold something, so an end must not count for those who have no
  // use for it.
  if (change.removed && !awaits_any_change(at->second)) return;
  mark_ready(at->first, at->second);
}

void WaitQueue::mark_ready(const KeyId& id, Line& line) {
  if (line.ready) return;
  line.ready = true;
  ready_.push_back(id);
}

void WaitQueue::databases_swapped(Keyspace& keyspace, DbIndex a, DbIndex b) {
  std::vector<KeyId> affected;
  for (const auto& [id, line] : keys_) {
    if (id.db == a || id.db == b) affected.push_back(id);
  }
  for (const KeyId& id : affected) {
    Line& line = keys_.find(id)->second;
    if (awaits_any_change(line) || keyspace.at(id.db).contains(id.key)) mark_ready(id, line);
  }
}

std::optional<KeyId> WaitQueue::take_ready() {
  if (ready_.empty()) return std::nullopt;
  KeyId id = std::move(ready_.front());
  ready_.pop_front();
  const auto line = keys_.find(id);
  if (line != keys_.end()) line->second.ready = false;
  return id;
}

std::optional<WaitQueue::Waiter> WaitQueue::next_waiter(const KeyId& id, std::uint64_t after,
                                                        std::optional<Type> held) const {
  const auto at = keys_.find(id);
  if (at == keys_.end()) return std::nullopt;
  const Line& line = at->second;
  const std::size_t any = kind_of(std::nullopt);
  const std::size_t wanted = kind_of(held);
  if (line.counts[any] == 0 && line.counts[wanted] == 0) return std::nullopt;
  const auto first = std::upper_bound(line.places.begin(), line.places.end(), after,
                                      [](std::uint64_t turn, const Place& one) { return turn < one.turn; });
  const auto next =
      std::find_if(first, line.places.end(), [&](const Place& one) { return one.kind == any || one.kind == wanted; });
  if (next == line.places.end()) return std::nullopt;
  return Waiter{next->session, next->turn};
}

}  // namespace fairlane::engine
