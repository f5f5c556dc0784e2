#include "command/lane/queue_keys.hpp"

#include <algorithm>

#include "fairlane/base/assert.hpp"

namespace fairlane::command {
namespace {

/// In the order of QueueKey.
constexpr std::array<std::string_view, 17> kSuffixes = {
    "ring",           "active", "paused",  "glimit",   "gactive", "gweight",   "meta",  "metrics:completed",
    "metrics:failed", "wake",   "pending", "schedule", "dead",    "completed", "grate", "gtokens",
    "events"};

}  // namespace

void QueueKeys::switch_to(std::string_view queue) {
  FAIRLANE_ASSERT(queue.size() <= kLongestPrefix - kBefore.size() - kBehind.size());
  ++switches_;
  queue_size_ = queue.size();
  char* end = std::copy(kBefore.begin(), kBefore.end(), prefix_.data());
  end = std::copy(queue.begin(), queue.end(), end);
  std::copy(kBehind.begin(), kBehind.end(), end);
  for (Slot& slot : slots_) slot.size = 0;
  name_.clear();
  name_.append({prefix_.data(), prefix_size()});
}

void QueueKeys::write(QueueKey key, Slot& slot) noexcept {
  const std::string_view suffix = kSuffixes[static_cast<std::size_t>(key)];
  char* end = std::copy_n(prefix_.data(), prefix_size(), slot.text.data());
  end = std::copy(suffix.begin(), suffix.end(), end);
  slot.size = static_cast<std::uint8_t>(end - slot.text.data());
  slot.hash = base::hash_bytes({slot.text.data(), slot.size});
  slot.place = {};
}

}  // namespace fairlane::command
