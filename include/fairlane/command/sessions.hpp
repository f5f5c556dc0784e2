#pragma once

#include <map>
#include <memory>

#include "fairlane/command/session.hpp"

namespace fairlane::command {

/// The sessions of all connected clients, by id. Ids rise and are never used again.
class Sessions {
 public:
  Session& add();
  void remove(SessionId id);
  /// Null when the client has left.
  Session* find(SessionId id) const noexcept;
  std::size_t size() const noexcept { return sessions_.size(); }

  /// Every session in order of arrival; the visitor may close sessions but not remove them.
  template <class F>
  void for_each(F&& visit) const {
    for (const auto& [id, session] : sessions_) visit(*session);
  }

 private:
  SessionId last_id_ = 0;
  std::map<SessionId, std::unique_ptr<Session>> sessions_;
};

}  // namespace fairlane::command
