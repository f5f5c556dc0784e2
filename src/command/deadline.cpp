#include "command/deadline.hpp"

#include <string>

#include "fairlane/base/number.hpp"
#include "fairlane/command/catalog.hpp"

namespace fairlane::command {

std::optional<std::int64_t> parse_deadline(Context& ctx, std::string_view word, TimeForm form, Times accepted) {
  const auto parsed = base::parse_integer(word);
  if (!parsed) {
    static_cast<void>(ctx.fail(errors::kNotInteger));
    return std::nullopt;
  }
  std::int64_t when = *parsed;
  bool impossible = accepted == Times::positive && when <= 0;
  if (form.unit == TimeForm::Unit::seconds) impossible |= __builtin_mul_overflow(when, std::int64_t{1000}, &when);
  if (form.from == TimeForm::From::now) impossible |= __builtin_add_overflow(when, ctx.now, &when);
  if (!impossible) return when;
  static_cast<void>(ctx.fail("ERR invalid expire time in '" + ctx.command.name + "' command"));
  return std::nullopt;
}

}  // namespace fairlane::command
