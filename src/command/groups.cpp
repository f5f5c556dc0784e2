#include "command/groups.hpp"

namespace fairlane::command {
namespace {

// clang-format off
constexpr GroupCommands kGroups[] = {
    acl_commands,
    client_commands,
    client_tracking_commands,
    bitfield_commands,
    bitmap_commands,
    cluster_commands,
    command_commands,
    config_commands,
    connection_commands,
    database_commands,
    debug_commands,
    dump_commands,
    expire_commands,
    generic_commands,
    hash_commands,
    hash_expire_commands,
    hash_expiring_value_commands,
    hash_many_commands,
    geo_commands,
    geo_search_commands,
    hyperloglog_commands,
    info_commands,
    lane_commands,
    lane_config_commands,
    lane_control_commands,
    lane_id_commands,
    lane_inspect_commands,
    lane_settle_commands,
    latency_commands,
    list_blocking_commands,
    list_commands,
    memory_commands,
    migrate_commands,
    monitor_commands,
    object_commands,
    pubsub_commands,
    scan_commands,
    scripting_commands,
    scripting_function_commands,
    server_commands,
    set_combine_commands,
    set_commands,
    set_random_commands,
    slowlog_commands,
    sort_commands,
    stream_commands,
    stream_group_commands,
    stream_info_commands,
    stream_pending_commands,
    stream_read_commands,
    string_commands,
    string_lcs_commands,
    string_number_commands,
    string_range_commands,
    transaction_commands,
    zset_combine_commands,
    zset_pop_commands,
    zset_range_commands,
    zset_read_commands,
    zset_write_commands,
};
// clang-format on

}  // namespace

std::span<const GroupCommands> all_groups() { return kGroups; }

}  // namespace fairlane::command
