#include "command/acl/permissions.hpp"

#include <algorithm>
#include <cstdlib>

#include "fairlane/base/text_match.hpp"

namespace fairlane::command {
namespace {

constexpr Use kReads = Use::access;
constexpr Use kWrites = Use::insert | Use::del | Use::update;

bool permits_key(std::span<const KeyPattern> patterns, std::string_view key, Use use) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const KeyPattern& one) {
    if (has(use, kReads) && !one.read) return false;
    if (has(use, kWrites) && !one.write) return false;
    return base::glob_match(one.pattern, key);
  });
}

/// Which words of a request name channels, from the first up to but without the last.
std::span<const std::string_view> channels_of(const Channels& channels, std::span<const std::string_view> words) {
  if (channels.first == 0 || words.size() <= channels.first) return {};
  const auto from_first = words.subspan(channels.first);
  return channels.to_the_end ? from_first : from_first.first(1);
}

}  // namespace

const std::vector<RequestKey>& CheckedRequest::keys() {
  if (keys_) return *keys_;
  keys_.emplace();
  const Spec& spec = *command_.spec;
  // Of a script's question whether it may call something, the number of words need not fit.
  const bool enough = words_.size() >= static_cast<std::size_t>(std::abs(command_.arity));
  if (takes_keys(spec) && (enough || spec.find_keys == nullptr)) keys_ = keys_of(spec, words_);
  return *keys_;
}

bool permits_channel(std::span<const std::string> patterns, std::string_view name, bool is_pattern) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
    return is_pattern ? pattern == name : base::glob_match(pattern, name);
  });
}

// --- commands

void Permissions::set_all_commands(bool permitted) {
  commands_.assign(commands_.size(), permitted);
  all_commands_ = future_commands_ = permitted;
  first_words_.clear();
}

void Permissions::set_command(const Command& command, bool permitted) {
  commands_[command.id] = permitted;
  for (const Command* child : command.subcommands) commands_[child->id] = permitted;
  if (!permitted) all_commands_ = false;
  first_words_.erase(command.id);
}

void Permissions::set_category(const Catalog& catalog, Category category, bool permitted) {
  for (const auto& command : catalog.all()) {
    if (has(all_categories(*command), category)) set_command(*command, permitted);
  }
}

void Permissions::add_first_word(const Command& command, std::string_view word) {
  auto& words = first_words_[command.id];
  const bool known = std::any_of(words.begin(), words.end(),
                                 [&](const std::string& one) { return base::equal_ignoring_case(one, word); });
  if (!known) words.emplace_back(word);
}

std::span<const std::string> Permissions::first_words(const Command& command) const {
  const auto found = first_words_.find(command.id);
  return found == first_words_.end() ? std::span<const std::string>() : found->second;
}

// --- keys and channels

void Permissions::set_all_keys(bool permitted) {
  all_keys_ = permitted;
  keys_.clear();
}

void Permissions::add_keys(const KeyPattern& pattern) {
  const auto same =
      std::find_if(keys_.begin(), keys_.end(), [&](const KeyPattern& one) { return one.pattern == pattern.pattern; });
  if (same == keys_.end()) {
    keys_.push_back(pattern);
  } else {
    same->read = same->read || pattern.read;
    same->write = same->write || pattern.write;
  }
}

bool Permissions::reads_all_keys() const noexcept {
  return all_keys_ ||
         std::any_of(keys_.begin(), keys_.end(), [](const KeyPattern& one) { return one.read && one.pattern == "*"; });
}

void Permissions::set_all_channels(bool permitted) {
  all_channels_ = permitted;
  channels_.clear();
}

void Permissions::add_channels(std::string_view pattern) {
  if (std::find(channels_.begin(), channels_.end(), pattern) == channels_.end()) channels_.emplace_back(pattern);
}

// --- the question

Verdict Permissions::check(CheckedRequest& request) const {
  if (!permits_command(request)) return {Refused::command, 0};
  if (const Verdict verdict = check_keys(request); !verdict.permitted()) return verdict;
  return check_channels(request);
}

bool Permissions::permits_command(const CheckedRequest& request) const {
  const Command& command = request.command();
  if (commands_[command.id] || has(command.flags, Flag::no_auth)) return true;
  if (request.words().size() <= command.words) return false;
  const auto words = first_words(command);
  const std::string_view given = request.words()[command.words];
  return std::any_of(words.begin(), words.end(),
                     [&](const std::string& one) { return base::equal_ignoring_case(one, given); });
}

Verdict Permissions::check_keys(CheckedRequest& request) const {
  if (all_keys_) return {};
  for (const RequestKey& key : request.keys()) {
    if (!permits_key(keys_, request.words()[key.position], key.use)) return {Refused::key, key.position};
  }
  return {};
}

Verdict Permissions::check_channels(const CheckedRequest& request) const {
  if (all_channels_) return {};
  const Channels& channels = request.command().spec->channels;
  std::uint32_t word = channels.first;
  for (const std::string_view name : channels_of(channels, request.words())) {
    if (!permits_channel(channels_, name, channels.patterns)) return {Refused::channel, word};
    ++word;
  }
  return {};
}

}  // namespace fairlane::command
