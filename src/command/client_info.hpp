#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "fairlane/command/session.hpp"
#include "fairlane/command/settings.hpp"

namespace fairlane::command {

/// The limits that apply to a client, and its TYPE.
inline ClientClass class_of(const Session& session) noexcept {
  return session.subscriptions() != 0 ? ClientClass::pubsub : ClientClass::normal;
}

/// The TYPE argument of CLIENT LIST and CLIENT KILL. `none` is a type that no client of this server has.
enum class ClientType : std::uint8_t { normal, replica, pubsub, none };
std::optional<ClientType> parse_client_type(std::string_view text) noexcept;
bool is_type(const Session& session, ClientType type) noexcept;

/// Appends the line of CLIENT LIST and CLIENT INFO without its line end. `argument_bytes` is the size of the request
/// that the client runs just now.
void describe(const Session& session, base::Wall now, std::size_t argument_bytes, std::string& text);

/// Names have no blanks, line ends or other bytes outside of the visible ASCII range.
bool valid_client_name(std::string_view name) noexcept;
inline constexpr std::string_view kBadClientName =
    "ERR Client names cannot contain spaces, newlines or special characters.";

}  // namespace fairlane::command
