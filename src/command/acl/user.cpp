#include "command/acl/user.hpp"

#include <algorithm>

#include "fairlane/base/sha256.hpp"

namespace fairlane::command {
namespace {

/// Takes as long for a nearly right digest as for a wrong one, so that answers' times tell nothing.
bool same_digest(std::string_view one, std::string_view other) noexcept {
  unsigned difference = one.size() == other.size() ? 0 : 1;
  for (std::size_t i = 0; i < std::min(one.size(), other.size()); ++i) {
    difference |= static_cast<unsigned char>(one[i] ^ other[i]);
  }
  return difference == 0;
}

}  // namespace

bool User::accepts(std::string_view password) const {
  if (!enabled) return false;
  if (any_password) return true;
  const std::string digest = base::sha256_hex(password);
  bool found = false;
  for (const std::string& one : digests) found = same_digest(one, digest) || found;
  return found;
}

bool User::unrestricted() const noexcept {
  return std::any_of(selectors.begin(), selectors.end(), [](const Permissions& one) { return one.unrestricted(); });
}

Verdict User::check(const Command& command, std::span<const std::string_view> words) const {
  CheckedRequest request(command, words);
  Verdict worst{Refused::command, 0};
  for (const Permissions& selector : selectors) {
    const Verdict verdict = selector.check(request);
    if (verdict.permitted()) return verdict;
    worst = std::max(worst, verdict);
  }
  return worst;
}

bool User::reads_all_keys(const Command& command, std::span<const std::string_view> words) const {
  CheckedRequest request(command, words);
  return std::any_of(selectors.begin(), selectors.end(), [&](const Permissions& selector) {
    return selector.reads_all_keys() && selector.check(request).permitted();
  });
}

}  // namespace fairlane::command
