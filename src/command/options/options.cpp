#include "fairlane/command/options.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include "command/options/table.hpp"
#include "fairlane/base/assert.hpp"
#include "fairlane/base/number.hpp"
#include "fairlane/base/text_match.hpp"

namespace fairlane::command {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t kNone = static_cast<std::size_t>(-1);

/// The place of an option among all of them.
std::size_t index_of(const Option& option) noexcept {
  std::size_t before = 0;
  for (const OptionSection& section : option_sections()) {
    const std::less_equal<const Option*> not_after;
    if (not_after(section.options.data(), &option) &&
        !not_after(section.options.data() + section.options.size(), &option)) {
      return before + static_cast<std::size_t>(&option - section.options.data());
    }
    before += section.options.size();
  }
  return kNone;
}

std::vector<std::string_view> split_blanks(std::string_view text) {
  std::vector<std::string_view> words;
  if (text.empty()) return words;
  while (true) {
    const std::size_t blank = text.find(' ');
    words.push_back(text.substr(0, blank));
    if (blank == std::string_view::npos) return words;
    text.remove_prefix(blank + 1);
  }
}

bool several_words(OptionKind kind) noexcept { return kind == OptionKind::words || kind == OptionKind::choices; }

/// "argument must be between 0 and 65535 inclusive"
std::string out_of_range(const Option& option) {
  if (option.kind == OptionKind::octal) {
    char low[24];
    char high[24];
    const auto low_end = std::to_chars(low, low + sizeof(low), option.low, 8).ptr;
    const auto high_end = std::to_chars(high, high + sizeof(high), option.high, 8).ptr;
    return "argument must be between " + std::string(low, low_end) + " and " + std::string(high, high_end) +
           " inclusive";
  }
  return "argument must be between " + std::to_string(option.low) + " and " + std::to_string(option.high) +
         " inclusive";
}

std::string parse_integer(const Option& option, std::string_view word, std::int64_t& number) {
  if (option.kind == OptionKind::octal) {
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number, 8);
    if (error != std::errc() || end != word.data() + word.size())
      return "argument couldn't be parsed as an octal number";
  } else {
    const auto parsed = base::parse_integer(word);
    if (!parsed) return "argument couldn't be parsed into an integer";
    number = *parsed;
  }
  return number < option.low || number > option.high ? out_of_range(option) : std::string();
}

std::string parse_memory(const Option& option, std::string_view word, std::int64_t& number) {
  const bool percent = option.kind == OptionKind::memory_or_percent;
  if (percent && word.ends_with('%')) {
    const auto share = base::parse_integer(word.substr(0, word.size() - 1));
    if (!share || *share < 0) return "argument must be a memory or percent value";
    if (*share > 100) return "percentage argument must be less or equal to 100";
    number = -*share;
    return {};
  }
  const auto bytes = parse_bytes(word);
  if (!bytes) return percent ? "argument must be a memory or percent value" : "argument must be a memory value";
  number = static_cast<std::int64_t>(*bytes);
  if (has(option.flags, OptionFlag::any_unsigned)) return {};
  if (*bytes > static_cast<std::uint64_t>(kMost) || number < option.low || number > option.high) {
    return percent ? "percentage argument must be less or equal to 100" : out_of_range(option);
  }
  return {};
}

std::string one_of(const Option& option) {
  std::string text = "argument(s) must be one of the following: ";
  for (std::size_t i = 0; i < option.choices.size(); ++i) {
    if (i != 0) text += ", ";
    text += option.choices[i];
  }
  return text;
}

std::size_t choice(const Option& option, std::string_view word) noexcept {
  for (std::size_t i = 0; i < option.choices.size(); ++i) {
    if (base::equal_ignoring_case(option.choices[i], word)) return i;
  }
  return kNone;
}

/// The first of the choices means none of the others, and is kept as no bit at all.
std::string parse_choices(const Option& option, std::span<const std::string_view> words, OptionValue& value) {
  std::int64_t bits = 0;
  for (const std::string_view word : words) {
    const std::size_t at = choice(option, word);
    if (at == kNone) return one_of(option);
    if (at != 0) bits |= std::int64_t{1} << (at - 1);
  }
  if (words.empty()) return one_of(option);
  value.number = bits;
  std::string kept;
  return option.read != nullptr ? option.read(words, kept) : std::string();
}

std::string show_choices(const Option& option, std::int64_t bits) {
  if (bits == 0) return std::string(option.choices[0]);
  std::string text;
  for (std::size_t i = 1; i < option.choices.size(); ++i) {
    if ((bits >> (i - 1) & 1) == 0) continue;
    if (!text.empty()) text += ' ';
    text += option.choices[i];
  }
  return text;
}

}  // namespace

std::optional<std::uint64_t> parse_bytes(std::string_view text) noexcept {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::string_view unit = text.substr(digits);
  static constexpr std::pair<std::string_view, std::uint64_t> kUnits[] = {
      {"", 1},           {"b", 1},          {"k", 1000}, {"kb", 1024}, {"m", 1000 * 1000}, {"mb", 1024 * 1024},
      {"g", 1000000000}, {"gb", 1073741824}};
  for (const auto& [name, factor] : kUnits) {
    if (!base::equal_ignoring_case(name, unit)) continue;
    std::uint64_t number = 0;
    const auto result = std::from_chars(text.data(), text.data() + digits, number);
    // Redis wraps a product that does not fit and stops at the largest number before the unit.
    if (result.ec == std::errc::result_out_of_range) number = std::numeric_limits<std::uint64_t>::max();
    return number * factor;
  }
  return std::nullopt;
}

Options::Options(Settings& settings) : settings_(settings) {
  for (const OptionSection& section : option_sections()) {
    for (const Option& option : section.options) {
      const auto words =
          several_words(option.kind) ? split_blanks(option.initial) : std::vector<std::string_view>{option.initial};
      OptionValue value;
      FAIRLANE_ASSERT(parse(option, words, value).empty());
      values_.emplace_back();
      store(values_.size() - 1, std::move(value));
    }
  }
}

const Option* Options::find(std::string_view name) noexcept {
  for (const OptionSection& section : option_sections()) {
    for (const Option& option : section.options) {
      if (base::equal_ignoring_case(option.name, name)) return &option;
      if (!option.alias.empty() && base::equal_ignoring_case(option.alias, name)) return &option;
    }
  }
  return nullptr;
}

const OptionValue& Options::value(const Option& option) const noexcept { return values_[index_of(option)]; }

std::string Options::text(const Option& option) const {
  const OptionValue& kept = value(option);
  switch (option.kind) {
    case OptionKind::integer:
      return std::to_string(kept.number);
    case OptionKind::memory:
      return has(option.flags, OptionFlag::any_unsigned) ? std::to_string(static_cast<std::uint64_t>(kept.number))
                                                         : std::to_string(kept.number);
    case OptionKind::memory_or_percent:
      return kept.number < 0 ? std::to_string(-kept.number) + "%" : std::to_string(kept.number);
    case OptionKind::octal: {
      char digits[24];
      return std::string(digits, std::to_chars(digits, digits + sizeof(digits), kept.number, 8).ptr);
    }
    case OptionKind::boolean:
      return kept.number != 0 ? "yes" : "no";
    case OptionKind::choice:
      return std::string(option.choices[static_cast<std::size_t>(kept.number)]);
    case OptionKind::choices:
      return show_choices(option, kept.number);
    case OptionKind::text:
    case OptionKind::words:
      break;
  }
  return option.show != nullptr ? option.show(kept.text) : kept.text;
}

bool Options::changed(const Option& option) const { return text(option) != option.initial; }

std::string Options::parse(const Option& option, std::span<const std::string_view> words, OptionValue& value) const {
  if (!several_words(option.kind) && words.size() != 1) return "wrong number of arguments";
  switch (option.kind) {
    case OptionKind::integer:
    case OptionKind::octal:
      return parse_integer(option, words[0], value.number);
    case OptionKind::memory:
    case OptionKind::memory_or_percent:
      return parse_memory(option, words[0], value.number);
    case OptionKind::boolean:
      value.number = base::equal_ignoring_case(words[0], "yes") ? 1 : 0;
      return value.number == 1 || base::equal_ignoring_case(words[0], "no") ? "" : "argument must be 'yes' or 'no'";
    case OptionKind::choice: {
      const std::size_t at = choice(option, words[0]);
      if (at == kNone) return one_of(option);
      value.number = static_cast<std::int64_t>(at);
      return {};
    }
    case OptionKind::choices:
      return parse_choices(option, words, value);
    case OptionKind::text:
    case OptionKind::words:
      break;
  }
  if (option.read != nullptr) return option.read(words, value.text);
  value.text.assign(words.empty() ? std::string_view() : words[0]);
  return {};
}

void Options::store(std::size_t index, OptionValue value) {
  values_[index] = std::move(value);
  std::size_t before = 0;
  for (const OptionSection& section : option_sections()) {
    if (index < before + section.options.size()) {
      const Option& option = section.options[index - before];
      if (option.apply != nullptr) option.apply(settings_, values_[index]);
      return;
    }
    before += section.options.size();
  }
}

std::string Options::load(const Option& option, std::span<const std::string_view> words) {
  OptionValue value = this->value(option);
  if (has(option.flags, OptionFlag::additive) && std::find(loaded_.begin(), loaded_.end(), &option) == loaded_.end()) {
    loaded_.push_back(&option);
    value.text.clear();
  }
  std::string wrong = parse(option, words, value);
  if (wrong.empty()) store(index_of(option), std::move(value));
  return wrong;
}

void Options::overrule(std::string_view name, std::int64_t number) {
  const Option* option = find(name);
  FAIRLANE_ASSERT(option != nullptr);
  store(index_of(*option), {number, {}});
}

std::optional<Options::Refusal> Options::change(std::span<const Change> changes) {
  std::vector<std::pair<std::size_t, OptionValue>> replaced;
  std::vector<OptionValue> wanted;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const auto& [option, text] = changes[i];
    const auto words = several_words(option->kind) ? split_blanks(text) : std::vector<std::string_view>{text};
    OptionValue value = this->value(*option);
    if (has(option->flags, OptionFlag::additive)) value.text.clear();
    if (std::string wrong = parse(*option, words, value); !wrong.empty()) return Refusal{i, std::move(wrong)};
    wanted.push_back(std::move(value));
  }
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const std::size_t index = index_of(*changes[i].first);
    replaced.emplace_back(index, values_[index]);
    store(index, std::move(wanted[i]));
  }
  std::size_t refused = 0;
  std::string reason = run_actions(changes, refused);
  if (reason.empty()) return std::nullopt;
  for (auto old = replaced.rbegin(); old != replaced.rend(); ++old) store(old->first, std::move(old->second));
  std::size_t ignored = 0;
  run_actions(changes.first(refused), ignored);
  return Refusal{refused, std::move(reason)};
}

std::string Options::run_actions(std::span<const Change> changes, std::size_t& refused) {
  for (refused = 0; refused < changes.size(); ++refused) {
    for (const auto& [watched, action] : actions_) {
      if (watched != changes[refused].first) continue;
      if (std::string reason = action(); !reason.empty()) return reason;
    }
  }
  return {};
}

void Options::on_change(std::string_view name, std::function<std::string()> action) {
  const Option* option = find(name);
  FAIRLANE_ASSERT(option != nullptr);
  actions_.emplace_back(option, std::move(action));
}

}  // namespace fairlane::command
