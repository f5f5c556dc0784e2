#include "command/options/readers.hpp"
#include "command/options/table.hpp"
#include "fairlane/command/settings.hpp"

namespace fairlane::command {
namespace {

using namespace rows;

constexpr std::string_view kSync[] = {"everysec", "always", "no"};
constexpr std::string_view kSanitize[] = {"no", "yes", "clients"};

constexpr Option kRows[] = {
    {.name = "save",
     .kind = OptionKind::words,
     .initial = "3600 1 300 100 60 10000",
     .help = "Pairs of seconds and changes after which a snapshot is due; empty is never (kept; data stays in memory).",
     .flags = OptionFlag::additive,
     .read = read_save_points},
    {.name = "dbfilename",
     .initial = "dump.rdb",
     .help = "File name of the snapshot (kept).",
     .flags = OptionFlag::guarded,
     .read = read_snapshot_name},
    boolean("rdbcompression", "yes", "Compresses strings in what DUMP gives.",
            [](Settings& settings, const OptionValue& value) { settings.dump.compress = value.number != 0; }),
    boolean("rdbchecksum", "yes", "Ends the snapshot with a checksum (kept).", nullptr, OptionFlag::immutable),
    choice("sanitize-dump-payload", "no", kSanitize, "Checks loaded values thoroughly (kept; that is always done)."),
    boolean("rdb-save-incremental-fsync", "yes", "Syncs the snapshot in steps while it is written (kept)."),
    boolean("rdb-del-sync-files", "no", "Removes the snapshots made for replicas (kept)."),
    integer("rdb-key-save-delay", "0", kIntLeast, kIntMost, "Microseconds of pause a key while saving (kept).", nullptr,
            OptionFlag::hidden),
    integer("key-load-delay", "0", kIntLeast, kIntMost, "Microseconds of pause a key while loading (kept).", nullptr,
            OptionFlag::hidden),
    boolean("stop-writes-on-bgsave-error", "yes", "Refuses writes after a failed snapshot (kept)."),
    boolean("appendonly", "no", "Writes every change to a log (kept; data stays in memory)."),
    {.name = "appendfilename",
     .initial = "appendonly.aof",
     .help = "File name of the log of changes (kept).",
     .flags = OptionFlag::immutable,
     .read = read_log_name},
    {.name = "appenddirname",
     .initial = "appendonlydir",
     .help = "Directory of the log of changes (kept).",
     .flags = OptionFlag::immutable,
     .read = read_log_directory},
    choice("appendfsync", "everysec", kSync, "When the log of changes is synced (kept)."),
    boolean("no-appendfsync-on-rewrite", "no", "Does not sync while a snapshot is written (kept)."),
    integer("auto-aof-rewrite-percentage", "100", 0, kIntMost, "Growth at which the log is rewritten (kept)."),
    memory("auto-aof-rewrite-min-size", "67108864", 0, "Size from which on the log is rewritten (kept)."),
    boolean("aof-load-truncated", "yes", "Loads a log whose end is missing (kept)."),
    boolean("aof-use-rdb-preamble", "yes", "Begins a rewritten log with a snapshot (kept)."),
    boolean("aof-timestamp-enabled", "no", "Writes times to the log (kept)."),
    boolean("aof-rewrite-incremental-fsync", "yes", "Syncs a rewritten log in steps (kept)."),
    boolean("aof-disable-auto-gc", "no", "Keeps the files of former logs (kept).", nullptr),
};

}  // namespace

OptionSection persistence_options() { return {"Persistence", kRows}; }

}  // namespace fairlane::command
