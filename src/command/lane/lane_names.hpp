#pragma once

#include <initializer_list>
#include <string_view>

#include "command/lane/queue.hpp"

/// Lanes have no register of their own: which there are follows from the keys that name them.
namespace fairlane::command {

/// Every lane with jobs is named here: it is in the ring, paused, in flight, or out of tokens. A lane that is named may
/// be empty, and in a ring that somebody else wrote a lane may be named twice.
inline constexpr std::initializer_list<QueueKey> kNamedByJobs = {QueueKey::ring, QueueKey::paused, QueueKey::in_flight,
                                                                 QueueKey::rates};
/// Every lane with jobs or with a setting.
inline constexpr std::initializer_list<QueueKey> kNamedAtAll = {QueueKey::ring,  QueueKey::paused,  QueueKey::in_flight,
                                                                QueueKey::rates, QueueKey::weights, QueueKey::limits};

/// visit(name) for every lane that the keys name, once a key; no changes meanwhile. `wrong_type` may come behind some
/// visits.
template <class Visit>
Step visit_lanes(Queue& queue, std::initializer_list<QueueKey> keys, Visit&& visit) {
  for (const QueueKey key : keys) {
    if (key == QueueKey::ring) {
      const auto ring = queue.look<data::List>(queue.keys[key]);
      if (ring.wrong_type()) return Step::wrong_type;
      if (!ring.absent()) ring->for_each(0, ring->size(), visit);
    } else if (key == QueueKey::paused) {
      const auto lanes = queue.look<data::Set>(queue.keys[key]);
      if (lanes.wrong_type()) return Step::wrong_type;
      if (!lanes.absent()) lanes->for_each(visit);
    } else {
      const auto lanes = queue.look<data::Hash>(queue.keys[key]);
      if (lanes.wrong_type()) return Step::wrong_type;
      if (!lanes.absent()) lanes->for_each([&](std::string_view lane, std::string_view) { visit(lane); });
    }
  }
  return Step::done;
}

}  // namespace fairlane::command
