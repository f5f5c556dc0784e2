#include <algorithm>
#include <limits>

#include "command/options/table.hpp"
#include "fairlane/command/settings.hpp"

namespace fairlane::command {
namespace {

using namespace rows;

constexpr std::uint32_t limit(const OptionValue& value) noexcept {
  constexpr std::int64_t kLargest = std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(std::min(value.number, kLargest));
}

constexpr Option kRows[] = {
    also(
        "hash-max-ziplist-entries",
        integer("hash-max-listpack-entries", "512", 0, kLongMost, "Most fields of a hash that is kept packed.",
                [](Settings& settings, const OptionValue& value) { settings.hash.max_packed_entries = limit(value); })),
    also("hash-max-ziplist-value",
         memory("hash-max-listpack-value", "64", 0, "Longest field or value of a hash that is kept packed.",
                [](Settings& settings, const OptionValue& value) { settings.hash.max_packed_value = limit(value); })),
    also(
        "list-max-ziplist-size",
        integer("list-max-listpack-size", "-2", kIntLeast, kIntMost,
                "Elements, or negative a size class, of a packed piece of a list (kept; pieces have their own size).")),
    integer("list-compress-depth", "0", 0, kIntMost, "Pieces at the ends of a list that stay uncompressed (kept)."),
    integer("set-max-intset-entries", "512", 0, kLongMost, "Most members of a set that is kept as sorted integers.",
            [](Settings& settings, const OptionValue& value) { settings.set.max_intset_entries = limit(value); }),
    also("zset-max-ziplist-entries",
         integer("zset-max-listpack-entries", "128", 0, kLongMost, "Most members of a sorted set that is kept packed.",
                 [](Settings& settings, const OptionValue& value) {
                   settings.sorted_set.max_packed_entries = limit(value);
                 })),
    also("zset-max-ziplist-value",
         memory("zset-max-listpack-value", "64", 0, "Longest member of a sorted set that is kept packed.",
                [](Settings& settings, const OptionValue& value) {
                  settings.sorted_set.max_packed_value = limit(value);
                })),
    memory("hll-sparse-max-bytes", "3000", 0, "Largest HyperLogLog that is kept sparse.",
           [](Settings& settings, const OptionValue& value) {
             settings.sketch_sparse_bytes = static_cast<std::size_t>(value.number);
           }),
    memory("stream-node-max-bytes", "4096", 0, "Largest block of a stream; 0 is no limit.",
           [](Settings& settings, const OptionValue& value) {
             settings.stream.bytes = static_cast<std::size_t>(value.number);
           }),
    integer("stream-node-max-entries", "100", 0, kLongMost, "Most entries of a block of a stream; 0 is no limit.",
            [](Settings& settings, const OptionValue& value) {
              settings.stream.entries = static_cast<std::size_t>(value.number);
            }),
};

}  // namespace

OptionSection value_options() { return {"Values", kRows}; }

}  // namespace fairlane::command
