#include "command/acl/user_text.hpp"

#include <limits>

#include "command/introspection.hpp"

namespace fairlane::command {
namespace {

/// "a" becomes "a b".
void add_word(std::string& text, std::string_view word) {
  if (!text.empty()) text += ' ';
  text += word;
}

// --- commands

/// Is it a command of a Redis after 7.0?
bool is_younger(const Command& command) noexcept {
  return command.spec->group != Group::lane && command.spec->docs.since >= "7.1";
}

/// Finds the categories from which the commands of a selector are made with the fewest exceptions.
class CategoryFit {
 public:
  /// Starting with all commands, categories are taken away; starting with none, they are added.
  CategoryFit(const Catalog& catalog, const Permissions& wanted, bool from_all)
      : catalog_(catalog), left_(wanted), described_(catalog), from_all_(from_all) {
    described_.set_all_commands(from_all);
    for (const auto& command : catalog.all()) categories_.push_back(all_categories(*command));
  }

  /// Takes the best category again and again, for as long as one fits more commands than it does not. What Redis 7.0
  /// would say must not change because of commands that it does not know, so those are not counted; the lane commands
  /// have their own category, which is looked at apart.
  std::string words() {
    std::string text = from_all_ ? "+@all" : "-@all";
    for (const auto counted : {Counted::of_redis, Counted::lane}) {
      for (const Named<Category>* best = best_category(counted); best != nullptr; best = best_category(counted)) {
        add_word(text, (from_all_ ? "-@" : "+@") + std::string(best->name));
        described_.set_category(catalog_, best->value, !from_all_);
        left_.set_category(catalog_, best->value, from_all_);
        taken_ = taken_ | best->value;
      }
    }
    return text;
  }
  /// What the words so far lead to.
  Permissions& described() noexcept { return described_; }

 private:
  enum class Counted : bool { of_redis, lane };
  struct Count {
    std::size_t fitting = 0;
    std::size_t others = 0;
  };

  static Counted counted_as(const Command& command) noexcept {
    return command.spec->group == Group::lane ? Counted::lane : Counted::of_redis;
  }

  Count count(Category category, Counted counted) const {
    Count count;
    for (const auto& command : catalog_.all()) {
      if (counted_as(*command) != counted || is_younger(*command) || !has(categories_[command->id], category)) continue;
      ++(left_.has_command(*command) != from_all_ ? count.fitting : count.others);
    }
    return count;
  }

  const Named<Category>* best_category(Counted counted) const {
    const Named<Category>* best = nullptr;
    Count best_count{0, std::numeric_limits<std::size_t>::max()};
    for (const Named<Category>& named : category_names()) {
      if ((named.value == Category::lane) != (counted == Counted::lane) || has(taken_, named.value)) continue;
      const Count found = count(named.value, counted);
      if (found.fitting <= found.others || found.others > best_count.others) continue;
      if (found.others == best_count.others && found.fitting <= best_count.fitting) continue;
      best = &named;
      best_count = found;
    }
    return best;
  }

  const Catalog& catalog_;
  Permissions left_;  // wanted, without what the categories taken have dealt with
  Permissions described_;
  std::vector<Category> categories_;  // by id of the command
  Category taken_ = Category::none;
  bool from_all_;
};

/// The command where the categories do not say of it what is wanted, and its first words.
void describe_command(const Permissions& wanted, Permissions& described, const Command& command, std::string& text) {
  const bool permitted = wanted.has_command(command);
  if (permitted != described.has_command(command)) {
    add_word(text, (permitted ? "+" : "-") + command.name);
    described.set_command(command, permitted);
  }
  for (const Command* child : command.subcommands) describe_command(wanted, described, *child, text);
  if (permitted) return;
  for (const std::string& word : wanted.first_words(command)) add_word(text, "+" + command.name + "|" + word);
}

std::string describe(const Permissions& permissions, const Catalog& catalog) {
  std::string text = describe_keys(permissions);
  if (!permissions.has_all_channels()) add_word(text, "resetchannels");
  if (const std::string channels = describe_channels(permissions); !channels.empty()) add_word(text, channels);
  add_word(text, describe_commands(permissions, catalog));
  return text;
}

}  // namespace

std::string describe_commands(const Permissions& permissions, const Catalog& catalog) {
  CategoryFit fit(catalog, permissions, permissions.has_future_commands());
  std::string text = fit.words();
  for (const auto& command : catalog.all()) {
    if (command->parent == nullptr) describe_command(permissions, fit.described(), *command, text);
  }
  return text;
}

std::string describe_keys(const Permissions& permissions) {
  if (permissions.has_all_keys()) return "~*";
  std::string text;
  for (const KeyPattern& keys : permissions.keys()) {
    const std::string_view rights = keys.read && keys.write ? "~" : keys.read ? "%R~" : "%W~";
    add_word(text, std::string(rights) + keys.pattern);
  }
  return text;
}

std::string describe_channels(const Permissions& permissions) {
  if (permissions.has_all_channels()) return "&*";
  std::string text;
  for (const std::string& pattern : permissions.channels()) add_word(text, "&" + pattern);
  return text;
}

std::vector<std::string_view> flags_of(const User& user) {
  std::vector<std::string_view> flags{user.enabled ? "on" : "off"};
  if (user.any_password) flags.emplace_back("nopass");
  if (user.payload_check == PayloadCheck::skipped) flags.emplace_back("skip-sanitize-payload");
  if (user.payload_check == PayloadCheck::wanted) flags.emplace_back("sanitize-payload");
  return flags;
}

std::string describe(const User& user, const Catalog& catalog) {
  std::string text = "user " + user.name;
  for (const std::string_view flag : flags_of(user)) add_word(text, flag);
  for (const std::string& digest : user.digests) add_word(text, "#" + digest);
  add_word(text, describe(user.root(), catalog));
  for (std::size_t i = 1; i < user.selectors.size(); ++i) {
    add_word(text, "(" + describe(user.selectors[i], catalog) + ")");
  }
  return text;
}

}  // namespace fairlane::command
