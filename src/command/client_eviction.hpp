#pragma once

#include <cstddef>

namespace fairlane::command {

struct Services;
struct Session;

/// Keeps the memory of all clients together within maxmemory-clients: the client that takes the most is disconnected
/// first, but none that asked for CLIENT NO-EVICT. Costs nothing while there is no limit.
class ClientEviction {
 public:
  explicit ClientEviction(Services& services) : services_(services) {}

  /// The session's buffers may have changed.
  void weigh(Session& session);
  /// The limit has changed.
  void weigh_all();
  /// The session ends.
  void forget(const Session& session) noexcept;

 private:
  std::size_t limit() const noexcept;
  void note(Session& session);
  void evict();

  Services& services_;
  std::size_t total_ = 0;
};

}  // namespace fairlane::command
