#include "command/sort_pattern.hpp"

#include <cmath>

#include "fairlane/base/number.hpp"

namespace fairlane::command {

SortPattern::SortPattern(std::string_view pattern) noexcept : is_element_(pattern == "#") {
  constexpr std::string_view kArrow = "->";
  // Star and arrow behind a NUL are none, but what stands around them counts to its end.
  const std::string_view visible = pattern.substr(0, pattern.find('\0'));
  const std::size_t star = visible.find('*');
  if (star == std::string_view::npos) return;
  has_star_ = true;
  prefix_ = pattern.substr(0, star);
  suffix_ = pattern.substr(star + 1);
  const std::size_t arrow = visible.find(kArrow, star + 1);
  if (arrow == std::string_view::npos || arrow + kArrow.size() >= visible.size()) return;
  suffix_ = pattern.substr(star + 1, arrow - star - 1);
  field_ = pattern.substr(arrow + kArrow.size());
}

std::optional<std::string_view> SortPattern::find(engine::Database& keys, std::string_view element) {
  if (is_element_) return element;
  if (!has_star_) return std::nullopt;
  key_.assign(prefix_).append(element).append(suffix_);
  if (field_.empty()) {
    const auto value = keys.find_string(key_);
    if (value.absent() || value.wrong_type()) return std::nullopt;
    return value.text(scratch_);
  }
  const auto hash = keys.find<data::Hash>(key_);
  if (hash.absent() || hash.wrong_type()) return std::nullopt;
  return hash->find(field_);
}

std::optional<double> parse_sort_score(std::string_view text) {
  text = text.substr(0, text.find('\0'));
  if (text.empty()) return 0.0;
  text.remove_prefix(std::min(text.find_first_not_of(" \t\n\v\f\r"), text.size()));
  const auto score = base::parse_double(text);
  if (score && std::fpclassify(*score) == FP_SUBNORMAL) return std::nullopt;
  return score;
}

}  // namespace fairlane::command
