#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "fairlane/engine/database.hpp"

namespace fairlane::command {

/// The operand of SORT's BY and GET: names a value that belongs to an element. "weight_*" is the string at the key with
/// the element in place of the star, "object_*->field" the field of the hash there, "#" the element itself; without a
/// star it names nothing.
class SortPattern {
 public:
  explicit SortPattern(std::string_view pattern) noexcept;

  /// Whether the value depends on the element at all.
  bool has_star() const noexcept { return has_star_; }

  /// None when there is no such value or it is of another type. The view is good until the next call, or until the key
  /// that it comes from changes; looking up may remove other keys that have run out.
  std::optional<std::string_view> find(engine::Database& keys, std::string_view element);

 private:
  bool is_element_ = false;
  bool has_star_ = false;
  std::string_view prefix_;
  std::string_view suffix_;
  std::string_view field_;  // empty: the key holds a string
  std::string key_;
  engine::Scratch scratch_{};
};

/// A number as SORT reads it: as strtod does, so space may stand before it, it ends at a NUL, and no text is 0. None
/// when it is no number, or too large or too small to be told exactly from infinity or 0.
std::optional<double> parse_sort_score(std::string_view text);

}  // namespace fairlane::command
