#include "fairlane/command/users.hpp"

#include <algorithm>

#include "command/acl/rules.hpp"
#include "command/acl/user_lines.hpp"
#include "command/acl/user_text.hpp"
#include "fairlane/command/executor.hpp"
#include "fairlane/command/sessions.hpp"
#include "fairlane/command/settings.hpp"

namespace fairlane::command {
namespace {

Rules rules_for(const Services& services) {
  const bool all = services.settings.new_users_hear_all_channels;
  return {services.catalog, all ? Rules::NewChannels::all : Rules::NewChannels::none};
}

void set_default_rules(User& user) {
  user.enabled = user.any_password = true;
  user.root().set_all_commands(true);
  user.root().set_all_keys(true);
  user.root().set_all_channels(true);
}

bool hears_all_channels(const User& user) noexcept {
  return std::any_of(user.selectors.begin(), user.selectors.end(),
                     [](const Permissions& one) { return one.has_all_channels(); });
}

std::vector<std::string> channels_of(const User& user) {
  std::vector<std::string> channels;
  for (const Permissions& one : user.selectors) {
    channels.insert(channels.end(), one.channels().begin(), one.channels().end());
  }
  return channels;
}

/// Is the session subscribed to anything that these patterns do not permit?
bool hears_more(const Session& session, std::span<const std::string> patterns) {
  const auto beyond = [&](const engine::Subscriptions& names, bool are_patterns) {
    return names.any_of([&](std::string_view name) { return !permits_channel(patterns, name, are_patterns); });
  };
  return beyond(session.patterns, true) || beyond(session.channels, false) || beyond(session.shard_channels, false);
}

/// Returns what is wrong with the first rule that is, or nothing. `what` is the beginning of such an error.
std::string apply_all(const Rules& reader, User& user, std::span<const std::string_view> words, std::string_view what) {
  const JoinedRules joined = join_selectors(words);
  if (!joined.unclosed.empty()) return "Unmatched parenthesis in acl selector starting at '" + joined.unclosed + "'.";
  for (const std::string& rule : joined.rules) {
    const std::string_view wrong = reader.apply(user, rule);
    // Redis cuts words that it quotes at their first NUL.
    if (!wrong.empty()) return std::string(what).append(rule.c_str()).append("': ").append(wrong);
  }
  return {};
}

}  // namespace

Users::Users(Services& services) : services_(services) {
  auto user = std::make_unique<User>(std::string(kDefaultUser), services.catalog);
  set_default_rules(*user);
  default_ = user.get();
  users_.emplace(kDefaultUser, std::move(user));
}

Users::~Users() = default;

User* Users::find(std::string_view name) const noexcept {
  const auto found = users_.find(name);
  return found == users_.end() ? nullptr : found->second.get();
}

std::vector<std::string> Users::lines() const {
  std::vector<std::string> lines;
  for (const auto& [name, user] : users_) lines.push_back(describe(*user, services_.catalog));
  return lines;
}

// --- sessions

bool Users::open() const noexcept { return default_->any_password && default_->enabled; }

bool Users::must_log_in(const Session& session) const noexcept { return !session.authenticated && !open(); }

bool Users::log_in(Session& session, std::string_view name, std::string_view password) {
  const User* user = find(name);
  if (user == nullptr || !user->accepts(password)) return false;
  session.user = user;
  session.authenticated = true;
  session.unrestricted = user->unrestricted();
  return true;
}

void Users::log_out(Session& session) const {
  session.user = default_;
  session.authenticated = open();
  session.unrestricted = session.authenticated && default_->unrestricted();
}

void Users::refresh(const User& user) const {
  const bool unrestricted = user.unrestricted();
  services_.sessions.for_each([&](Session& session) {
    if (session.user == &user) session.unrestricted = session.authenticated && unrestricted;
  });
}

void Users::close(SessionId id) {
  Session& session = *services_.sessions.find(id);
  if (&session == services_.executor->running()) {
    session.close_after_reply = true;
  } else {
    services_.executor->drop(session);
  }
}

void Users::disconnect(const User& user) {
  std::vector<SessionId> ids;
  services_.sessions.for_each([&](Session& session) {
    if (session.user != &user) return;
    session.user = default_;
    session.authenticated = session.unrestricted = false;
    ids.push_back(session.id);
  });
  for (const SessionId id : ids) close(id);
}

void Users::disconnect_deaf(const User& before, const User& after) {
  if (hears_all_channels(after)) return;
  const std::vector<std::string> permitted = channels_of(after);
  const std::vector<std::string> former = channels_of(before);
  const bool fewer = hears_all_channels(before) || std::any_of(former.begin(), former.end(), [&](const auto& one) {
                       return std::find(permitted.begin(), permitted.end(), one) == permitted.end();
                     });
  if (!fewer) return;
  std::vector<SessionId> ids;
  services_.sessions.for_each([&](const Session& session) {
    if (session.user == &before && hears_more(session, permitted)) ids.push_back(session.id);
  });
  for (const SessionId id : ids) close(id);
}

// --- changes

std::string Users::change(std::string_view name, std::span<const std::string_view> rules) {
  const Rules reader = rules_for(services_);
  User* user = find(name);
  User changed = user != nullptr ? *user : reader.new_user(name);
  std::string wrong = apply_all(reader, changed, rules, "Error in ACL SETUSER modifier '");
  if (!wrong.empty()) return wrong;
  if (user == nullptr) {
    users_.emplace(name, std::make_unique<User>(std::move(changed)));
  } else {
    disconnect_deaf(*user, changed);
    *user = std::move(changed);
    refresh(*user);
  }
  return {};
}

bool Users::remove(std::string_view name) {
  const auto found = users_.find(name);
  if (found == users_.end()) return false;
  disconnect(*found->second);
  users_.erase(found);
  return true;
}

void Users::set_default_password(std::string_view password) {
  const Rules rules = rules_for(services_);
  if (password.empty()) {
    rules.apply(*default_, "nopass");
  } else {
    rules.apply(*default_, "resetpass");
    rules.apply(*default_, ">" + std::string(password));
  }
}

std::string Users::declare(std::span<const std::string> words) {
  const std::string& name = words[0];
  if (std::find(declared_.begin(), declared_.end(), name) != declared_.end()) {
    return "Error in user declaration '" + name +
           "': Duplicate user found. A user can only be defined once in config files";
  }
  if (has_blanks(name)) return "Spaces not allowed in ACL usernames";
  const Rules reader = rules_for(services_);
  User user = reader.new_user(name);
  if (name == kDefaultUser) reader.apply(user, "reset");
  const std::vector<std::string_view> rules(words.begin() + 1, words.end());
  std::string wrong = apply_all(reader, user, rules, "Error in user declaration '");
  if (!wrong.empty()) return wrong;
  declared_.push_back(name);
  if (name == kDefaultUser) {
    *default_ = std::move(user);
  } else {
    users_.emplace(name, std::make_unique<User>(std::move(user)));
  }
  return {};
}

// --- the file of users

std::string Users::load() {
  UserFile& file = *services_.user_file;
  const UserFile::Contents contents = file.read();
  if (!contents.error.empty()) {
    return "Error loading ACLs, opening file '" + file.name() + "': " + contents.error;
  }
  UserLines lines = read_user_lines(contents.text, file.name(), rules_for(services_));
  if (lines.errors.empty()) replace_all(std::move(lines.users));
  return lines.errors;
}

void Users::replace_all(ByName users) {
  auto& declared = users[std::string(kDefaultUser)];
  if (declared == nullptr) {
    declared = std::make_unique<User>(std::string(kDefaultUser), services_.catalog);
    set_default_rules(*declared);
  }
  // Sessions, and this object, know the default user by his place.
  *default_ = std::move(*declared);
  declared = std::move(users_.find(kDefaultUser)->second);
  users_.erase(std::string(kDefaultUser));
  users_.swap(users);
  refresh(*default_);
  for (const auto& [name, user] : users) disconnect(*user);
}

bool Users::save() const {
  std::string text;
  for (const std::string& line : lines()) text.append(line).append("\n");
  return services_.user_file->write(text);
}

}  // namespace fairlane::command
