#pragma once

#include <optional>

#include "fairlane/data/stream.hpp"
#include "fairlane/rdb/reader.hpp"
#include "fairlane/rdb/writer.hpp"
#include "rdb/format.hpp"

namespace fairlane::rdb {

/// A stream without the byte that says so: its blocks, each under the id of its first entry, its counters, its groups.
void write_stream(Writer& out, const data::Stream& stream);

/// Of one of the three kinds of stream.
std::optional<data::Stream> read_stream(Reader& in, Kind kind);

}  // namespace fairlane::rdb
