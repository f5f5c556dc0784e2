#include "command/deadline.hpp"

#include <string>

#include "fairlane/base/number.hpp"
#include "fairlane/command/catalog.hpp"

namespace fairlane::command {
namespace {

/// The last instant that Redis' fields can have: it keeps two bits of 48 to itself.
constexpr std::int64_t kLastOfField = (std::int64_t{1} << 46) - 1;

std::nullopt_t impossible_time(Context& ctx) {
  static_cast<void>(ctx.fail("ERR invalid expire time in '" + ctx.command.name + "' command"));
  return std::nullopt;
}

std::nullopt_t refused(Context& ctx, std::string_view error) {
  static_cast<void>(ctx.fail(error));
  return std::nullopt;
}

}  // namespace

const TimeForm* take_time_form(Args& args) noexcept {
  if (args.option("EX")) return &kSeconds;
  if (args.option("PX")) return &kMillis;
  if (args.option("EXAT")) return &kUnixSeconds;
  if (args.option("PXAT")) return &kUnixMillis;
  return nullptr;
}

std::optional<std::int64_t> parse_deadline(Context& ctx, std::string_view word, TimeForm form, Times accepted) {
  const auto parsed = base::parse_integer(word);
  if (!parsed) return refused(ctx, errors::kNotInteger);
  std::int64_t when = *parsed;
  bool impossible = accepted == Times::positive && when <= 0;
  if (form.unit == TimeForm::Unit::seconds) impossible |= __builtin_mul_overflow(when, std::int64_t{1000}, &when);
  if (form.from == TimeForm::From::now) impossible |= __builtin_add_overflow(when, ctx.now, &when);
  return impossible ? impossible_time(ctx) : std::optional(when);
}

std::optional<std::int64_t> parse_field_deadline(Context& ctx, std::string_view word, TimeForm form) {
  const auto parsed = base::parse_integer(word);
  if (!parsed) return refused(ctx, errors::kNotInteger);
  if (*parsed < 0) return refused(ctx, "ERR invalid expire time, must be >= 0");
  const std::int64_t unit = form.unit == TimeForm::Unit::seconds ? 1000 : 1;
  const std::int64_t start = form.from == TimeForm::From::now ? ctx.now : 0;
  if (*parsed > kLastOfField / unit || *parsed * unit > kLastOfField - start) return impossible_time(ctx);
  return start + *parsed * unit;
}

bool DeadlineConditions::take(Args& args) noexcept {
  return (args.option("NX") && (without = true)) || (args.option("XX") && (with = true)) ||
         (args.option("GT") && (later = true)) || (args.option("LT") && (earlier = true));
}

bool DeadlineConditions::hold(std::optional<std::int64_t> now_set, std::int64_t wanted) const noexcept {
  if (without && now_set) return false;
  if (with && !now_set) return false;
  if (later && (!now_set || wanted <= *now_set)) return false;
  return !earlier || !now_set || wanted < *now_set;
}

}  // namespace fairlane::command
