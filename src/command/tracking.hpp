#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fairlane/command/session.hpp"
#include "fairlane/engine/changes.hpp"

namespace fairlane::command {

struct Command;
struct Services;

/// Client-side caching: remembers who has read which key, and tells them when it changes. Told of every change; sends
/// what the running client is to hear about itself behind its reply, and broadcasts at the end of a batch.
class Tracking final : public engine::ChangeObserver {
 public:
  explicit Tracking(Services& services);

  void enable(Session& session, ClientTracking wanted);
  /// Does nothing when it is off.
  void disable(Session& session);

  /// A tracking client has run a command: its keys are remembered when it reads.
  void note(Session& session, const Command& command, std::span<const std::string_view> words);
  /// A script of the client has read something: the keys of the script's own request are remembered.
  void note_script(Session& session, const Command& command, std::span<const std::string_view> words);
  /// All keys of a database are gone.
  void flushed();

  void on_change(const engine::Change& change) override;
  /// Behind the reply of the running client.
  void send_pending(Session& session);
  bool has_pending() const noexcept { return !pending_.empty(); }
  /// At the end of a batch.
  void broadcast();
  bool has_broadcasts() const noexcept { return !changed_.empty(); }

  std::size_t clients() const noexcept { return clients_.size(); }
  /// Keys remembered, and all clients of all of them.
  std::size_t keys() const noexcept { return readers_.size(); }
  std::size_t items() const noexcept { return items_; }
  /// Different prefixes that clients want to hear of.
  std::size_t prefixes() const;

 private:
  void remember(Session& session, const Command& command, std::span<const std::string_view> words);
  void invalidate(std::string_view key, SessionId changer);
  void tell(SessionId id, std::span<const std::string_view> keys, SessionId changer);
  void send(Session& session, std::span<const std::string_view> keys);
  void update_interest();

  Services& services_;
  std::set<SessionId> clients_;
  std::size_t broadcasters_ = 0;
  std::unordered_map<std::string, std::set<SessionId>> readers_;  // by key
  std::size_t items_ = 0;
  std::map<std::string, SessionId> changed_;       // since the last broadcast, with who changed it
  std::vector<std::vector<std::string>> pending_;  // for the running client; empty: all keys
};

}  // namespace fairlane::command
