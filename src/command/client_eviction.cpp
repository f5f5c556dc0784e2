#include "command/client_eviction.hpp"

#include "command/client_info.hpp"
#include "command/memory_overhead.hpp"
#include "fairlane/base/log.hpp"
#include "fairlane/command/executor.hpp"
#include "fairlane/command/services.hpp"
#include "fairlane/command/sessions.hpp"
#include "fairlane/command/settings.hpp"

namespace fairlane::command {

std::size_t ClientEviction::limit() const noexcept {
  const Settings& settings = services_.settings;
  if (settings.maxmemory_clients >= 0) return static_cast<std::size_t>(settings.maxmemory_clients);
  return static_cast<std::size_t>(settings.maxmemory / 100 * static_cast<std::uint64_t>(-settings.maxmemory_clients));
}

void ClientEviction::note(Session& session) {
  total_ -= session.counted_memory;
  session.counted_memory = memory_of(session);
  total_ += session.counted_memory;
}

void ClientEviction::weigh(Session& session) {
  const std::size_t most = limit();
  if (most == 0) [[likely]]
    return;
  note(session);
  if (total_ >= most) evict();
}

void ClientEviction::weigh_all() {
  services_.sessions.for_each([this](Session& session) { note(session); });
  if (limit() != 0 && total_ >= limit()) evict();
}

void ClientEviction::forget(const Session& session) noexcept { total_ -= session.counted_memory; }

void ClientEviction::evict() {
  while (total_ >= limit()) {
    Session* largest = nullptr;
    services_.sessions.for_each([&](Session& session) {
      if (session.no_evict || session.close_now) return;
      if (largest == nullptr || session.counted_memory > largest->counted_memory) largest = &session;
    });
    if (largest == nullptr) return;
    if (services_.log != nullptr) {
      std::string text = "Evicting client: ";
      describe(*largest, services_.clock.wall(), 0, text);
      services_.log->write(base::Log::Level::notice, text);
    }
    ++services_.stats.evicted_clients;
    total_ -= largest->counted_memory;
    largest->counted_memory = 0;
    services_.executor->close(*largest, false);
  }
}

}  // namespace fairlane::command
