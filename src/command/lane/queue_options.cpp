#include "command/lane/queue_options.hpp"

#include <algorithm>
#include <iterator>

#include "command/lane/arguments.hpp"
#include "command/lane/events.hpp"
#include "command/lane/job.hpp"
#include "command/lane/lane_facts.hpp"
#include "fairlane/base/text_match.hpp"

namespace fairlane::command {
namespace {

constexpr std::string_view kPolicies[] = {"ring", "smooth"};
constexpr std::string_view kCharges[] = {"jobs", "time"};

constexpr QueueOption kOptions[] = {{"policy", field::kPolicy, kPolicies},
                                    {"charge", field::kCharge, kCharges},
                                    {"max-attempts", field::kMaxAttempts},
                                    {"max-active", field::kConcurrency},
                                    {"keep-completed", field::kKeepCompleted}};

std::int64_t value_in(const data::Hash& meta, const QueueOption& option) {
  const auto text = meta.find(option.field);
  // As the steps read it: also numbers that LANE.CONFIG would refuse, and words only as it writes them.
  if (option.is_number()) return count_of(text, 0);
  const auto word = std::find(option.words.begin(), option.words.end(), text.value_or(std::string_view()));
  return word != option.words.end() ? word - option.words.begin() : 0;
}

/// The value that an option of this field gets, or the one it has.
std::int64_t value_after(std::span<const OptionChange> changes, const data::Hash& meta, std::string_view name) {
  const QueueOption& option = *find_queue_option(name);
  const auto last =
      std::find_if(changes.rbegin(), changes.rend(), [&](const OptionChange& one) { return one.option == &option; });
  return last != changes.rend() ? last->value : value_in(meta, option);
}

/// Whether the hash has changed.
bool put_value(data::Hash& meta, const QueueOption& option, std::int64_t value, const data::Hash::Limits& limits) {
  if (value == 0) return meta.erase(option.field.text());
  if (option.is_number()) {
    meta.put(option.field, field::Text(base::NumberText(value)), limits);
  } else {
    meta.put(option.field, field::Text(option.words[static_cast<std::size_t>(value)]), limits);
  }
  return true;
}

void let_more_claim(Queue& queue) { push_wake_token(queue); }

void keep_fewer(Queue& queue, std::int64_t most) {
  auto finished = queue.database.edit<data::SortedSet>(queue.keys[QueueKey::finished]);
  if (!finished.absent() && trim_finished(queue, *finished, most)) finished.commit(engine::events::kZPopMin);
}

}  // namespace

const QueueOption* find_queue_option(std::string_view name) noexcept {
  const auto found = std::find_if(std::begin(kOptions), std::end(kOptions), [&](const QueueOption& option) {
    return base::equal_ignoring_case(option.name, name);
  });
  return found != std::end(kOptions) ? &*found : nullptr;
}

std::optional<std::int64_t> parse_option(const QueueOption& option, std::string_view text) noexcept {
  if (option.is_number()) {
    const auto number = base::parse_integer(text);
    return number && *number >= 0 && *number <= kMostPerLane ? number : std::nullopt;
  }
  for (std::size_t word = 0; word < option.words.size(); ++word) {
    if (base::equal_ignoring_case(option.words[word], text)) return static_cast<std::int64_t>(word);
  }
  return std::nullopt;
}

std::string describe_values(const QueueOption& option) {
  std::string text = "must be ";
  if (option.is_number()) return text.append("a number from 0 to ").append(base::NumberText(kMostPerLane).view());
  for (const std::string_view word : option.words) {
    if (word != option.words.front()) text.append(" or ");
    text.append(word);
  }
  return text;
}

Step read_option(Queue& queue, const QueueOption& option, std::int64_t& value) {
  const auto meta = queue.look<data::Hash>(queue.keys[QueueKey::meta]);
  if (meta.wrong_type()) return Step::wrong_type;
  value = meta.absent() ? 0 : value_in(*meta, option);
  return Step::done;
}

Step set_options(Queue& queue, std::span<const OptionChange> changes) {
  auto meta = queue.database.upsert<data::Hash>(queue.keys[QueueKey::meta]);
  if (meta.wrong_type() || wake_has_wrong_type(queue) ||
      queue.look<data::SortedSet>(queue.keys[QueueKey::finished]).wrong_type()) {
    return Step::wrong_type;
  }
  const std::int64_t ceiling = value_in(*meta, *find_queue_option("max-active"));
  const std::int64_t new_ceiling = value_after(changes, *meta, "max-active");
  const std::int64_t kept = value_in(*meta, *find_queue_option("keep-completed"));
  const std::int64_t to_keep = value_after(changes, *meta, "keep-completed");

  bool changed = false;
  bool put = false;
  for (const auto& [option, value] : changes) {
    changed |= put_value(*meta, *option, value, queue.settings.hash);
    put |= value != 0;
  }
  if (changed) {
    meta.commit(put ? engine::events::kHSet : engine::events::kHDel);
    tell(queue, "config", [&] { return EventDetails{}; });
  }
  if (ceiling > 0 && (new_ceiling == 0 || new_ceiling > ceiling)) let_more_claim(queue);
  if (to_keep < kept) keep_fewer(queue, to_keep);
  return Step::done;
}

}  // namespace fairlane::command
