#include "command/options/readers.hpp"
#include "command/options/table.hpp"
#include "fairlane/command/settings.hpp"

namespace fairlane::command {
namespace {

using namespace rows;

constexpr std::string_view kLevels[] = {"debug", "verbose", "notice", "warning"};
constexpr std::string_view kSupervisors[] = {"upstart", "systemd", "auto", "no"};
constexpr std::string_view kFacilities[] = {"user",   "local0", "local1", "local2", "local3",
                                            "local4", "local5", "local6", "local7"};
constexpr std::string_view kShutdown[] = {"default", "save", "nosave", "now", "force"};

constexpr Option kRows[] = {
    boolean(
        "daemonize", "no", "Runs in the background.",
        [](Settings& settings, const OptionValue& value) { settings.daemonize = value.number != 0; },
        OptionFlag::immutable),
    choice(
        "supervised", "no", kSupervisors,
        "Which supervisor started the server: systemd is told how the start goes, upstart is not.",
        [](Settings& settings, const OptionValue& value) {
          const std::string_view supervisor = kSupervisors[static_cast<std::size_t>(value.number)];
          settings.notify_supervisor = supervisor == "systemd" || supervisor == "auto";
        },
        OptionFlag::immutable),
    text(
        "pidfile", "", "File that the process id is written to; in the background /var/run/redis.pid unless named.",
        [](Settings& settings, const OptionValue& value) { settings.pid_file = value.text; }, OptionFlag::immutable),
    choice("loglevel", "notice", kLevels, "The least important lines that are logged.",
           [](Settings& settings, const OptionValue& value) { settings.log_level = value.number; }),
    text(
        "logfile", "", "File of the log; empty is standard output.",
        [](Settings& settings, const OptionValue& value) { settings.log_file = value.text; }, OptionFlag::immutable),
    boolean("syslog-enabled", "no", "Logs to the system's log as well (kept).", nullptr, OptionFlag::immutable),
    text("syslog-ident", "redis", "Name in the system's log (kept).", nullptr, OptionFlag::immutable),
    choice("syslog-facility", "local0", kFacilities, "Facility in the system's log (kept).", nullptr,
           OptionFlag::immutable),
    boolean("crash-log-enabled", "yes", "Reports a crash in the log (kept)."),
    boolean("crash-memcheck-enabled", "yes", "Tests the memory after a crash (kept)."),
    integer(
        "databases", "16", 1, kIntMost, "Number of databases.",
        [](Settings& settings, const OptionValue& value) { settings.databases = value.number; }, OptionFlag::immutable),
    boolean("always-show-logo", "no", "Draws a logo at the start (kept; there is none).", nullptr,
            OptionFlag::immutable),
    boolean("set-proc-title", "yes", "Shows the port in the process title (kept).", nullptr, OptionFlag::immutable),
    {.name = "proc-title-template",
     .initial = "{title} {listen-addr} {server-mode}",
     .help = "Layout of the process title (kept).",
     .read = read_title_template},
    {.name = "dir",
     .initial = "./",
     .help = "Working directory.",
     .flags = OptionFlag::guarded,
     .read = read_directory},
    {.name = "shutdown-on-sigint",
     .kind = OptionKind::choices,
     .initial = "default",
     .help = "How SIGINT ends the server (kept; nothing is saved).",
     .choices = kShutdown,
     .read = read_shutdown_flags},
    {.name = "shutdown-on-sigterm",
     .kind = OptionKind::choices,
     .initial = "default",
     .help = "How SIGTERM ends the server (kept; nothing is saved).",
     .choices = kShutdown,
     .read = read_shutdown_flags},
    integer("shutdown-timeout", "10", 0, kIntMost, "Seconds that a shutdown waits for replicas (kept)."),
    integer("slowlog-log-slower-than", "10000", -1, kLongMost,
            "Microseconds from which on a command is kept in the slow log; -1 is never.",
            [](Settings& settings, const OptionValue& value) { settings.slowlog_slower_than_micros = value.number; }),
    integer("slowlog-max-len", "128", 0, kLongMost, "Entries of the slow log.",
            [](Settings& settings, const OptionValue& value) { settings.slowlog_max_len = value.number; }),
    integer("latency-monitor-threshold", "0", 0, kLongMost,
            "Milliseconds from which on the latency monitor keeps an event; 0 turns it off.",
            [](Settings& settings, const OptionValue& value) { settings.latency_threshold_millis = value.number; }),
    boolean("latency-tracking", "yes", "Counts how long each command takes, for INFO latencystats.",
            [](Settings& settings, const OptionValue& value) { settings.latency_tracking = value.number != 0; }),
    {.name = "latency-tracking-info-percentiles",
     .kind = OptionKind::words,
     .initial = "50 99 99.9",
     .help = "Percentiles that INFO latencystats shows.",
     .read = read_percentiles,
     .apply = apply_percentiles},
    {.name = "notify-keyspace-events",
     .initial = "",
     .help = "Classes of events that are published: K or E, and g$lshzxetdmn or A.",
     .read = read_event_classes,
     .show = show_event_classes,
     .apply = [](Settings& settings, const OptionValue& value) { settings.notify_keyspace_events = value.text; }},
    also("lua-time-limit",
         integer("busy-reply-threshold", "5000", 0, kLongMost,
                 "Milliseconds after which other clients are told that a script keeps the server busy.",
                 [](Settings& settings, const OptionValue& value) {
                   settings.busy_reply_threshold_millis = value.number;
                 })),
    memory("script-memory-limit", "536870912", 0,
           "Bytes that the interpreter may hold for scripts, and again for functions; 0 is no limit.",
           [](Settings& settings, const OptionValue& value) {
             settings.script_memory_limit = static_cast<std::uint64_t>(value.number);
           }),
};

}  // namespace

OptionSection general_options() { return {"General", kRows}; }

}  // namespace fairlane::command
