#include "command/options/readers.hpp"
#include "command/options/table.hpp"

namespace fairlane::command {
namespace {

using namespace rows;

constexpr std::string_view kAdjust[] = {"no", "yes", "relative", "absolute"};

constexpr Option kRows[] = {
    integer("hz", "10", 0, kIntMost, "Rounds of background work a second, 1 to 500 (kept; work is done when due)."),
    boolean("dynamic-hz", "yes", "Adapts the rounds to the number of clients (kept)."),
    integer("io-threads", "1", 1, 128, "Threads that read and write sockets (kept; there is one).", nullptr,
            OptionFlag::immutable),
    boolean("io-threads-do-reads", "no", "Lets these threads read as well (kept).", nullptr, OptionFlag::immutable),
    text("server_cpulist", "", "Processors of the main thread (kept).", nullptr, OptionFlag::immutable),
    text("bio_cpulist", "", "Processors of background threads (kept).", nullptr, OptionFlag::immutable),
    text("aof_rewrite_cpulist", "", "Processors of log rewrites (kept).", nullptr, OptionFlag::immutable),
    text("bgsave_cpulist", "", "Processors of snapshots (kept).", nullptr, OptionFlag::immutable),
    choice("oom-score-adj", "no", kAdjust, "Tells the system whom to end first when memory is short (kept)."),
    {.name = "oom-score-adj-values",
     .kind = OptionKind::words,
     .initial = "0 200 800",
     .help = "Scores for a master, a replica and a child process (kept).",
     .read = read_scores},
    boolean("disable-thp", "yes", "Turns transparent huge pages off for the process (kept).", nullptr,
            OptionFlag::immutable),
    text("ignore-warnings", "", "Warnings of the start that are not logged (kept)."),
    boolean("use-exit-on-panic", "no", "Exits instead of aborting on an internal error (kept).", nullptr,
            OptionFlag::hidden),
    boolean("lua-enable-deprecated-api", "no", "Lets scripts use functions that were withdrawn (kept).", nullptr,
            OptionFlag::immutable | OptionFlag::hidden),
    integer("watchdog-period", "0", 0, kIntMost, "Milliseconds after which a slow round is logged (kept).", nullptr,
            OptionFlag::hidden),
};

}  // namespace

OptionSection system_options() { return {"System", kRows}; }

}  // namespace fairlane::command
