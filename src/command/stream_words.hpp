#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fairlane/command/args.hpp"
#include "fairlane/command/context.hpp"
#include "fairlane/data/stream.hpp"

/// Reading and writing what stream commands share.
namespace fairlane::command {

inline constexpr std::string_view kBadStreamId = "ERR Invalid stream ID specified as stream command argument";

/// "5-1", or "5" with the number that is missing. Nothing when it is no id.
std::optional<data::StreamId> parse_stream_id(std::string_view text, std::uint64_t missing);
/// The same; also "-" and "+" for the ends of all ids.
std::optional<data::StreamId> parse_stream_place(std::string_view text, std::uint64_t missing);
/// The next word as an id.
data::StreamId stream_id(Args& args, std::uint64_t missing = 0);
/// Ends of a range: places, and with a "(" before them the ids behind or before.
data::StreamId stream_range_start(Args& args);
data::StreamId stream_range_end(Args& args);

void write_stream_id(protocol::Reply& reply, data::StreamId id);
/// [id, [field, value, ...]]
void write_stream_entry(protocol::Reply& reply, const data::StreamEntry& entry);
/// At most so many entries, from the first or from the last on; 0 is no limit.
void write_stream_range(protocol::Reply& reply, const data::Stream& stream, data::StreamId first, data::StreamId last,
                        std::uint64_t count, bool reverse = false);

/// A word as errors show it: Redis cuts it at its first NUL.
std::string quoted_in_stream_error(std::string_view word);
std::string no_such_group(std::string_view key, std::string_view group);
/// With the command's name behind it.
std::string no_such_key_or_group(std::string_view key, std::string_view group);

}  // namespace fairlane::command
