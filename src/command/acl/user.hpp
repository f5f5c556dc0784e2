#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "command/acl/permissions.hpp"

namespace fairlane::command {

/// Whether a value that the user restores from bytes is to be looked at closely; told, and without effect here.
enum class PayloadCheck : std::uint8_t { unsaid, wanted, skipped };

/// Who may log in, how, and what he may do then. A new user may do neither.
struct User {
  std::string name;
  bool enabled = false;
  bool any_password = false;  ///< and then there are no digests
  PayloadCheck payload_check = PayloadCheck::unsaid;
  std::vector<std::string> digests;    ///< of passwords: SHA-256 in hexadecimal digits
  std::vector<Permissions> selectors;  ///< a request has to fit one of them; the first is always there

  User(std::string user_name, const Catalog& catalog) : name(std::move(user_name)), selectors{Permissions(catalog)} {}

  Permissions& root() noexcept { return selectors.front(); }
  const Permissions& root() const noexcept { return selectors.front(); }

  bool accepts(std::string_view password) const;
  /// May do whatever there is to do: no request needs to be checked.
  bool unrestricted() const noexcept;
  Verdict check(const Command& command, std::span<const std::string_view> words) const;
  /// May he run the request and read any key beside those it names?
  bool reads_all_keys(const Command& command, std::span<const std::string_view> words) const;
};

}  // namespace fairlane::command
