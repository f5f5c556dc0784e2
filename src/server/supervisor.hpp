#pragma once

#include <string_view>

namespace fairlane::server {

/// Whether systemd started this process and wants to hear of it (NOTIFY_SOCKET).
bool has_supervisor() noexcept;

/// Tells systemd a state, for example "READY=1": one datagram, and nothing happens where nobody listens.
void notify_supervisor(std::string_view state) noexcept;

}  // namespace fairlane::server
