#include "command/acl/denials.hpp"

#include <algorithm>

#include "command/client_info.hpp"
#include "fairlane/command/settings.hpp"

namespace fairlane::command {
namespace {

constexpr std::size_t kLatest = 10;
constexpr base::Millis kTogether{60'000};

bool same(const Denials::Entry& one, const Denials::Entry& other) noexcept {
  return one.reason == other.reason && one.place == other.place && one.object == other.object && one.user == other.user;
}

}  // namespace

void Denials::note(const Session& session, std::span<const std::string_view> words, Entry entry) {
  std::size_t argument_bytes = 0;
  for (const std::string_view word : words) argument_bytes += word.size();
  entry.latest = services_.clock.wall();
  describe(session, entry.latest, argument_bytes, entry.client);
  const auto end = entries_.begin() + static_cast<std::ptrdiff_t>(std::min(kLatest, entries_.size()));
  const auto known = std::find_if(entries_.begin(), end, [&](const Entry& one) {
    return same(one, entry) && entry.latest - one.latest <= kTogether;
  });
  if (known != end) {
    entry.count += known->count;
    entries_.erase(known);
  }
  entries_.push_front(std::move(entry));
  const auto most = static_cast<std::size_t>(services_.settings.acl_log_max_len);
  while (entries_.size() > most) entries_.pop_back();
}

}  // namespace fairlane::command
