#include "command/info_text.hpp"

#include <cstdio>

#include "fairlane/base/number.hpp"

namespace fairlane::command {

void InfoText::section(std::string_view title) {
  if (!text_.empty()) text_ += "\r\n";
  text_.append("# ").append(title).append("\r\n");
}

void InfoText::add(std::string_view name, std::string_view value) {
  text_.append(name).append(":").append(value).append("\r\n");
}

void InfoText::add(std::string_view name, std::uint64_t value) { add(name, base::NumberText(value).view()); }
void InfoText::add(std::string_view name, std::int64_t value) { add(name, base::NumberText(value).view()); }

void InfoText::add(std::string_view name, double value, int digits) {
  char text[64];
  const int size = std::snprintf(text, sizeof(text), "%.*f", digits, value);
  add(name, std::string_view(text, static_cast<std::size_t>(size)));
}

void InfoText::add_bytes(std::string_view name, std::size_t bytes) {
  add(name, std::uint64_t{bytes});
  add_human(name, bytes);
}

void InfoText::add_human(std::string_view name, std::size_t bytes) {
  add(std::string(name) + "_human", human_bytes(bytes));
}

std::string human_bytes(std::size_t bytes) {
  constexpr std::string_view kUnits = "BKMGTP";
  constexpr double kStep = 1024;
  auto size = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (size >= kStep && unit + 1 < kUnits.size()) {
    size /= kStep;
    ++unit;
  }
  char text[64];
  const int length = std::snprintf(text, sizeof(text), "%.*f%c", unit == 0 ? 0 : 2, size, kUnits[unit]);
  return {text, static_cast<std::size_t>(length)};
}

}  // namespace fairlane::command
