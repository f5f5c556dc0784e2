#include "command/options/readers.hpp"
#include "command/options/table.hpp"
#include "fairlane/command/settings.hpp"

namespace fairlane::command {
namespace {

using namespace rows;

constexpr std::string_view kPubSubDefault[] = {"allchannels", "resetchannels"};

constexpr Option kRows[] = {
    integer("maxclients", "10000", 1, 4294967295, "Clients that may be connected at once.",
            [](Settings& settings, const OptionValue& value) { settings.maxclients = value.number; }),
    text(
        "requirepass", "", "Password of the default user; empty asks for none.",
        [](Settings& settings, const OptionValue& value) { settings.requirepass = value.text; }, OptionFlag::secret),
    memory("proto-max-bulk-len", "536870912", 1048576, "Longest string that a request may hold.",
           [](Settings& settings, const OptionValue& value) { settings.limits.max_bulk_length = value.number; }),
    memory("client-query-buffer-limit", "1073741824", 1048576, "Bytes of requests that may wait for one client.",
           [](Settings& settings, const OptionValue& value) { settings.query_buffer_limit = value.number; }),
    {.name = "client-output-buffer-limit",
     .kind = OptionKind::words,
     .initial = "normal 0 0 0 slave 268435456 67108864 60 pubsub 33554432 8388608 60",
     .help = "Class, hard limit, soft limit and seconds over the soft limit after which a slow reader is disconnected.",
     .read = read_output_limits,
     .apply = apply_output_limits},
    {.name = "maxmemory-clients",
     .kind = OptionKind::memory_or_percent,
     .initial = "0",
     .help =
         "Memory of all clients together before the largest are disconnected, in bytes or per cent of maxmemory; 0 is "
         "no limit.",
     .low = -100,
     .high = kLongMost,
     .apply = [](Settings& settings, const OptionValue& value) { settings.maxmemory_clients = value.number; }},
    integer("tracking-table-max-keys", "1000000", 0, kLongMost,
            "Keys remembered for clients that cache them; 0 is no limit.",
            [](Settings& settings, const OptionValue& value) { settings.tracking_table_max_keys = value.number; }),
    text(
        "aclfile", "", "File of users; empty: they are declared by lines \"user name rule ...\" of this file.",
        [](Settings& settings, const OptionValue& value) { settings.acl_file = value.text; }, OptionFlag::immutable),
    integer("acllog-max-len", "128", 0, kLongMost, "Entries of the log of refused accesses.",
            [](Settings& settings, const OptionValue& value) { settings.acl_log_max_len = value.number; }),
    choice(
        "acl-pubsub-default", "resetchannels", kPubSubDefault, "Channels that a new user may use.",
        [](Settings& settings, const OptionValue& value) { settings.new_users_hear_all_channels = value.number == 0; }),
    choice(
        "enable-debug-command", "no", kNoYesLocal, "Who may use DEBUG: nobody, everybody or local clients.",
        [](Settings& settings, const OptionValue& value) {
          settings.debug_command = static_cast<Allowance>(value.number);
        },
        OptionFlag::immutable),
    choice("enable-module-command", "no", kNoYesLocal, "Who may use MODULE (kept; there are no modules).", nullptr,
           OptionFlag::immutable),
    choice(
        "enable-protected-configs", "no", kNoYesLocal, "Who may change the options that name files.",
        [](Settings& settings, const OptionValue& value) {
          settings.protected_options = static_cast<Allowance>(value.number);
        },
        OptionFlag::immutable),
};

}  // namespace

OptionSection client_options() { return {"Clients", kRows}; }

}  // namespace fairlane::command
