// info.cpp - INFO: the state of the server in words.
#include <array>

#include "command/groups.hpp"
#include "command/info_sections.hpp"
#include "fairlane/base/text_match.hpp"

namespace fairlane::command {
namespace {

Outcome info(Context& ctx, Args& args) {
  std::array<bool, 16> wanted{};
  const auto sections = info_sections();
  const auto want = [&](bool every) {
    for (std::size_t i = 0; i < sections.size(); ++i) wanted[i] = wanted[i] || every || sections[i].by_default;
  };
  if (!args.more()) want(false);
  for (const std::string_view word : args.rest()) {
    if (base::equal_ignoring_case(word, "all") || base::equal_ignoring_case(word, "everything")) want(true);
    if (base::equal_ignoring_case(word, "default")) want(false);
    for (std::size_t i = 0; i < sections.size(); ++i) {
      wanted[i] = wanted[i] || base::equal_ignoring_case(word, sections[i].name);
    }
  }
  InfoText text;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    if (wanted[i]) sections[i].write(ctx, text);
  }
  ctx.reply.verbatim("txt", text.text());
  return Outcome::done;
}

constexpr Spec kSpecs[] = {
    {.syntax = "INFO [section ...]",
     .handler = info,
     .flags = Flag::loading | Flag::stale,
     .group = Group::server,
     .docs = {.summary = "Tells about the state of the server, in sections.", .complexity = "O(1)", .since = "1.0.0"},
     .categories = Category::dangerous,
     .tips = "nondeterministic_output request_policy:all_shards response_policy:special"},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> info_commands() { return kSpecs; }

}  // namespace fairlane::command
