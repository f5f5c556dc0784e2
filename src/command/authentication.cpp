#include "command/authentication.hpp"

namespace fairlane::command {
namespace {

/// Takes as long for a nearly right password as for a wrong one, so that answers' times tell nothing.
bool same_secret(std::string_view given, std::string_view secret) noexcept {
  unsigned difference = given.size() == secret.size() ? 0 : 1;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const char expected = secret.empty() ? '\0' : secret[i % secret.size()];
    difference |= static_cast<unsigned char>(given[i] ^ expected);
  }
  return difference == 0;
}

}  // namespace

bool log_in(Session& session, const Settings& settings, std::string_view user, std::string_view password) {
  if (!user_exists(user)) return false;
  // Without a password of its own the default user takes any.
  if (!settings.requirepass.empty() && !same_secret(password, settings.requirepass)) return false;
  session.user = user;
  session.authenticated = true;
  return true;
}

void log_out(Session& session, const Settings& settings) {
  session.user = kDefaultUser;
  session.authenticated = settings.requirepass.empty();
}

}  // namespace fairlane::command
