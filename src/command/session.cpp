#include "fairlane/command/session.hpp"

#include <cstring>

#include "fairlane/command/sessions.hpp"

namespace fairlane::command {

OwnedRequest::OwnedRequest(std::span<const std::string_view> words) {
  for (const std::string_view word : words) size_ += word.size();
  bytes_ = std::make_unique_for_overwrite<char[]>(size_);
  words_.reserve(words.size());
  char* to = bytes_.get();
  for (const std::string_view word : words) {
    if (!word.empty()) std::memcpy(to, word.data(), word.size());
    words_.emplace_back(to, word.size());
    to += word.size();
  }
}

Session& Sessions::add() {
  const SessionId id = ++last_id_;
  auto session = std::make_unique<Session>();
  session->id = id;
  return *sessions_.emplace_hint(sessions_.end(), id, std::move(session))->second;
}

void Sessions::remove(SessionId id) { sessions_.erase(id); }

Session* Sessions::find(SessionId id) const noexcept {
  const auto found = sessions_.find(id);
  return found == sessions_.end() ? nullptr : found->second.get();
}

}  // namespace fairlane::command
