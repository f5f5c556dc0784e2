// cluster.cpp - CLUSTER and MODULE: what clients ask for to learn that there is no cluster and no module.
#include "command/groups.hpp"
#include "command/help.hpp"
#include "fairlane/command/context.hpp"

namespace fairlane::command {
namespace {

Outcome no_cluster(Context& ctx, Args&) { return ctx.fail("ERR This instance has cluster support disabled"); }

Outcome module_list(Context& ctx, Args&) {
  ctx.reply.array(0);
  return Outcome::done;
}

/// A subcommand that any server without a cluster refuses.
constexpr Spec refused(std::string_view syntax, std::string_view since) {
  return {.syntax = syntax,
          .handler = no_cluster,
          .flags = Flag::stale,
          .group = Group::cluster,
          .docs = {.summary = "Belongs to clusters, which are not supported.", .complexity = "O(1)", .since = since}};
}

constexpr Spec tipped(Spec spec, std::string_view tips) {
  spec.tips = tips;
  return spec;
}

constexpr Spec replaced(Spec spec, std::string_view since, std::string_view by) {
  spec.docs.deprecated_since = since;
  spec.docs.replaced_by = by;
  return spec;
}

constexpr Spec for_connections(Spec spec, Flag flags) {
  spec.flags = flags;
  spec.categories = Category::connection;
  return spec;
}

constexpr Flag kQuick = Flag::loading | Flag::stale | Flag::fast;

constexpr Spec kSpecs[] = {
    {.syntax = "CLUSTER",
     .group = Group::cluster,
     .docs = {.summary = "Belongs to clusters, which are not supported.",
              .complexity = "Depends on subcommand.",
              .since = "3.0.0"},
     .arity = -2},
    tipped(refused("CLUSTER INFO", "3.0.0"), "nondeterministic_output"),
    refused("CLUSTER MYID", "3.0.0"),
    tipped(refused("CLUSTER NODES", "3.0.0"), "nondeterministic_output"),
    replaced(tipped(refused("CLUSTER SLOTS", "3.0.0"), "nondeterministic_output"), "7.0.0", "`CLUSTER SHARDS`"),
    tipped(refused("CLUSTER SHARDS", "7.0.0"), "nondeterministic_output"),
    refused("CLUSTER KEYSLOT key:string", "3.0.0"),
    refused("CLUSTER COUNTKEYSINSLOT slot:integer", "3.0.0"),
    tipped(refused("CLUSTER GETKEYSINSLOT slot:integer count:integer", "3.0.0"), "nondeterministic_output"),
    {.syntax = "CLUSTER HELP",
     .handler = no_cluster,
     .flags = Flag::loading | Flag::stale,
     .group = Group::cluster,
     .docs = {.summary = "Belongs to clusters, which are not supported.", .complexity = "O(1)", .since = "5.0.0"}},
    for_connections(refused("READONLY", "3.0.0"), kQuick),
    for_connections(refused("READWRITE", "3.0.0"), kQuick),
    for_connections(refused("ASKING", "3.0.0"), Flag::fast),
    {.syntax = "MODULE",
     .group = Group::server,
     .docs = {.summary = "Belongs to modules, which are not supported.",
              .complexity = "Depends on subcommand.",
              .since = "4.0.0"},
     .arity = -2},
    {.syntax = "MODULE LIST",
     .handler = module_list,
     .flags = Flag::admin | Flag::noscript,
     .group = Group::server,
     .docs = {.summary = "Returns the modules: none.",
              .complexity = "O(N) where N is the number of loaded modules.",
              .since = "4.0.0"},
     .tips = "nondeterministic_output_order"},
    {.syntax = "MODULE HELP",
     .handler = help,
     .flags = Flag::loading | Flag::stale,
     .group = Group::server,
     .docs = {.summary = "Lists the subcommands.", .complexity = "O(1)", .since = "5.0.0"}},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> cluster_commands() { return kSpecs; }

}  // namespace fairlane::command
