#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace fairlane::command {

/// The text of INFO while it grows: "# Title", then "name:value" lines.
class InfoText {
 public:
  void section(std::string_view title);
  void add(std::string_view name, std::string_view value);
  void add(std::string_view name, const char* value) { add(name, std::string_view(value)); }
  void add(std::string_view name, std::uint64_t value);
  void add(std::string_view name, std::int64_t value);
  void add(std::string_view name, int value) { add(name, std::int64_t{value}); }
  void add(std::string_view name, bool value) { add(name, std::int64_t{value}); }
  /// With so many digits behind the point.
  void add(std::string_view name, double value, int digits);
  /// "name:1048576" and "name_human:1.00M".
  void add_bytes(std::string_view name, std::size_t bytes);
  void add_human(std::string_view name, std::size_t bytes);

  const std::string& text() const noexcept { return text_; }

 private:
  std::string text_;
};

/// "918.86K"
std::string human_bytes(std::size_t bytes);

}  // namespace fairlane::command
