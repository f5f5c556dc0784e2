#include "command/info_sections.hpp"
#include "command/eviction.hpp"
#include "command/tracking.hpp"

#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>

#include "command/load_meter.hpp"
#include "fairlane/base/memory_use.hpp"
#include "fairlane/base/number.hpp"
#include "fairlane/command/options.hpp"
#include "fairlane/command/services.hpp"
#include "fairlane/command/sessions.hpp"
#include "fairlane/command/settings.hpp"
#include "fairlane/command/version.hpp"
#include "fairlane/engine/keyspace.hpp"
#include "fairlane/engine/pubsub.hpp"
#include "fairlane/engine/wait_queue.hpp"

namespace fairlane::command {
namespace {

void add_zeros(InfoText& text, std::initializer_list<const char*> names) {
  for (const char* name : names) text.add(name, 0);
}

void write_server(Context& ctx, InfoText& text) {
  const Services& services = ctx.services;
  constexpr std::int64_t kSecondsADay = 24 * 60 * 60;
  const std::int64_t uptime = (ctx.now - base::unix_millis(services.facts.started)) / 1000;
  utsname system{};
  ::uname(&system);
  text.section("Server");
  text.add("redis_version", kRedisVersion);
  text.add("redis_git_sha1", "00000000");
  text.add("redis_git_dirty", 0);
  text.add("redis_build_id", "0");
  text.add("redis_mode", "standalone");
  text.add("fairlane_version", kFairlaneVersion);
  text.add("os", std::string(system.sysname) + " " + system.release + " " + system.machine);
  text.add("arch_bits", 64);
  text.add("monotonic_clock", "POSIX clock_gettime");
  text.add("multiplexing_api", "epoll");
  text.add("atomicvar_api", "c11-builtin");
#ifdef __clang__
  text.add("gcc_version", "0.0.0");
#else
  text.add("gcc_version", __VERSION__);
#endif
  text.add("process_id", static_cast<std::int64_t>(::getpid()));
  text.add("process_supervised", "no");
  text.add("run_id", services.facts.run_id);
  text.add("tcp_port", services.settings.port);
  text.add("server_time_usec", services.clock.wall_micros());
  text.add("uptime_in_seconds", uptime);
  text.add("uptime_in_days", uptime / kSecondsADay);
  const Option* rounds = services.options != nullptr ? Options::find("hz") : nullptr;
  const std::string hz = rounds != nullptr ? services.options->text(*rounds) : "10";
  text.add("hz", hz);
  text.add("configured_hz", hz);
  text.add("lru_clock", std::int64_t{services.keyspace.shared().access_clock & 0xFFFFFF});
  text.add("executable", services.facts.executable);
  text.add("config_file", services.facts.config_file);
  text.add("io_threads_active", 0);
}

void write_clients(Context& ctx, InfoText& text) {
  const Services& services = ctx.services;
  std::size_t input = 0;
  std::size_t output = 0;
  std::size_t timed = 0;
  services.sessions.for_each([&](const Session& session) {
    input = std::max(input, session.query_buffer + session.query_buffer_free);
    output = std::max(output, session.out.capacity());
    if (session.waiting && session.waiting->has_timer) ++timed;
  });
  text.section("Clients");
  text.add("connected_clients", std::uint64_t{services.sessions.size()});
  text.add("cluster_connections", 0);
  text.add("maxclients", services.settings.maxclients);
  text.add("client_recent_max_input_buffer", std::uint64_t{input});
  text.add("client_recent_max_output_buffer", std::uint64_t{output});
  text.add("blocked_clients", std::uint64_t{services.waits.waiting_sessions()});
  text.add("tracking_clients", std::uint64_t{ctx.services.tracking->clients()});
  text.add("clients_in_timeout_table", std::uint64_t{timed});
}

void write_persistence(Context& ctx, InfoText& text) {
  const Services& services = ctx.services;
  text.section("Persistence");
  add_zeros(text, {"loading", "async_loading", "current_cow_peak", "current_cow_size", "current_cow_size_age"});
  text.add("current_fork_perc", "0.00");
  add_zeros(text, {"current_save_keys_processed", "current_save_keys_total"});
  text.add("rdb_changes_since_last_save", services.keyspace.shared().changes.modifications());
  text.add("rdb_bgsave_in_progress", 0);
  text.add("rdb_last_save_time", base::unix_millis(services.facts.started) / 1000);
  text.add("rdb_last_bgsave_status", "ok");
  text.add("rdb_last_bgsave_time_sec", -1);
  text.add("rdb_current_bgsave_time_sec", -1);
  add_zeros(text, {"rdb_saves", "rdb_last_cow_size", "rdb_last_load_keys_expired", "rdb_last_load_keys_loaded",
                   "aof_enabled", "aof_rewrite_in_progress", "aof_rewrite_scheduled"});
  text.add("aof_last_rewrite_time_sec", -1);
  text.add("aof_current_rewrite_time_sec", -1);
  text.add("aof_last_bgrewrite_status", "ok");
  add_zeros(text, {"aof_rewrites", "aof_rewrites_consecutive_failures"});
  text.add("aof_last_write_status", "ok");
  add_zeros(text, {"aof_last_cow_size", "module_fork_in_progress", "module_fork_last_cow_size"});
}

void write_load(Context& ctx, InfoText& text) {
  const LoadMeter::Rates rates = ctx.services.load != nullptr ? ctx.services.load->rates() : LoadMeter::Rates{};
  const ServerStats& stats = ctx.services.stats;
  constexpr double kKilo = 1024;
  text.add("total_connections_received", stats.connections_received);
  text.add("total_commands_processed", stats.commands_processed);
  text.add("instantaneous_ops_per_sec", static_cast<std::int64_t>(rates.commands));
  text.add("total_net_input_bytes", stats.bytes_in);
  text.add("total_net_output_bytes", stats.bytes_out);
  add_zeros(text, {"total_net_repl_input_bytes", "total_net_repl_output_bytes"});
  text.add("instantaneous_input_kbps", rates.bytes_in / kKilo, 2);
  text.add("instantaneous_output_kbps", rates.bytes_out / kKilo, 2);
  text.add("instantaneous_input_repl_kbps", "0.00");
  text.add("instantaneous_output_repl_kbps", "0.00");
  text.add("rejected_connections", stats.connections_rejected);
}

void write_stats(Context& ctx, InfoText& text) {
  using engine::Topic;
  const Services& services = ctx.services;
  const engine::Shared& shared = services.keyspace.shared();
  text.section("Stats");
  write_load(ctx, text);
  add_zeros(text, {"sync_full", "sync_partial_ok", "sync_partial_err"});
  text.add("expired_keys", shared.expired);
  text.add("expired_stale_perc", "0.00");
  add_zeros(text, {
                      "expired_time_cap_reached_count",
                      "expire_cycle_cpu_milliseconds",
                  });
  text.add("evicted_keys", services.stats.evicted_keys);
  text.add("evicted_clients", services.stats.evicted_clients);
  text.add("total_eviction_exceeded_time", services.eviction->total_excess());
  text.add("current_eviction_exceeded_time", services.eviction->current_excess());
  text.add("keyspace_hits", shared.hits);
  text.add("keyspace_misses", shared.misses);
  text.add("pubsub_channels", std::uint64_t{services.pubsub.names(Topic::channel)});
  text.add("pubsub_patterns", std::uint64_t{services.pubsub.names(Topic::pattern)});
  text.add("pubsubshard_channels", std::uint64_t{services.pubsub.names(Topic::shard)});
  add_zeros(text, {
                      "latest_fork_usec",
                      "total_forks",
                      "migrate_cached_sockets",
                      "slave_expires_tracked_keys",
                      "active_defrag_hits",
                      "active_defrag_misses",
                      "active_defrag_key_hits",
                      "active_defrag_key_misses",
                      "total_active_defrag_time",
                      "current_active_defrag_time",
                  });
  text.add("tracking_total_keys", std::uint64_t{services.tracking->keys()});
  text.add("tracking_total_items", std::uint64_t{services.tracking->items()});
  text.add("tracking_total_prefixes", std::uint64_t{services.tracking->prefixes()});
  add_zeros(text, {"unexpected_error_replies"});
  text.add("total_error_replies", services.stats.errors);
  text.add("dump_payload_sanitizations", 0);
  text.add("total_reads_processed", services.stats.reads);
  text.add("total_writes_processed", services.stats.writes);
  add_zeros(text, {"io_threaded_reads_processed", "io_threaded_writes_processed", "reply_buffer_shrinks",
                   "reply_buffer_expands"});
}

void write_replication(Context& ctx, InfoText& text) {
  text.section("Replication");
  text.add("role", "master");
  text.add("connected_slaves", 0);
  if (ctx.services.settings.too_few_replicas()) text.add("min_slaves_good_slaves", 0);
  text.add("master_failover_state", "no-failover");
  text.add("master_replid", ctx.services.facts.run_id);
  text.add("master_replid2", std::string(ctx.services.facts.run_id.size(), '0'));
  text.add("master_repl_offset", 0);
  text.add("second_repl_offset", -1);
  text.add("repl_backlog_active", 0);
  text.add("repl_backlog_size", 1048576);
  add_zeros(text, {"repl_backlog_first_byte_offset", "repl_backlog_histlen"});
}

void write_cpu(Context&, InfoText& text) {
  constexpr int kDigits = 6;
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  rusage own{};
  rusage children{};
  rusage thread{};
  ::getrusage(RUSAGE_SELF, &own);
  ::getrusage(RUSAGE_CHILDREN, &children);
  ::getrusage(RUSAGE_THREAD, &thread);
  text.section("CPU");
  text.add("used_cpu_sys", seconds(own.ru_stime), kDigits);
  text.add("used_cpu_user", seconds(own.ru_utime), kDigits);
  text.add("used_cpu_sys_children", seconds(children.ru_stime), kDigits);
  text.add("used_cpu_user_children", seconds(children.ru_utime), kDigits);
  text.add("used_cpu_sys_main_thread", seconds(thread.ru_stime), kDigits);
  text.add("used_cpu_user_main_thread", seconds(thread.ru_utime), kDigits);
}

void write_modules(Context&, InfoText& text) { text.section("Modules"); }

void write_cluster(Context&, InfoText& text) {
  text.section("Cluster");
  text.add("cluster_enabled", 0);
}

void write_keyspace(Context& ctx, InfoText& text) {
  text.section("Keyspace");
  const engine::Keyspace& keyspace = ctx.services.keyspace;
  for (engine::DbIndex index = 0; index < keyspace.count(); ++index) {
    const engine::Database& database = keyspace.at(index);
    if (database.size() == 0) continue;
    const std::size_t with_deadline = database.expiry().size();
    const double left = database.expiry().average_deadline() - static_cast<double>(ctx.now);
    const std::int64_t average = with_deadline == 0 ? 0 : static_cast<std::int64_t>(std::max(left, 0.0));
    std::string value = "keys=";
    value.append(base::NumberText(database.size()).view()).append(",expires=");
    value.append(base::NumberText(with_deadline).view()).append(",avg_ttl=");
    value.append(base::NumberText(average).view());
    text.add("db" + std::to_string(index), value);
  }
}

constexpr InfoSection kSections[] = {
    {"server", write_server, true},
    {"clients", write_clients, true},
    {"memory", write_memory, true},
    {"persistence", write_persistence, true},
    {"stats", write_stats, true},
    {"replication", write_replication, true},
    {"cpu", write_cpu, true},
    {"modules", write_modules, true},
    {"commandstats", write_command_stats, false},
    {"errorstats", write_error_stats, true},
    {"latencystats", write_latency_stats, false},
    {"cluster", write_cluster, true},
    {"keyspace", write_keyspace, true},
};

}  // namespace

std::span<const InfoSection> info_sections() noexcept { return kSections; }

}  // namespace fairlane::command
