#pragma once

#include <optional>
#include <string>
#include <variant>

#include "fairlane/engine/entry.hpp"
#include "fairlane/rdb/reader.hpp"
#include "fairlane/rdb/writer.hpp"

/// Values of every type in the format of Redis' snapshots: what a key holds, without its name and its deadline.
namespace fairlane::rdb {

using Value = std::variant<std::string, data::List, data::Set, data::SortedSet, data::Hash, data::Stream>;

/// Up to where values are kept packed, as their types take it.
struct ReadLimits {
  data::Set::Limits set;
  data::SortedSet::Limits sorted_set;
  data::Hash::Limits hash;
};

/// A new entry that holds the value, which is moved from; with room for a deadline where one is wanted.
engine::Entry* make_entry(std::string_view key, Value& value, bool with_deadline);

/// Writes the kind of value and the value, in the form in which redis-server 7.0 would write one of this OBJECT
/// ENCODING.
void write_value(Writer& out, const engine::Entry& entry);

/// The bytes of a value so written, without its kind.
std::size_t value_size(const engine::Entry& entry, const WriteRules& rules);

/// Reads what any redis-server up to 7.2 may have written. Every byte is looked at: nothing when something is not as it
/// must be, the value is empty or it has a member twice. The reader then stands anywhere.
std::optional<Value> read_value(Reader& in, const ReadLimits& limits);

}  // namespace fairlane::rdb
