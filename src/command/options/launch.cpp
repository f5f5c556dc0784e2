#include "command/options/table.hpp"
#include "fairlane/command/settings.hpp"

namespace fairlane::command {
namespace {

using namespace rows;

// redis-server knows none of these, so a look at all options does not show them.
constexpr OptionFlag kLaunch = OptionFlag::immutable | OptionFlag::hidden | OptionFlag::launch;

constexpr Option kRows[] = {
    boolean(
        "ready-json", "no", "Prints a line of JSON when the server listens: pid, host, port, url.",
        [](Settings& settings, const OptionValue& value) { settings.ready_json = value.number != 0; }, kLaunch),
    text(
        "ready-file", "", "File that this line is written to, at once as a whole.",
        [](Settings& settings, const OptionValue& value) { settings.ready_file = value.text; }, kLaunch),
    boolean(
        "exit-with-parent", "no", "Ends when the process that started the server has ended.",
        [](Settings& settings, const OptionValue& value) { settings.exit_with_parent = value.number != 0; }, kLaunch),
    boolean(
        "exit-on-stdin-eof", "no", "Ends when standard input does.",
        [](Settings& settings, const OptionValue& value) { settings.exit_on_input_end = value.number != 0; }, kLaunch),
    integer(
        "max-lifetime", "0", 0, kIntMost, "Seconds after which the server ends; 0 is never.",
        [](Settings& settings, const OptionValue& value) { settings.max_lifetime_seconds = value.number; }, kLaunch),
};

}  // namespace

OptionSection launch_options() { return {"Launch", kRows}; }

}  // namespace fairlane::command
