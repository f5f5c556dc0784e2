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

Outcome no_module(Context& ctx, Args&) {
  return ctx.fail(
      "ERR MODULE command not allowed. If the enable-module-command option is set to \"local\", you can run it from a "
      "local connection, otherwise you need to set this option in the configuration file, and then restart the "
      "server.");
}

constexpr std::string_view kNoClusters = "Belongs to clusters, which are not supported.";
constexpr std::string_view kNoModules = "Belongs to modules, which are not supported.";
constexpr std::string_view kVaries = "nondeterministic_output";
constexpr std::string_view kByNodes = "O(N) where N is the total number of Cluster nodes";
constexpr std::string_view kBySlots = "O(N) where N is the total number of hash slot arguments";
constexpr std::string_view kByRanges =
    "O(N) where N is the total number of the slots between the start slot and end slot arguments.";

constexpr Flag kAsk = Flag::stale;
constexpr Flag kLook = Flag::admin | Flag::stale;
constexpr Flag kChange = Flag::admin | Flag::stale | Flag::no_async_loading;
constexpr Flag kQuick = Flag::loading | Flag::stale | Flag::fast;
constexpr Flag kModules = Flag::admin | Flag::noscript | Flag::no_async_loading;

constexpr Spec refused(std::string_view syntax, Flag flags, std::string_view since,
                       std::string_view complexity = "O(1)", std::string_view tips = {}) {
  return {.syntax = syntax,
          .handler = no_cluster,
          .flags = flags,
          .group = Group::cluster,
          .docs = {.summary = kNoClusters, .complexity = complexity, .since = since},
          .tips = tips};
}

constexpr Spec deprecated(Spec spec, std::string_view since, std::string_view by) {
  spec.docs.deprecated_since = since;
  spec.docs.replaced_by = by;
  return spec;
}

constexpr Spec of_connection(Spec spec) {
  spec.categories = Category::connection;
  return spec;
}

constexpr Spec at_least(std::int16_t words, Spec spec) {
  spec.arity = static_cast<std::int16_t>(-words);
  return spec;
}

constexpr Spec module_refused(std::string_view syntax, std::string_view since) {
  return {.syntax = syntax,
          .handler = no_module,
          .flags = kModules,
          .group = Group::server,
          .docs = {.summary = kNoModules, .complexity = "O(1)", .since = since}};
}

constexpr Spec kSpecs[] = {
    {.syntax = "CLUSTER",
     .group = Group::cluster,
     .docs = {.summary = kNoClusters, .complexity = "Depends on subcommand.", .since = "3.0.0"},
     .arity = -2},
    refused("CLUSTER ADDSLOTS slot:integer [slot:integer ...]", kChange, "3.0.0", kBySlots),
    refused("CLUSTER ADDSLOTSRANGE start-slot:integer end-slot:integer [start-slot:integer end-slot:integer ...]",
            kChange, "7.0.0", kByRanges),
    refused("CLUSTER BUMPEPOCH", kChange, "3.0.0", "O(1)", kVaries),
    refused("CLUSTER COUNT-FAILURE-REPORTS node-id", kLook, "3.0.0", "O(N) where N is the number of failure reports",
            kVaries),
    refused("CLUSTER COUNTKEYSINSLOT slot:integer", kAsk, "3.0.0"),
    refused("CLUSTER DELSLOTS slot:integer [slot:integer ...]", kChange, "3.0.0", kBySlots),
    refused("CLUSTER DELSLOTSRANGE start-slot:integer end-slot:integer [start-slot:integer end-slot:integer ...]",
            kChange, "7.0.0", kByRanges),
    refused("CLUSTER FAILOVER [FORCE | TAKEOVER]", kChange, "3.0.0"),
    refused("CLUSTER FLUSHSLOTS", kChange, "3.0.0"),
    refused("CLUSTER FORGET node-id", kChange, "3.0.0"),
    refused("CLUSTER GETKEYSINSLOT slot:integer count:integer", kAsk, "3.0.0",
            "O(log(N)) where N is the number of requested keys", kVaries),
    refused("CLUSTER HELP", Flag::loading | Flag::stale, "5.0.0"),
    refused("CLUSTER INFO", kAsk, "3.0.0", "O(1)", kVaries),
    refused("CLUSTER KEYSLOT key:string", kAsk, "3.0.0", "O(N) where N is the number of bytes in the key"),
    refused("CLUSTER LINKS", kAsk, "7.0.0", kByNodes, kVaries),
    refused("CLUSTER MEET ip port:integer [cluster_bus_port:integer]", kChange, "3.0.0"),
    refused("CLUSTER MYID", kAsk, "3.0.0"),
    refused("CLUSTER NODES", kAsk, "3.0.0", kByNodes, kVaries),
    refused("CLUSTER REPLICAS node-id", kLook, "5.0.0", "O(1)", kVaries),
    refused("CLUSTER REPLICATE node-id", kChange, "3.0.0"),
    refused("CLUSTER RESET [HARD | SOFT]", Flag::admin | Flag::noscript | Flag::stale, "3.0.0",
            "O(N) where N is the number of known nodes. The command may execute a FLUSHALL as a side effect."),
    refused("CLUSTER SAVECONFIG", kChange, "3.0.0"),
    refused("CLUSTER SET-CONFIG-EPOCH config-epoch:integer", kChange, "3.0.0"),
    at_least(4, refused("CLUSTER SETSLOT slot:integer <IMPORTING node-id | MIGRATING node-id | NODE node-id | STABLE>",
                        kChange, "3.0.0")),
    refused("CLUSTER SHARDS", kAsk, "7.0.0", "O(N) where N is the total number of cluster nodes", kVaries),
    deprecated(refused("CLUSTER SLAVES node-id", kLook, "3.0.0", "O(1)", kVaries), "5.0.0", "`CLUSTER REPLICAS`"),
    deprecated(refused("CLUSTER SLOTS", kAsk, "3.0.0", kByNodes, kVaries), "7.0.0", "`CLUSTER SHARDS`"),
    of_connection(refused("READONLY", kQuick, "3.0.0")),
    of_connection(refused("READWRITE", kQuick, "3.0.0")),
    of_connection(refused("ASKING", Flag::fast, "3.0.0")),
    {.syntax = "MODULE",
     .group = Group::server,
     .docs = {.summary = kNoModules, .complexity = "Depends on subcommand.", .since = "4.0.0"},
     .arity = -2},
    {.syntax = "MODULE LIST",
     .handler = module_list,
     .flags = Flag::admin | Flag::noscript,
     .group = Group::server,
     .docs = {.summary = "Returns the modules: none.",
              .complexity = "O(N) where N is the number of loaded modules.",
              .since = "4.0.0"},
     .tips = "nondeterministic_output_order"},
    module_refused("MODULE LOAD path [arg [arg ...]]", "4.0.0"),
    module_refused("MODULE LOADEX path [CONFIG name value [CONFIG name value ...]] [ARGS arg [arg ...]]", "7.0.0"),
    module_refused("MODULE UNLOAD name", "4.0.0"),
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
