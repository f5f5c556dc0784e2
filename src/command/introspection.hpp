#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "fairlane/command/catalog.hpp"
#include "fairlane/command/spec.hpp"

/// What follows from the declaration of a command: all that COMMAND, the ACL and the reference tell about it.
namespace fairlane::command {

/// A set of flags with the name of each, in the order in which Redis lists them.
template <class Set>
struct Named {
  Set value;
  std::string_view name;
};

std::span<const Named<Flag>> flag_names() noexcept;
std::span<const Named<Category>> category_names() noexcept;  ///< without the @
std::span<const Named<Use>> use_names() noexcept;
/// The name of COMMAND DOCS, such as "sorted-set".
std::string_view group_name(Group group) noexcept;

/// Calls visit(name) for each member of a set that has a name, and returns how many those are.
template <class Set, class F>
std::size_t for_each_name(std::span<const Named<Set>> names, Set set, F&& visit) {
  std::size_t count = 0;
  for (const Named<Set>& named : names) {
    if (!has(set, named.value)) continue;
    visit(named.name);
    ++count;
  }
  return count;
}

/// The declared flags and those that follow from the key specifications.
Flag all_flags(const Command& command) noexcept;
/// All ACL categories of a command.
Category all_categories(const Command& command) noexcept;
/// The category of a name whatever its case; none when there is no such.
Category category_named(std::string_view name) noexcept;

/// First key, last key and step, as COMMAND told them before there were key specifications; all 0 without keys at fixed
/// places.
struct KeyRange {
  std::int32_t first = 0;
  std::int32_t last = 0;
  std::int32_t step = 0;
};
KeyRange key_range(const Spec& spec) noexcept;

/// May a request of the command name keys?
bool takes_keys(const Spec& spec) noexcept;

/// A key of a request: which word it is, and what the command does with it.
struct RequestKey {
  std::uint32_t position;
  Use use;
};
/// The keys of a request in the order of the specifications; none when the request is not one the command would take.
/// The number of words fits the arity.
std::vector<RequestKey> keys_of(const Spec& spec, std::span<const std::string_view> words);

/// Which words of a request are kept from other eyes: bit i stands for word i, words from 64 on share the last bit.
std::uint64_t secret_words(const Spec& spec, std::span<const std::string_view> words);
constexpr bool is_secret(std::uint64_t secrets, std::size_t word) noexcept {
  return (secrets >> (word < 64 ? word : 63) & 1) != 0;
}
/// What stands in the place of a secret word.
inline constexpr std::string_view kRedacted = "(redacted)";

}  // namespace fairlane::command
