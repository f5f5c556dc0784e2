#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "fairlane/data/hash.hpp"
#include "fairlane/data/set.hpp"
#include "fairlane/data/sorted_set.hpp"
#include "fairlane/protocol/request_parser.hpp"

namespace fairlane::command {

/// How much may wait to be sent to a client that does not read as fast: over `hard` bytes it is closed at once, over
/// `soft` bytes when that lasts longer than `soft_seconds`. 0 is no limit.
struct OutputLimit {
  std::int64_t hard = 0;
  std::int64_t soft = 0;
  std::int64_t soft_seconds = 0;
};

/// What an output limit applies to, and the TYPE of CLIENT LIST and CLIENT KILL. There are no replicas (yet).
enum class ClientClass : std::uint8_t { normal, replica, pubsub };

/// The values of the options that running code looks at. Written by the option table (options.hpp) alone.
struct Settings {
  std::int64_t databases = 16;
  std::string requirepass;
  std::int64_t maxclients = 10000;
  std::int64_t timeout_seconds = 0;  ///< idle clients are closed after it; 0 never
  protocol::RequestLimits limits;
  std::int64_t query_buffer_limit = 1024LL * 1024 * 1024;
  std::array<OutputLimit, 3> output_limits = {
      {{}, {256LL << 20, 64LL << 20, 60}, {32LL << 20, 8LL << 20, 60}}};  ///< by ClientClass
  std::int64_t tcp_keepalive_seconds = 300;                               ///< 0: no probes

  data::Hash::Limits hash;
  data::Set::Limits set;
  data::SortedSet::Limits sorted_set;

  std::int64_t slowlog_slower_than_micros = 10000;  ///< negative: never
  std::int64_t slowlog_max_len = 128;
  std::string notify_keyspace_events;
  bool active_expiry = true;
};

}  // namespace fairlane::command
