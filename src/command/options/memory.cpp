#include "command/options/table.hpp"
#include "fairlane/command/settings.hpp"

namespace fairlane::command {
namespace {

using namespace rows;

constexpr std::string_view kPolicies[] = {"volatile-lru", "volatile-lfu", "volatile-random", "volatile-ttl",
                                          "allkeys-lru",  "allkeys-lfu",  "allkeys-random",  "noeviction"};

using Order = EvictionPolicy::Order;

// In the order of kPolicies.
constexpr EvictionPolicy kEvictionPolicies[] = {{Order::least_recent, true},  {Order::least_frequent, true},
                                                {Order::by_chance, true},     {Order::nearest_deadline, true},
                                                {Order::least_recent, false}, {Order::least_frequent, false},
                                                {Order::by_chance, false},    {Order::none, false}};

void apply_policy(Settings& settings, const OptionValue& value) {
  const auto index = static_cast<std::size_t>(value.number);
  settings.maxmemory_policy = kPolicies[index];
  settings.eviction = kEvictionPolicies[index];
  settings.access_rule.counted = settings.eviction.order == Order::least_frequent;
}

constexpr Option kRows[] = {
    {.name = "maxmemory",
     .kind = OptionKind::memory,
     .initial = "0",
     .help = "Memory that the data may take; 0 is no limit.",
     .flags = OptionFlag::any_unsigned,
     .apply = [](Settings& settings,
                 const OptionValue& value) { settings.maxmemory = static_cast<std::uint64_t>(value.number); }},
    choice(
        "maxmemory-policy", "noeviction", kPolicies,
        "What gives way when the memory is full: nothing, keys with a deadline or all keys; the least recently used, "
        "the least often used, any, or that with the nearest deadline.",
        apply_policy),
    integer("maxmemory-samples", "5", 1, kIntMost, "Keys of each database looked at to choose one that gives way.",
            [](Settings& settings, const OptionValue& value) { settings.eviction_samples = value.number; }),
    integer("maxmemory-eviction-tenacity", "10", 0, 100,
            "How long room is made before a command is served, from 0 to 100 (until there is room).",
            [](Settings& settings, const OptionValue& value) { settings.eviction_tenacity = value.number; }),
    integer("lfu-log-factor", "10", 0, kIntMost, "How slowly the count of a key's uses grows.",
            [](Settings& settings, const OptionValue& value) { settings.access_rule.log_factor = value.number; }),
    integer("lfu-decay-time", "1", 0, kIntMost, "Minutes in which the count of a key's uses falls by one; 0 is never.",
            [](Settings& settings, const OptionValue& value) { settings.access_rule.decay_minutes = value.number; }),
    integer("active-expire-effort", "1", 1, 10, "How hard keys past their time are looked for (kept; all are found)."),
    boolean("lazyfree-lazy-eviction", "no", "Frees keys that give way in the background (kept)."),
    boolean("lazyfree-lazy-expire", "no", "Frees keys past their time in the background (kept)."),
    boolean("lazyfree-lazy-server-del", "no", "Frees overwritten values in the background (kept)."),
    boolean("lazyfree-lazy-user-del", "no", "Lets DEL free in the background (kept)."),
    boolean("lazyfree-lazy-user-flush", "no", "Lets FLUSHALL and FLUSHDB free in the background (kept)."),
    boolean("activerehashing", "yes", "Rehashes tables in idle time (kept; tables grow step by step)."),
    boolean("activedefrag", "no", "Moves values to free fragmented memory (kept)."),
    memory("active-defrag-ignore-bytes", "104857600", 1, "Fragmentation that is not worth moving anything (kept)."),
    integer("active-defrag-threshold-lower", "10", 0, 1000, "Per cent of fragmentation at which moving begins (kept)."),
    integer("active-defrag-threshold-upper", "100", 0, 1000, "Per cent of fragmentation for full effort (kept)."),
    integer("active-defrag-cycle-min", "1", 1, 99, "Least per cent of the processor for moving (kept)."),
    integer("active-defrag-cycle-max", "25", 1, 99, "Most per cent of the processor for moving (kept)."),
    integer("active-defrag-max-scan-fields", "1000", 1, kLongMost, "Largest value that is moved in one go (kept)."),
    boolean("jemalloc-bg-thread", "yes", "Lets the allocator purge in a thread of its own (kept)."),
};

}  // namespace

OptionSection memory_options() { return {"Memory", kRows}; }

}  // namespace fairlane::command
