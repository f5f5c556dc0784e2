#pragma once

#include <span>

#include "fairlane/command/spec.hpp"

/// The arrays at the foot of the files below groups/.
namespace fairlane::command {

using GroupCommands = std::span<const Spec> (*)();

/// Every group of the server. The list is explicit: a static library drops files that only register themselves.
std::span<const GroupCommands> all_groups();

std::span<const Spec> acl_commands();
std::span<const Spec> client_commands();
std::span<const Spec> cluster_commands();
std::span<const Spec> command_commands();
std::span<const Spec> config_commands();
std::span<const Spec> client_tracking_commands();
std::span<const Spec> connection_commands();
std::span<const Spec> bitfield_commands();
std::span<const Spec> bitmap_commands();
std::span<const Spec> geo_commands();
std::span<const Spec> geo_search_commands();
std::span<const Spec> database_commands();
std::span<const Spec> debug_commands();
std::span<const Spec> dump_commands();
std::span<const Spec> expire_commands();
std::span<const Spec> generic_commands();
std::span<const Spec> hash_commands();
std::span<const Spec> hash_expire_commands();
std::span<const Spec> hash_expiring_value_commands();
std::span<const Spec> hash_many_commands();
std::span<const Spec> hyperloglog_commands();
std::span<const Spec> info_commands();
std::span<const Spec> lane_commands();
std::span<const Spec> lane_config_commands();
std::span<const Spec> lane_control_commands();
std::span<const Spec> lane_id_commands();
std::span<const Spec> lane_inspect_commands();
std::span<const Spec> lane_settle_commands();
std::span<const Spec> latency_commands();
std::span<const Spec> list_blocking_commands();
std::span<const Spec> list_commands();
std::span<const Spec> memory_commands();
std::span<const Spec> migrate_commands();
std::span<const Spec> monitor_commands();
std::span<const Spec> object_commands();
std::span<const Spec> pubsub_commands();
std::span<const Spec> scan_commands();
std::span<const Spec> scripting_commands();
std::span<const Spec> scripting_function_commands();
std::span<const Spec> server_commands();
std::span<const Spec> set_combine_commands();
std::span<const Spec> set_commands();
std::span<const Spec> set_random_commands();
std::span<const Spec> slowlog_commands();
std::span<const Spec> sort_commands();
std::span<const Spec> stream_commands();
std::span<const Spec> stream_group_commands();
std::span<const Spec> stream_info_commands();
std::span<const Spec> stream_pending_commands();
std::span<const Spec> stream_read_commands();
std::span<const Spec> string_commands();
std::span<const Spec> string_lcs_commands();
std::span<const Spec> string_number_commands();
std::span<const Spec> string_range_commands();
std::span<const Spec> transaction_commands();
std::span<const Spec> zset_combine_commands();
std::span<const Spec> zset_pop_commands();
std::span<const Spec> zset_range_commands();
std::span<const Spec> zset_read_commands();
std::span<const Spec> zset_write_commands();

}  // namespace fairlane::command
