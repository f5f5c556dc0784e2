// hash_deadlines.cpp - hashes some of whose fields have a deadline.
#include <utility>

#include "fairlane/base/assert.hpp"
#include "fairlane/data/hash.hpp"

namespace fairlane::data {

using detail::TimedHash;

Hash::Put Hash::put_timed(std::string_view field, std::string_view value, const Limits& limits) {
  beside().deadlines.erase(field);
  return plain().put(field, value, limits);
}

Hash::Down Hash::count_down_timed(std::string_view field, const Limits& limits) {
  const Down down = plain().count_down(field, limits);
  if (down == Down::erased) beside().deadlines.erase(field);
  return down;
}

bool Hash::erase_timed(std::string_view field) {
  beside().deadlines.erase(field);
  return plain().erase(field);
}

/// The hash stays timed: an index may still know where it stands there.
void Hash::clear_timed() noexcept {
  plain().clear();
  beside().deadlines.clear();
}

Hash Hash::clone_timed() const {
  Hash copy;
  copy.where_ = {new TimedHash{plain().clone(), beside().deadlines.clone()}, Kind::timed};
  return copy;
}

std::optional<std::int64_t> Hash::deadline(std::string_view field) const {
  if (!timed()) return std::nullopt;
  const auto when = beside().deadlines.score(field);
  return when ? std::optional(static_cast<std::int64_t>(*when)) : std::nullopt;
}

void Hash::set_deadline(std::string_view field, std::int64_t when) {
  FAIRLANE_ASSERT(when >= 0);
  if (!timed()) {
    auto* timed = new TimedHash;
    timed->plain = std::move(*this);
    where_ = {timed, Kind::timed};
  }
  beside().deadlines.put(field, static_cast<double>(when));
}

bool Hash::clear_deadline(std::string_view field) { return timed() && beside().deadlines.erase(field); }

std::optional<std::int64_t> Hash::nearest_deadline() const noexcept {
  if (!timed() || beside().deadlines.empty()) return std::nullopt;
  return static_cast<std::int64_t>(beside().deadlines.first().item().score);
}

bool Hash::all_due(std::int64_t now) const noexcept {
  if (!timed() || plain().empty() || beside().deadlines.size() != plain().size()) return false;
  return beside().deadlines.last().item().score <= static_cast<double>(now);
}

std::size_t Hash::erase_due(std::int64_t now, std::size_t most) {
  if (!timed()) return 0;
  std::size_t erased = 0;
  const auto due = [&] {
    const SortedSet::Cursor first = beside().deadlines.first();
    return first.valid() && first.item().score <= static_cast<double>(now);
  };
  for (; erased < most && due(); ++erased) {
    beside().deadlines.pop_min(1, [&](const SortedSet::Item& item) { plain().erase(item.member); });
  }
  return erased;
}

std::uint32_t Hash::index_position() const noexcept { return beside().index_position; }

void Hash::set_index_position(std::uint32_t position) noexcept { beside().index_position = position; }

}  // namespace fairlane::data
