#include "command/acl/rules.hpp"

#include <algorithm>

#include "fairlane/base/sha256.hpp"
#include "fairlane/base/text_match.hpp"
#include "fairlane/protocol/request_parser.hpp"

namespace fairlane::command {
namespace {

using base::equal_ignoring_case;

constexpr std::string_view kSyntax = "Syntax error";
constexpr std::string_view kAfterAllKeys =
    "Adding a pattern after the * pattern (or the 'allkeys' flag) is not valid and does not have any effect. Try "
    "'resetkeys' to start with an empty list of patterns";
constexpr std::string_view kAfterAllChannels =
    "Adding a pattern after the * pattern (or the 'allchannels' flag) is not valid and does not have any effect. Try "
    "'resetchannels' to start with an empty list of channels";
constexpr std::string_view kNoSuchPassword = "The password you are trying to remove from the user does not exist";
constexpr std::string_view kBadDigest =
    "The password hash must be exactly 64 characters and contain only lowercase hexadecimal characters";
constexpr std::string_view kFirstWordOfSubcommand = "Allowing first-arg of a subcommand is not supported";

bool is_digest(std::string_view text) noexcept {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// --- logging in

/// ">password" and "#digest" add, "<password" and "!digest" remove.
std::string_view apply_password(User& user, std::string_view rule) {
  const char kind = rule[0];
  const std::string_view operand = rule.substr(1);
  const bool is_given_digest = kind == '#' || kind == '!';
  if (is_given_digest && !is_digest(operand)) return kBadDigest;
  std::string digest = is_given_digest ? std::string(operand) : base::sha256_hex(operand);
  const auto known = std::find(user.digests.begin(), user.digests.end(), digest);
  if (kind == '<' || kind == '!') {
    if (known == user.digests.end()) return kNoSuchPassword;
    user.digests.erase(known);
    return {};
  }
  if (known == user.digests.end()) user.digests.push_back(std::move(digest));
  user.any_password = false;
  return {};
}

void set_any_password(User& user, bool any) {
  user.any_password = any;
  user.digests.clear();
}

// --- keys and channels

/// "~pattern" to read and write, "%R~pattern", "%W~pattern", "%RW~pattern".
std::string_view apply_keys(Permissions& selector, std::string_view rule) {
  if (selector.has_all_keys()) return kAfterAllKeys;
  KeyPattern keys{.pattern = {}, .read = rule[0] == '~', .write = rule[0] == '~'};
  std::size_t at = 1;
  if (rule[0] == '%') {
    for (; at < rule.size() && rule[at] != '~'; ++at) {
      const char right = base::to_lower(rule[at]);
      bool& granted = right == 'r' ? keys.read : keys.write;
      if ((right != 'r' && right != 'w') || granted) return kSyntax;
      granted = true;
    }
    if (!keys.read && !keys.write) return kSyntax;
    // Without a tilde it is the pattern of the empty name.
    at = std::min(at + 1, rule.size());
  }
  keys.pattern = rule.substr(at);
  if (has_blanks(keys.pattern)) return kSyntax;
  selector.add_keys(keys);
  return {};
}

std::string_view apply_channels(Permissions& selector, std::string_view pattern) {
  if (selector.has_all_channels()) return kAfterAllChannels;
  if (has_blanks(pattern)) return kSyntax;
  selector.add_channels(pattern);
  return {};
}

// --- commands

/// By its own name whatever clients call it, so that rules mean the same however commands are renamed.
const Command* command_named(const Catalog& catalog, std::string_view name) noexcept {
  for (const auto& command : catalog.all()) {
    if (equal_ignoring_case(command->name, name)) return command.get();
  }
  return nullptr;
}

}  // namespace

bool has_blanks(std::string_view text) noexcept {
  return text.find_first_of(std::string_view(" \t\n\v\f\r\0", 7)) != std::string_view::npos;
}

JoinedRules join_selectors(std::span<const std::string_view> words) {
  JoinedRules joined;
  const std::string_view* opening = nullptr;
  for (const std::string_view& word : words) {
    if (word.starts_with('(') && !word.ends_with(')')) {
      // One that was open is forgotten.
      if (opening != nullptr) joined.rules.pop_back();
      joined.rules.emplace_back(word);
      opening = &word;
    } else if (opening != nullptr) {
      joined.rules.back().append(" ").append(word);
      if (word.ends_with(')')) opening = nullptr;
    } else {
      joined.rules.emplace_back(word);
    }
  }
  if (opening != nullptr) return {{}, std::string(*opening)};
  return joined;
}

User Rules::new_user(std::string_view name) const {
  User user(std::string(name), catalog_);
  user.root() = new_selector();
  return user;
}

Permissions Rules::new_selector() const {
  Permissions selector(catalog_);
  selector.set_all_channels(channels_ == NewChannels::all);
  return selector;
}

void Rules::reset(User& user) const {
  user = new_user(user.name);
  user.payload_check = PayloadCheck::wanted;
}

std::string_view Rules::apply(User& user, std::string_view rule) const {
  if (rule.empty()) return {};
  if (equal_ignoring_case(rule, "on")) {
    user.enabled = true;
  } else if (equal_ignoring_case(rule, "off")) {
    user.enabled = false;
  } else if (equal_ignoring_case(rule, "nopass")) {
    set_any_password(user, true);
  } else if (equal_ignoring_case(rule, "resetpass")) {
    set_any_password(user, false);
  } else if (equal_ignoring_case(rule, "sanitize-payload")) {
    user.payload_check = PayloadCheck::wanted;
  } else if (equal_ignoring_case(rule, "skip-sanitize-payload")) {
    user.payload_check = PayloadCheck::skipped;
  } else if (equal_ignoring_case(rule, "clearselectors")) {
    user.selectors.erase(user.selectors.begin() + 1, user.selectors.end());
  } else if (equal_ignoring_case(rule, "reset")) {
    reset(user);
  } else if (rule.find_first_of("><#!") == 0) {
    return apply_password(user, rule);
  } else if (rule.starts_with('(') && rule.ends_with(')')) {
    return add_selector(user, rule);
  } else {
    return apply(user.root(), rule);
  }
  return {};
}

std::string_view Rules::add_selector(User& user, std::string_view rule) const {
  std::string bytes;
  std::vector<std::size_t> lengths;
  // Quotes that are not closed make a selector without rules.
  if (!protocol::split_words(rule.substr(1, rule.size() - 2), bytes, lengths)) lengths.clear();
  Permissions selector = new_selector();
  std::string_view rest = bytes;
  for (const std::size_t length : lengths) {
    if (const std::string_view wrong = apply(selector, rest.substr(0, length)); !wrong.empty()) return wrong;
    rest.remove_prefix(length);
  }
  user.selectors.push_back(std::move(selector));
  return {};
}

std::string_view Rules::apply(Permissions& selector, std::string_view rule) const {
  if (equal_ignoring_case(rule, "allkeys") || rule == "~*") {
    selector.set_all_keys(true);
  } else if (equal_ignoring_case(rule, "resetkeys")) {
    selector.set_all_keys(false);
  } else if (equal_ignoring_case(rule, "allchannels") || rule == "&*") {
    selector.set_all_channels(true);
  } else if (equal_ignoring_case(rule, "resetchannels")) {
    selector.set_all_channels(false);
  } else if (equal_ignoring_case(rule, "allcommands") || equal_ignoring_case(rule, "+@all")) {
    selector.set_all_commands(true);
  } else if (equal_ignoring_case(rule, "nocommands") || equal_ignoring_case(rule, "-@all")) {
    selector.set_all_commands(false);
  } else if (rule.starts_with('~') || rule.starts_with('%')) {
    return apply_keys(selector, rule);
  } else if (rule.starts_with('&')) {
    return apply_channels(selector, rule.substr(1));
  } else if (rule.starts_with("+@") || rule.starts_with("-@")) {
    return apply_category(selector, rule);
  } else if (rule.starts_with('+') || rule.starts_with('-')) {
    return apply_command(selector, rule);
  } else {
    return kSyntax;
  }
  return {};
}

std::string_view Rules::apply_category(Permissions& selector, std::string_view rule) const {
  const Category category = category_named(rule.substr(2));
  if (category == Category::none) return kUnknownInRule;
  selector.set_category(catalog_, category, rule[0] == '+');
  return {};
}

std::string_view Rules::apply_command(Permissions& selector, std::string_view rule) const {
  const bool permitted = rule[0] == '+';
  const std::string_view name = rule.substr(1);
  const Command* command = command_named(catalog_, name);
  if (command == nullptr) {
    const bool may_be_first_word = permitted && name.find('|') != std::string_view::npos;
    return may_be_first_word ? permit_first_word(selector, name) : kUnknownInRule;
  }
  selector.set_command(*command, permitted);
  return {};
}

/// "select|0": a word behind the last bar that is no subcommand's name.
std::string_view Rules::permit_first_word(Permissions& selector, std::string_view name) const {
  const std::size_t bar = name.rfind('|');
  const Command* command = command_named(catalog_, name.substr(0, bar));
  if (command == nullptr) return kUnknownInRule;
  if (command->parent != nullptr) return kFirstWordOfSubcommand;
  if (bar + 1 == name.size()) return kSyntax;
  if (!command->subcommands.empty()) return kUnknownInRule;
  selector.add_first_word(*command, name.substr(bar + 1));
  return {};
}

}  // namespace fairlane::command
