#include "command/introspection.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>

#include "fairlane/base/number.hpp"
#include "fairlane/base/text_match.hpp"

namespace fairlane::command {
namespace {

constexpr Named<Flag> kFlagNames[] = {
    {Flag::write, "write"},
    {Flag::readonly, "readonly"},
    {Flag::denyoom, "denyoom"},
    {Flag::admin, "admin"},
    {Flag::pubsub, "pubsub"},
    {Flag::noscript, "noscript"},
    {Flag::blocking, "blocking"},
    {Flag::loading, "loading"},
    {Flag::stale, "stale"},
    {Flag::skip_monitor, "skip_monitor"},
    {Flag::skip_slowlog, "skip_slowlog"},
    {Flag::asking, "asking"},
    {Flag::fast, "fast"},
    {Flag::no_auth, "no_auth"},
    {Flag::no_mandatory_keys, "no_mandatory_keys"},
    {Flag::no_async_loading, "no_async_loading"},
    {Flag::no_multi, "no_multi"},
    {Flag::movablekeys, "movablekeys"},
    {Flag::allow_busy, "allow_busy"},
};

constexpr Named<Category> kCategoryNames[] = {
    {Category::keyspace, "keyspace"},
    {Category::read, "read"},
    {Category::write, "write"},
    {Category::set, "set"},
    {Category::sortedset, "sortedset"},
    {Category::list, "list"},
    {Category::hash, "hash"},
    {Category::string, "string"},
    {Category::bitmap, "bitmap"},
    {Category::hyperloglog, "hyperloglog"},
    {Category::geo, "geo"},
    {Category::stream, "stream"},
    {Category::pubsub, "pubsub"},
    {Category::admin, "admin"},
    {Category::fast, "fast"},
    {Category::slow, "slow"},
    {Category::blocking, "blocking"},
    {Category::dangerous, "dangerous"},
    {Category::connection, "connection"},
    {Category::transaction, "transaction"},
    {Category::scripting, "scripting"},
    {Category::lane, "lane"},
};

constexpr Named<Use> kUseNames[] = {
    {Use::ro, "RO"},
    {Use::rw, "RW"},
    {Use::ow, "OW"},
    {Use::rm, "RM"},
    {Use::access, "access"},
    {Use::update, "update"},
    {Use::insert, "insert"},
    {Use::del, "delete"},
    {Use::not_key, "not_key"},
    {Use::incomplete, "incomplete"},
    {Use::variable_flags, "variable_flags"},
};

struct GroupFacts {
  std::string_view name;
  Category category;  // that its commands are in
};

// In the order of Group.
constexpr GroupFacts kGroups[] = {
    {"generic", Category::keyspace},
    {"string", Category::string},
    {"list", Category::list},
    {"set", Category::set},
    {"sorted-set", Category::sortedset},
    {"hash", Category::hash},
    {"pubsub", Category::none},
    {"transactions", Category::transaction},
    {"connection", Category::connection},
    {"server", Category::none},
    {"scripting", Category::scripting},
    {"hyperloglog", Category::hyperloglog},
    {"cluster", Category::none},
    {"geo", Category::geo},
    {"stream", Category::stream},
    {"bitmap", Category::bitmap},
    {"lane", Category::lane},
};
static_assert(std::size(kGroups) == static_cast<std::size_t>(Group::lane) + 1);

// Categories that say what a command is about, not what it does. One of these in the declaration replaces the group's.
constexpr Category kSubjects =
    Category::set | Category::sortedset | Category::list | Category::hash | Category::string | Category::connection;

bool at_fixed_place(const KeySpec& key) noexcept {
  return key.begin == KeySpec::Begin::index && key.find == KeySpec::Find::range;
}

// Words from the `first` on up to the `last`, inclusive.
struct Stretch {
  std::int64_t first;
  std::int64_t last;
};

constexpr Stretch kNowhere{0, 0};
constexpr Stretch kInvalid{1, 0};

std::int64_t first_word(const KeySpec& key, std::span<const std::string_view> words) noexcept {
  if (key.begin == KeySpec::Begin::index) return key.index;
  const auto count = static_cast<std::int64_t>(words.size());
  const bool backwards = key.index < 0;
  const std::int64_t step = backwards ? -1 : 1;
  const std::int64_t end = backwards ? 0 : count - 1;
  for (std::int64_t i = backwards ? count + key.index : key.index; backwards ? i > end : i < end; i += step) {
    if (base::equal_ignoring_case(words[static_cast<std::size_t>(i)], key.keyword)) return i + 1;
  }
  return 0;
}

/// Where the keys of one specification lie.
Stretch stretch_of(const KeySpec& key, std::span<const std::string_view> words) noexcept {
  if (key.begin == KeySpec::Begin::unknown || key.find == KeySpec::Find::unknown) return kInvalid;
  const auto count = static_cast<std::int64_t>(words.size());
  std::int64_t first = first_word(key, words);
  if (first == 0) return kNowhere;
  std::int64_t last = 0;
  if (key.find == KeySpec::Find::range) {
    if (key.last >= 0) {
      last = first + key.last;
    } else if (key.limit <= 1) {
      last = count + key.last;
    } else {
      last = first + (count - first) / key.limit + key.last;
    }
  } else {
    const std::int64_t place = first + key.last;
    if (place >= count) return kInvalid;
    const auto keys = base::parse_integer(words[static_cast<std::size_t>(place)]);
    if (!keys || *keys < 0) return kInvalid;
    // redis-server keeps the low 32 bits of the number, so 2^32 + 1 counts one key.
    first += key.limit;
    last = first + (static_cast<std::int32_t>(*keys) - std::int64_t{1}) * key.step;
    return first >= count || last >= count || last < first ? kInvalid : Stretch{first, last};
  }
  return first >= count || last >= count || last < first ? kInvalid : Stretch{first, last};
}

/// The number that `text` begins with, as atoi reads it; 0 when it begins with none.
std::int32_t leading_number(std::string_view text) {
  return static_cast<std::int32_t>(std::strtol(std::string(text).c_str(), nullptr, 10));
}

/// Where a count that is no number ("1x") makes a specification useless, redis-server has the command itself look for
/// its keys: it goes by the digits the count begins with, puts a key to write behind those that are counted, and says
/// nothing about their use.
std::vector<RequestKey> counted_by_leading_digits(const Spec& spec, std::span<const std::string_view> words) {
  const auto specs = std::span(spec.keys.specs).first(spec.keys.count);
  const auto counted = std::find_if(specs.begin(), specs.end(), [](const KeySpec& key) {
    return key.begin == KeySpec::Begin::index && key.find == KeySpec::Find::keynum;
  });
  if (counted == specs.end()) return {};
  const auto place = static_cast<std::size_t>(counted->index + counted->last);
  if (place >= words.size()) return {};
  const std::int64_t keys = leading_number(words[place]);
  const auto first = static_cast<std::size_t>(counted->index + counted->limit);
  if (keys < 1 || first >= words.size() || keys > static_cast<std::int64_t>(words.size() - first)) return {};
  std::vector<RequestKey> found;
  for (std::int64_t i = 0; i < keys; ++i)
    found.push_back({static_cast<std::uint32_t>(first) + static_cast<std::uint32_t>(i), Use::none});
  for (const KeySpec& key : specs) {
    if (at_fixed_place(key)) found.push_back({static_cast<std::uint32_t>(key.index), Use::none});
  }
  return found;
}

std::vector<RequestKey> found_by_command(const Spec& spec, std::span<const std::string_view> words) {
  std::array<std::uint32_t, 512> positions;
  std::size_t count = 0;
  if (!spec.find_keys(words, positions, count)) return {};
  std::vector<RequestKey> keys;
  keys.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const KeySpec* declared = &spec.keys.specs[spec.keys.count - 1];
    for (std::uint8_t k = 0; k < spec.keys.count; ++k) {
      const KeySpec& candidate = spec.keys.specs[k];
      if (at_fixed_place(candidate) && static_cast<std::uint32_t>(candidate.index) == positions[i])
        declared = &candidate;
    }
    keys.push_back({positions[i], declared->use});
  }
  return keys;
}

}  // namespace

std::span<const Named<Flag>> flag_names() noexcept { return kFlagNames; }
std::span<const Named<Category>> category_names() noexcept { return kCategoryNames; }
std::span<const Named<Use>> use_names() noexcept { return kUseNames; }
std::string_view group_name(Group group) noexcept { return kGroups[static_cast<std::size_t>(group)].name; }

Flag all_flags(const Command& command) noexcept {
  const Keys& keys = command.spec->keys;
  const bool movable = !std::all_of(keys.specs.begin(), keys.specs.begin() + keys.count, at_fixed_place);
  return movable ? command.flags | Flag::movablekeys : command.flags;
}

Category all_categories(const Command& command) noexcept {
  const Spec& spec = *command.spec;
  Category all = spec.categories;
  // A container is about nothing by itself; its subcommands are.
  const Category subject = kGroups[static_cast<std::size_t>(spec.group)].category;
  if (spec.handler != nullptr && !has(spec.categories, kSubjects)) all = all | subject;
  if (has(spec.flags, Flag::write)) all = all | Category::write;
  if (has(spec.flags, Flag::readonly) && spec.group != Group::scripting) all = all | Category::read;
  if (has(spec.flags, Flag::admin)) all = all | Category::admin | Category::dangerous;
  if (has(spec.flags, Flag::pubsub)) all = all | Category::pubsub;
  if (has(spec.flags, Flag::blocking)) all = all | Category::blocking;
  return all | (has(spec.flags, Flag::fast) ? Category::fast : Category::slow);
}

Category category_named(std::string_view name) noexcept {
  for (const auto& named : kCategoryNames) {
    if (base::equal_ignoring_case(named.name, name)) return named.value;
  }
  return Category::none;
}

KeyRange key_range(const Spec& spec) noexcept {
  const Keys& keys = spec.keys;
  if (keys.count == 1 && at_fixed_place(keys.specs[0])) {
    const KeySpec& key = keys.specs[0];
    return {key.index, key.last >= 0 ? key.index + key.last : key.last, key.step};
  }
  // Several specifications are one range as long as each begins where the one before ended.
  KeyRange range;
  for (std::uint8_t i = 0; i < keys.count; ++i) {
    const KeySpec& key = keys.specs[i];
    if (!at_fixed_place(key) || key.step != 1) continue;
    if (range.step != 0 && range.last != key.index - 1) break;
    if (range.step == 0) range.first = key.index;
    range.step = 1;
    range.last = key.last >= 0 ? key.index + key.last : key.last;
  }
  return range;
}

bool takes_keys(const Spec& spec) noexcept {
  if (spec.find_keys != nullptr) return true;
  return std::any_of(spec.keys.specs.begin(), spec.keys.specs.begin() + spec.keys.count,
                     [](const KeySpec& key) { return !has(key.use, Use::not_key); });
}

std::vector<RequestKey> keys_of(const Spec& spec, std::span<const std::string_view> words) {
  if (spec.find_keys != nullptr) return found_by_command(spec, words);
  std::vector<RequestKey> keys;
  for (std::uint8_t i = 0; i < spec.keys.count; ++i) {
    const KeySpec& key = spec.keys.specs[i];
    if (has(key.use, Use::not_key)) continue;
    const Stretch stretch = stretch_of(key, words);
    if (stretch.first > stretch.last || has(key.use, Use::incomplete)) return counted_by_leading_digits(spec, words);
    if (stretch.first == 0) continue;
    const Use use = spec.find_use != nullptr ? spec.find_use(words) : key.use;
    for (std::int64_t word = stretch.first; word <= stretch.last; word += key.step) {
      keys.push_back({static_cast<std::uint32_t>(word), use});
    }
  }
  return keys;
}

std::uint64_t secret_words(const Spec& spec, std::span<const std::string_view> words) {
  if (!has(spec.flags, Flag::secret)) return 0;
  if (spec.find_secrets != nullptr) return spec.find_secrets(words);
  return ~std::uint64_t{0} << name_words(spec);
}

}  // namespace fairlane::command
