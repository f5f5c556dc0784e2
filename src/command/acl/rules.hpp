#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "command/acl/user.hpp"

/// The language of ACL SETUSER: "on", ">password", "~keys:*", "+@read", "(+get ~other:*)" and so on.
namespace fairlane::command {

/// What is wrong with a rule that names what does not exist.
inline constexpr std::string_view kUnknownInRule = "Unknown command or category name in ACL";

/// Rules with the words of each selector joined: a selector in brackets may be several words of a request.
struct JoinedRules {
  std::vector<std::string> rules;
  std::string unclosed;  ///< the word that opens a bracket which nothing closes; then there are no rules
};
JoinedRules join_selectors(std::span<const std::string_view> words);

/// Blanks or NUL, which neither names of users nor patterns may have.
bool has_blanks(std::string_view text) noexcept;

/// Applies rules to users.
class Rules {
 public:
  enum class NewChannels : bool { none, all };

  /// What a new selector may do with channels is the option acl-pubsub-default.
  Rules(const Catalog& catalog, NewChannels channels) noexcept : catalog_(catalog), channels_(channels) {}

  User new_user(std::string_view name) const;
  /// Returns what is wrong with the rule, and then the user is as before; or nothing.
  std::string_view apply(User& user, std::string_view rule) const;

 private:
  Permissions new_selector() const;
  void reset(User& user) const;
  std::string_view add_selector(User& user, std::string_view rule) const;
  std::string_view apply(Permissions& selector, std::string_view rule) const;
  std::string_view apply_command(Permissions& selector, std::string_view rule) const;
  std::string_view permit_first_word(Permissions& selector, std::string_view name) const;
  std::string_view apply_category(Permissions& selector, std::string_view rule) const;

  const Catalog& catalog_;
  NewChannels channels_;
};

}  // namespace fairlane::command
