#include "command/options/readers.hpp"
#include "command/options/table.hpp"

namespace fairlane::command {
namespace {

using namespace rows;

constexpr std::string_view kEndpoints[] = {"ip", "hostname", "unknown-endpoint"};

constexpr Option kRows[] = {
    boolean("cluster-enabled", "no", "Runs as part of a cluster (kept; clusters are not supported).", nullptr,
            OptionFlag::immutable),
    text("cluster-config-file", "nodes.conf", "File of the cluster's state (kept).", nullptr, OptionFlag::immutable),
    integer("cluster-node-timeout", "15000", 0, kLongMost, "Milliseconds of silence of a failed node (kept)."),
    integer("cluster-port", "0", 0, kPortMost, "Port of the cluster bus (kept).", nullptr, OptionFlag::immutable),
    also("cluster-slave-validity-factor",
         integer("cluster-replica-validity-factor", "10", 0, kIntMost, "How old a replica's data may be (kept).")),
    integer("cluster-migration-barrier", "1", 0, kIntMost, "Replicas that a master keeps (kept)."),
    boolean("cluster-allow-replica-migration", "yes", "Moves replicas to masters without one (kept)."),
    boolean("cluster-require-full-coverage", "yes", "Refuses requests while slots are missing (kept)."),
    also("cluster-slave-no-failover", boolean("cluster-replica-no-failover", "no", "Never becomes master (kept).")),
    boolean("cluster-allow-reads-when-down", "no", "Reads while the cluster is down (kept)."),
    boolean("cluster-allow-pubsubshard-when-down", "yes", "Publishes while the cluster is down (kept)."),
    memory("cluster-link-sendbuf-limit", "0", 0, "Bytes that may wait for another node (kept).", nullptr,
           OptionFlag::any_unsigned),
    {.name = "cluster-announce-hostname",
     .initial = "",
     .help = "Host name told to the cluster (kept).",
     .read = read_host_name},
    text("cluster-announce-ip", "", "Address told to the cluster (kept)."),
    integer("cluster-announce-port", "0", 0, kPortMost, "Port told to the cluster (kept)."),
    integer("cluster-announce-tls-port", "0", 0, kPortMost, "TLS port told to the cluster (kept)."),
    integer("cluster-announce-bus-port", "0", 0, kPortMost, "Bus port told to the cluster (kept)."),
    choice("cluster-preferred-endpoint-type", "ip", kEndpoints, "How nodes are named to clients (kept)."),
};

}  // namespace

OptionSection cluster_options() { return {"Cluster", kRows}; }

}  // namespace fairlane::command
