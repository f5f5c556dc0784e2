#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fairlane/command/services.hpp"
#include "fairlane/command/session.hpp"

namespace fairlane::command {

struct User;

/// Who every client is until it logs in.
inline constexpr std::string_view kDefaultUser = "default";

/// Where the users are kept when the option aclfile names a file. The server reads and writes it.
class UserFile {
 public:
  struct Contents {
    std::string text;
    std::string error;  ///< why there is no text; empty: there is
  };

  virtual ~UserFile() = default;
  virtual const std::string& name() const = 0;
  virtual Contents read() = 0;
  /// Replaces the file, whole or not at all. False, after a line in the log, when that failed.
  virtual bool write(std::string_view text) = 0;
};

/// All users by name, and who of the clients is which. The default user is always there.
class Users {
 public:
  using ByName = std::map<std::string, std::unique_ptr<User>, std::less<>>;

  explicit Users(Services& services);
  ~Users();
  Users(const Users&) = delete;
  Users& operator=(const Users&) = delete;

  User* find(std::string_view name) const noexcept;
  const ByName& all() const noexcept { return users_; }
  /// The lines of ACL LIST, which declare the users when they are read again.
  std::vector<std::string> lines() const;

  // --- sessions
  /// May a client do something before it logs in?
  bool open() const noexcept;
  bool must_log_in(const Session& session) const noexcept;
  /// Logs the session in; false, and nothing has changed, when the name or the password is wrong.
  bool log_in(Session& session, std::string_view name, std::string_view password);
  /// Makes the session what it was when it had just connected: the default user, logged in when no password is asked
  /// for.
  void log_out(Session& session) const;

  // --- changes
  /// ACL SETUSER: all of the rules or none. Who hears a channel that the user may no longer use is disconnected.
  /// Returns what is wrong as an error without its code, or nothing.
  std::string change(std::string_view name, std::span<const std::string_view> rules);
  /// Removes a user, who is not the default one, and disconnects his clients. False when there is none.
  bool remove(std::string_view name);
  /// The option requirepass: the default user's only password; empty asks for none.
  void set_default_password(std::string_view password);

  // --- before the start
  /// A line of the configuration file: the name and the rules. Returns what is wrong, or nothing.
  std::string declare(std::span<const std::string> words);

  // --- the file of users
  /// Takes the users that the file declares in place of the present ones, or none of them when it has an error; clients
  /// who are not the default user are disconnected. Returns what is wrong, or nothing. There is a file.
  std::string load();
  bool save() const;

 private:
  void replace_all(ByName users);
  void refresh(const User& user) const;
  void disconnect(const User& user);
  void disconnect_deaf(const User& before, const User& after);
  void close(SessionId id);

  Services& services_;
  ByName users_;
  User* default_;  // one of them; stays where it is
  std::vector<std::string> declared_;
};

}  // namespace fairlane::command
