#include "command/compatibility.hpp"

#include "fairlane/base/number.hpp"

namespace fairlane::command {
namespace {

constexpr std::string_view kMemoryOnly = "an error: data is kept in memory only";
constexpr std::string_view kOwnWords = "in words of its own";
constexpr std::string_view kOwnFigures = "tells the figures of this server";

constexpr Remark kDifferences[] = {
    {"bgrewriteaof", kMemoryOnly},
    {"bgsave", kMemoryOnly},
    {"command|docs", "summaries in words of its own"},
    {"debug", "knows fewer subcommands; its HELP lists them"},
    {"function|list", "in the order of the names"},
    {"latency|doctor", kOwnWords},
    {"lolwut", "another picture"},
    {"memory|doctor", kOwnWords},
    {"memory|malloc-stats", "the report of this server's allocator"},
    {"memory|stats", kOwnFigures},
    {"memory|usage", kOwnFigures},
    {"replicaof", "only NO ONE: copies no other server"},
    {"save", kMemoryOnly},
    {"script|debug", "only NO: there is no debugger"},
    {"slaveof", "only NO ONE: copies no other server"},
};

constexpr std::string_view kNoReplicas = "there are no replicas";

constexpr Remark kAbsences[] = {
    {"failover", kNoReplicas},
    {"psync", kNoReplicas},
    {"replconf", kNoReplicas},
    {"sync", kNoReplicas},
};

}  // namespace

std::span<const Remark> differences() { return kDifferences; }
std::span<const Remark> absences() { return kAbsences; }

bool is_newer(const Command& command) noexcept {
  if (command.spec->group == Group::lane) return true;
  const std::string_view since = command.spec->docs.since;
  const auto major = base::parse_integer(since.substr(0, since.find('.'))).value_or(0);
  return major > 7 || (major == 7 && !since.starts_with("7.0."));
}

}  // namespace fairlane::command
