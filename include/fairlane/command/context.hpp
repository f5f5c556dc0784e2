#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "fairlane/command/args.hpp"
#include "fairlane/command/errors.hpp"
#include "fairlane/command/likely_keys.hpp"
#include "fairlane/command/session.hpp"
#include "fairlane/command/spec.hpp"
#include "fairlane/engine/database.hpp"
#include "fairlane/protocol/reply.hpp"

namespace fairlane::command {

struct Command;
struct Services;

/// What a handler sees.
struct Context {
  engine::Database& keys;  ///< the session's database
  Session& session;
  protocol::Reply& reply;
  Services& services;  ///< what the whole server has: the keyspace, sessions, settings, registries
  std::span<const std::string_view> request;
  Command& command;
  std::int64_t now;  ///< milliseconds since 1970, one instant a unit of work
  bool may_wait;     ///< false in a transaction and in a script: a wait answers its time-out at once
  bool in_script;    ///< a script has called it

  /// A waiting handler runs again because this key changed; it looks at no other key. Null on the first run.
  const std::string_view* served_key = nullptr;
  /// Is this key to be looked at in this run?
  bool considers(std::string_view key) const noexcept { return served_key == nullptr || *served_key == key; }
  bool serving() const noexcept { return served_key != nullptr; }

  /// Ends the command with an error: whatever it has replied is cut back. The text starts with its code.
  Outcome fail(std::string_view text) {
    error.assign(text);
    return Outcome::failed;
  }
  /// Nothing there yet: parks the client until one of the keys changes (the handler then runs again) or the time is
  /// over. `timeout_millis` 0 waits for ever. `on_timeout` writes the reply for a wait without success.
  /// A command of the list or sorted-set group runs again only while the key holds such a value, and an error is its
  /// answer then; any other runs again when something is added and at the value's end, and waits on when the type is
  /// wrong.
  Outcome wait(std::span<const std::string_view> awaited, std::int64_t timeout_millis,
               void (*on_timeout)(protocol::Reply&)) noexcept {
    wait_keys = awaited;
    wait_millis = timeout_millis;
    wait_reply = on_timeout;
    return Outcome::wait;
  }

  /// The same for one key that is no word of the request; the handler runs again for it also when one of the `hints`
  /// changes. The keys are good until the client is parked.
  Outcome wait_for(std::string_view key, std::span<const std::string_view> hints, std::int64_t timeout_millis,
                   void (*on_timeout)(protocol::Reply&)) noexcept {
    wait_key = key;
    wait_hints = hints;
    return wait({&wait_key, 1}, timeout_millis, on_timeout);
  }

  /// Waits with other words than the client sent: what "now" meant when it began must still hold later.
  void wait_with(std::span<const std::string_view> words) { wait_request = std::make_unique<OwnedRequest>(words); }
  const LikelyKeys* likely = nullptr;  ///< hashes of what this request names, when they were found out before
  std::uint64_t likely_row(std::string_view id) const noexcept { return likely != nullptr ? likely->row_of(id) : 0; }

  std::string error = {};
  std::unique_ptr<OwnedRequest> wait_request = {};
  std::string_view wait_key = {};
  std::span<const std::string_view> wait_keys = {};
  std::span<const std::string_view> wait_hints = {};
  std::int64_t wait_millis = 0;
  void (*wait_reply)(protocol::Reply&) = nullptr;
};

}  // namespace fairlane::command
