#include "command/hash_fields.hpp"

namespace fairlane::command {

std::optional<std::span<const std::string_view>> take_fields(Context& ctx, Args& args, std::string_view bad_count) {
  if (!args.option("FIELDS")) args.fail("ERR Mandatory argument FIELDS is missing or not at the right position");
  const std::int64_t count = args.integer_in(1, INT64_MAX, bad_count, bad_count);
  if (args.ok() && static_cast<std::uint64_t>(count) != args.left()) {
    args.fail("ERR The `numfields` parameter must match the number of arguments");
  }
  if (args.ok()) return args.rest();
  static_cast<void>(ctx.fail(args.error()));
  return std::nullopt;
}

}  // namespace fairlane::command
