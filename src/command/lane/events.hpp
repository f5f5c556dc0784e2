#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "command/lane/queue.hpp"
#include "fairlane/engine/pubsub.hpp"

/// What happens in a queue is told on its channel emq:{q}:events, as JSON objects that are built only when somebody
/// listens there.
namespace fairlane::command {

/// What an event tells beside its name, its queue and its time.
struct EventDetails {
  std::string_view id = {};
  std::string_view lane = {};
  std::int64_t attempts = -1;
  std::string_view error = {};
  std::int64_t when = -1;   ///< milliseconds since 1970: the end of a lease, the time of a delayed job
  std::int64_t count = -1;  ///< of jobs; a weight or a limit
};

void write_event(Queue& queue, std::string_view name, const EventDetails& details);

/// `details()` is called only when it is worth it.
template <class Details>
inline void tell(Queue& queue, std::string_view name, Details&& details) {
  if (queue.services.pubsub.anyone_listens()) [[unlikely]]
    write_event(queue, name, details());
}

}  // namespace fairlane::command
