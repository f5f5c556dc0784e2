#include "command/options/readers.hpp"
#include "command/options/table.hpp"
#include "fairlane/command/settings.hpp"

namespace fairlane::command {
namespace {

using namespace rows;

constexpr Option kRows[] = {
    {.name = "bind",
     .kind = OptionKind::words,
     .initial = "* -::*",
     .help =
         "Addresses to listen on; '*' and '::*' are all of them, a leading '-' forgives an address that is not there.",
     .read = read_addresses,
     .apply = [](Settings& settings, const OptionValue& value) { settings.bind = words_of(value.text); }},
    text("bind-source-addr", "", "Address that outgoing connections come from (kept; there are none)."),
    boolean("protected-mode", "yes", "Turns clients of other machines away as long as no password is set.",
            [](Settings& settings, const OptionValue& value) { settings.protected_mode = value.number != 0; }),
    integer("port", "6379", 0, kPortMost, "TCP port; 0 listens on the Unix socket only, or on a free port without one.",
            [](Settings& settings, const OptionValue& value) { settings.port = value.number; }),
    integer(
        "tcp-backlog", "511", 0, kIntMost, "Connections that the system may hold ready before they are accepted.",
        [](Settings& settings, const OptionValue& value) { settings.tcp_backlog = value.number; },
        OptionFlag::immutable),
    text(
        "unixsocket", "", "Path of a Unix socket to listen on.",
        [](Settings& settings, const OptionValue& value) { settings.unix_socket = value.text; }, OptionFlag::immutable),
    {.name = "unixsocketperm",
     .kind = OptionKind::octal,
     .initial = "0",
     .help = "Permissions of the Unix socket in octal; 0 leaves them to the umask.",
     .flags = OptionFlag::immutable,
     .high = 0777,
     .apply = [](Settings& settings, const OptionValue& value) { settings.unix_permissions = value.number; }},
    integer("timeout", "0", 0, kIntMost, "Seconds after which an idle client is disconnected; 0 is never.",
            [](Settings& settings, const OptionValue& value) { settings.timeout_seconds = value.number; }),
    integer("tcp-keepalive", "300", 0, kIntMost, "Idle seconds after which the system probes a connection; 0 is never.",
            [](Settings& settings, const OptionValue& value) { settings.tcp_keepalive_seconds = value.number; }),
    integer("socket-mark-id", "0", 0, 4294967295, "Mark of the listening sockets for the packet filter (kept).",
            nullptr, OptionFlag::immutable),
};

}  // namespace

OptionSection network_options() { return {"Network", kRows}; }

}  // namespace fairlane::command
