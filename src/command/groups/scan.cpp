// scan.cpp - SCAN: the keys of a database, some at a time.
#include "command/groups.hpp"
#include "command/scan_options.hpp"
#include "fairlane/base/text_match.hpp"
#include "fairlane/command/context.hpp"

namespace fairlane::command {
namespace {

/// Steps a call takes for every key asked for, before it answers with what it has found.
constexpr std::size_t kStepsPerKey = 10;

struct KeyOptions : ScanOptions {
  std::string_view type;
  bool any_type = true;

  bool parse(Args& args) {
    while (args.more()) {
      if (args.option_with("TYPE", 1)) {
        type = args.text();
        any_type = false;
      } else if (!take_scan_option(args, *this)) {
        args.fail(errors::kSyntax);
      }
    }
    return args.ok();
  }
  bool accepts(const engine::Entry& entry) const noexcept {
    return wants(entry.key()) && (any_type || base::equal_ignoring_case(type, engine::type_name(entry.type())));
  }
};

Outcome scan(Context& ctx, Args& args) {
  const auto start = parse_cursor(args.text());
  if (!start) return ctx.fail(errors::kBadCursor);
  KeyOptions options;
  if (!options.parse(args)) return ctx.fail(args.error());
  const auto place = ctx.reply.open();
  std::size_t seen = 0;
  std::size_t written = 0;
  const auto visit = [&](const engine::Entry& entry) {
    ++seen;
    if (ctx.keys.expired(entry) || !options.accepts(entry)) return;
    ctx.reply.bulk(entry.key());
    ++written;
  };
  std::uint64_t cursor = *start;
  std::size_t steps = 0;
  do {
    cursor = ctx.keys.scan(cursor, visit);
    ++steps;
  } while (cursor != 0 && seen < options.count && steps < kStepsPerKey * options.count);
  close_scan(ctx.reply, place, cursor, written);
  return Outcome::done;
}

constexpr Spec kSpecs[] = {
    {.syntax = "SCAN cursor:integer [MATCH pattern:pattern] [COUNT count:integer] [TYPE type]",
     .handler = scan,
     .flags = Flag::readonly,
     .docs = {.summary = "Returns some keys of the database and where to go on.",
              .complexity = "O(1) a call, O(N) for all calls up to the cursor 0, where N is the number of keys.",
              .since = "2.8.0"},
     .categories = Category::keyspace,
     .tips = "nondeterministic_output request_policy:special"},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> scan_commands() { return kSpecs; }

}  // namespace fairlane::command
