#pragma once

#include <cstddef>

#include "fairlane/command/services.hpp"

namespace fairlane::command {

/// Memory that holds no data of the clients.
struct Overhead {
  std::size_t clients;   ///< sessions and their buffers
  std::size_t tables;    ///< of the databases, without the entries
  std::size_t at_start;  ///< of the server before it had a key
  std::size_t total() const noexcept { return clients + tables + at_start; }
};

/// Of the session and its buffers.
std::size_t memory_of(const Session& session) noexcept;
std::size_t memory_of_clients(const Sessions& sessions);
Overhead overhead_of(const Services& services);

}  // namespace fairlane::command
