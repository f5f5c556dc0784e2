#pragma once

#include <cstdint>
#include <string>

#include "fairlane/data/hash.hpp"
#include "fairlane/data/set.hpp"
#include "fairlane/data/sorted_set.hpp"
#include "fairlane/protocol/request_parser.hpp"

namespace fairlane::command {

/// The values of the options that running code looks at. Written by the option table (options.hpp) alone.
struct Settings {
  std::int64_t databases = 16;
  std::string requirepass;
  std::int64_t maxclients = 10000;
  std::int64_t timeout_seconds = 0;  ///< idle clients are closed after it; 0 never
  protocol::RequestLimits limits;
  std::int64_t query_buffer_limit = 1024LL * 1024 * 1024;

  data::Hash::Limits hash;
  data::Set::Limits set;
  data::SortedSet::Limits sorted_set;

  std::int64_t slowlog_slower_than_micros = 10000;  ///< negative: never
  std::int64_t slowlog_max_len = 128;
  std::string notify_keyspace_events;
  bool active_expiry = true;
};

}  // namespace fairlane::command
