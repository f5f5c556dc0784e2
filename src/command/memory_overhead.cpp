#include "command/memory_overhead.hpp"

#include "fairlane/command/sessions.hpp"
#include "fairlane/engine/keyspace.hpp"

namespace fairlane::command {

std::size_t memory_of(const Session& session) noexcept {
  return sizeof(Session) + session.out.capacity() + session.query_buffer + session.query_buffer_free +
         session.transaction.memory;
}

std::size_t memory_of_clients(const Sessions& sessions) {
  std::size_t total = 0;
  sessions.for_each([&](const Session& session) { total += memory_of(session); });
  return total;
}

Overhead overhead_of(const Services& services) {
  Overhead overhead{memory_of_clients(services.sessions), 0, services.stats.memory_at_start};
  for (engine::DbIndex i = 0; i < services.keyspace.count(); ++i) {
    overhead.tables += services.keyspace.at(i).table_memory();
  }
  return overhead;
}

}  // namespace fairlane::command
