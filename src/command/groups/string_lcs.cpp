// string_lcs.cpp - LCS: what two strings have in common.
#include <algorithm>

#include "command/common_subsequence.hpp"
#include "command/groups.hpp"
#include "fairlane/command/context.hpp"
#include "fairlane/command/services.hpp"
#include "fairlane/command/settings.hpp"

namespace fairlane::command {
namespace {

struct Options {
  bool length = false;
  bool places = false;
  bool with_lengths = false;
  std::int64_t least = 0;

  bool parse(Args& args) {
    while (args.more()) {
      if (args.option("IDX")) {
        places = true;
      } else if (args.option("LEN")) {
        length = true;
      } else if (args.option("WITHMATCHLEN")) {
        with_lengths = true;
      } else if (args.option_with("MINMATCHLEN", 1)) {
        least = std::max<std::int64_t>(args.integer(), 0);
      } else {
        args.fail(errors::kSyntax);
      }
    }
    return args.ok();
  }
};

void reply_range(Context& ctx, std::size_t first, std::size_t length) {
  ctx.reply.array(2);
  ctx.reply.integer(static_cast<std::int64_t>(first));
  ctx.reply.integer(static_cast<std::int64_t>(first + length - 1));
}

void reply_places(Context& ctx, const CommonSubsequence& common, const Options& options) {
  ctx.reply.map(2);
  ctx.reply.bulk("matches");
  const auto place = ctx.reply.open();
  std::size_t count = 0;
  common.for_each([&](const CommonSubsequence::Match& match) {
    if (match.length < static_cast<std::size_t>(options.least)) return;
    ctx.reply.array(options.with_lengths ? 3 : 2);
    reply_range(ctx, match.left, match.length);
    reply_range(ctx, match.right, match.length);
    if (options.with_lengths) ctx.reply.integer(static_cast<std::int64_t>(match.length));
    ++count;
  });
  ctx.reply.close_array(place, count);
  ctx.reply.bulk("len");
  ctx.reply.integer(common.length());
}

Outcome compare(Context& ctx, std::string_view left, std::string_view right, const Options& options) {
  const std::uint64_t memory = CommonSubsequence::memory(left.size(), right.size());
  if (memory == 0) return ctx.fail("ERR Insufficient memory, failed allocating transient memory for LCS");
  if (memory > static_cast<std::uint64_t>(ctx.services.settings.limits.max_bulk_length)) {
    return ctx.fail("ERR Insufficient memory, transient memory for LCS exceeds proto-max-bulk-len");
  }
  if (options.length) {
    ctx.reply.integer(common_length(left, right));
    return Outcome::done;
  }
  const CommonSubsequence common(left, right);
  if (options.places) {
    reply_places(ctx, common, options);
  } else {
    ctx.reply.bulk(common.text());
  }
  return Outcome::done;
}

Outcome lcs(Context& ctx, Args& args) {
  const auto left = ctx.keys.find_string(args.text());
  const auto right = ctx.keys.find_string(args.text());
  if (left.wrong_type() || right.wrong_type()) {
    return ctx.fail("ERR The specified keys must contain string values");
  }
  Options options;
  if (!options.parse(args)) return ctx.fail(args.error());
  if (options.places && options.length) {
    return ctx.fail("ERR If you want both the length and indexes, please just use IDX.");
  }
  engine::Scratch left_scratch;
  engine::Scratch right_scratch;
  return compare(ctx, left.absent() ? std::string_view() : left.text(left_scratch),
                 right.absent() ? std::string_view() : right.text(right_scratch), options);
}

constexpr Spec kSpecs[] = {
    {.syntax = "LCS key1:key key2:key [LEN] [IDX] [MINMATCHLEN min-match-len:integer] [WITHMATCHLEN]",
     .handler = lcs,
     .flags = Flag::readonly,
     .keys = keys_from(1, Use::ro | Use::access, 1),
     .group = Group::string,
     .docs = {.summary = "Finds the longest common subsequence of two strings.",
              .complexity = "O(N*M) where N and M are the lengths of the strings.",
              .since = "7.0.0"}},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> string_lcs_commands() { return kSpecs; }

}  // namespace fairlane::command
