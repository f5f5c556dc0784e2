#include "command/options/readers.hpp"
#include "command/options/table.hpp"
#include "fairlane/command/settings.hpp"

namespace fairlane::command {
namespace {

using namespace rows;

constexpr std::string_view kDisklessLoad[] = {"disabled", "on-empty-db", "swapdb"};
constexpr std::string_view kPropagationError[] = {"ignore", "panic", "panic-on-replicas"};

constexpr Option kRows[] = {
    {.name = "replicaof",
     .kind = OptionKind::words,
     .initial = "",
     .help = "Host and port of a server to copy (kept; replication is not supported).",
     .flags = OptionFlag::immutable,
     .alias = "slaveof",
     .read = read_master},
    text("masterauth", "", "Password for the server to copy (kept).", nullptr, OptionFlag::secret),
    text("masteruser", "", "User for the server to copy (kept).", nullptr, OptionFlag::secret),
    also("slave-serve-stale-data",
         boolean("replica-serve-stale-data", "yes", "Answers while the connection to the master is lost (kept).")),
    also("slave-read-only", boolean("replica-read-only", "yes", "Refuses writes to a replica (kept).")),
    also("slave-priority",
         integer("replica-priority", "100", 0, kIntMost, "Rank among replicas that may become master (kept).")),
    boolean("replica-announced", "yes", "Shows the replica to Sentinel (kept)."),
    also("slave-announce-ip", text("replica-announce-ip", "", "Address that a replica tells its master (kept).")),
    also("slave-announce-port",
         integer("replica-announce-port", "0", 0, kPortMost, "Port that a replica tells its master (kept).")),
    also("slave-ignore-maxmemory", boolean("replica-ignore-maxmemory", "yes", "Leaves evicting to the master (kept).")),
    also("slave-lazy-flush",
         boolean("replica-lazy-flush", "no", "Frees the old data of a replica in the background (kept).")),
    boolean("replica-ignore-disk-write-errors", "no", "Lets a replica go on when its disk fails (kept)."),
    also("min-slaves-to-write",
         integer("min-replicas-to-write", "0", 0, kIntMost,
                 "Replicas without which writes are refused; there are none, so any number refuses them.",
                 [](Settings& settings, const OptionValue& value) { settings.min_replicas = value.number; })),
    also("min-slaves-max-lag",
         integer("min-replicas-max-lag", "10", 0, kIntMost,
                 "Seconds a replica may lag to count; 0 allows writes whatever min-replicas-to-write says.",
                 [](Settings& settings, const OptionValue& value) { settings.min_replicas_max_lag = value.number; })),
    also("repl-ping-slave-period",
         integer("repl-ping-replica-period", "10", 1, kIntMost, "Seconds between pings to replicas (kept).")),
    integer("repl-timeout", "60", 1, kIntMost, "Seconds of silence that end a replication link (kept)."),
    boolean("repl-disable-tcp-nodelay", "no", "Sends fewer and larger packets to replicas (kept)."),
    memory("repl-backlog-size", "1048576", 1, "Changes kept for replicas that come back (kept)."),
    integer("repl-backlog-ttl", "3600", 0, kLongMost, "Seconds after which these changes are dropped (kept)."),
    boolean("repl-diskless-sync", "yes", "Sends snapshots to replicas without a file (kept)."),
    integer("repl-diskless-sync-delay", "5", 0, kIntMost, "Seconds to wait for more replicas before that (kept)."),
    integer("repl-diskless-sync-max-replicas", "0", 0, kIntMost, "Replicas that end that wait (kept)."),
    choice("repl-diskless-load", "disabled", kDisklessLoad, "Loads snapshots from the link (kept)."),
    choice("propagation-error-behavior", "ignore", kPropagationError, "What a failed replicated command does (kept)."),
};

}  // namespace

OptionSection replication_options() { return {"Replication", kRows}; }

}  // namespace fairlane::command
