#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "fairlane/data/hash.hpp"
#include "fairlane/data/set.hpp"
#include "fairlane/data/sorted_set.hpp"
#include "fairlane/data/stream.hpp"
#include "fairlane/engine/access.hpp"
#include "fairlane/protocol/request_parser.hpp"
#include "fairlane/rdb/writer.hpp"

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

/// Where a command that shows or breaks the inside of the server may come from.
enum class Allowance : std::uint8_t { nobody, everybody, local_clients };

/// Which keys give way when the memory is full.
struct EvictionPolicy {
  enum class Order : std::uint8_t { none, least_recent, least_frequent, by_chance, nearest_deadline };
  Order order = Order::none;
  bool only_with_deadline = false;
};

/// The values of the options that running code looks at. Written by the option table (options.hpp) alone.
struct Settings {
  std::int64_t databases = 16;
  std::string requirepass;  ///< the default user's, as it was set last
  std::string acl_file;     ///< empty: users are declared in the configuration file
  std::int64_t acl_log_max_len = 128;
  bool new_users_hear_all_channels = false;
  std::int64_t maxclients = 10000;
  std::int64_t timeout_seconds = 0;  ///< idle clients are closed after it; 0 never
  protocol::RequestLimits limits;
  std::int64_t query_buffer_limit = 1024LL * 1024 * 1024;
  std::array<OutputLimit, 3> output_limits = {
      {{}, {256LL << 20, 64LL << 20, 60}, {32LL << 20, 8LL << 20, 60}}};  ///< by ClientClass
  std::int64_t tcp_keepalive_seconds = 300;                               ///< 0: no probes
  std::int64_t port = 6379;
  std::vector<std::string> bind = {"*", "-::*"};  ///< as ListenOptions::addresses
  std::string unix_socket;
  std::int64_t unix_permissions = 0;
  std::int64_t tcp_backlog = 511;
  bool protected_mode = true;  ///< clients of other machines are turned away as long as anybody may log in

  std::int64_t log_level = 2;  ///< debug, verbose, notice, warning
  std::string log_file;        ///< empty: standard output
  bool daemonize = false;
  bool notify_supervisor = false;  ///< tell systemd how the start goes
  std::string pid_file;
  bool ready_json = false;
  std::string ready_file;
  bool exit_with_parent = false;
  bool exit_on_input_end = false;
  std::int64_t max_lifetime_seconds = 0;  ///< 0: for ever
  Allowance debug_command = Allowance::nobody;
  Allowance protected_options = Allowance::nobody;

  data::Hash::Limits hash;
  data::Set::Limits set;
  data::SortedSet::Limits sorted_set;
  data::Stream::Limits stream;
  std::size_t sketch_sparse_bytes = 3000;  ///< a longer HyperLogLog becomes dense
  rdb::WriteRules dump;

  std::uint64_t maxmemory = 0;
  std::string maxmemory_policy = "noeviction";
  EvictionPolicy eviction;
  std::int64_t eviction_samples = 5;
  std::int64_t eviction_tenacity = 10;
  engine::AccessRule access_rule;      ///< counted where the policy counts accesses
  std::int64_t maxmemory_clients = 0;  ///< bytes of all clients together; below 0: per cent of maxmemory; 0: no limit

  std::int64_t slowlog_slower_than_micros = 10000;  ///< negative: never
  std::int64_t slowlog_max_len = 128;
  std::string notify_keyspace_events;         ///< class letters, "A" written out
  std::int64_t latency_threshold_millis = 0;  ///< 0: the latency monitor is off
  bool latency_tracking = true;
  std::vector<double> latency_percentiles = {50, 99, 99.9};
  bool active_expiry = true;
  std::int64_t tracking_table_max_keys = 1000000;   ///< remembered for clients that cache; 0: no limit
  std::int64_t busy_reply_threshold_millis = 5000;  ///< after which others are served beside a script
  std::uint64_t script_memory_limit = 0;            ///< bytes that scripts, and functions, may each hold; 0: no limit

  std::int64_t min_replicas = 0;
  std::int64_t min_replicas_max_lag = 10;  ///< 0: replicas are not counted
  /// There are no replicas: writes are refused when any are asked for.
  bool too_few_replicas() const noexcept { return min_replicas > 0 && min_replicas_max_lag > 0; }
};

}  // namespace fairlane::command
