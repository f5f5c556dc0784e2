#include <algorithm>

#include "command/info_sections.hpp"
#include "command/load_meter.hpp"
#include "command/memory_overhead.hpp"
#include "command/script/scripts.hpp"
#include "fairlane/base/memory_use.hpp"
#include "fairlane/command/services.hpp"
#include "fairlane/command/settings.hpp"

namespace fairlane::command {
namespace {

double ratio(std::size_t part, std::size_t whole) noexcept {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string percent(std::size_t part, std::size_t whole) {
  char text[32];
  const int size = std::snprintf(text, sizeof(text), "%.2f%%", ratio(part, whole) * 100);
  return {text, static_cast<std::size_t>(size)};
}

std::int64_t difference(std::size_t value, std::size_t less) noexcept {
  return static_cast<std::int64_t>(value) - static_cast<std::int64_t>(less);
}

void write_scripts(Context& ctx, InfoText& text) {
  const Services& services = ctx.services;
  const bool able = services.script_engine != nullptr;
  const std::size_t eval = able ? services.script_engine->script_memory() : 0;
  const std::size_t functions = able ? services.script_engine->function_memory() : 0;
  Libraries& libraries = services.scripts->libraries();
  text.add("used_memory_lua", std::uint64_t{eval});
  text.add("used_memory_vm_eval", std::uint64_t{eval});
  text.add_human("used_memory_lua", eval);
  text.add("used_memory_scripts_eval", std::uint64_t{services.scripts->memory()});
  text.add("number_of_cached_scripts", std::uint64_t{services.scripts->size()});
  text.add("number_of_functions", std::uint64_t{libraries.functions()});
  text.add("number_of_libraries", std::uint64_t{libraries.all().size()});
  text.add("used_memory_vm_functions", std::uint64_t{functions});
  text.add_bytes("used_memory_vm_total", eval + functions);
  text.add("used_memory_functions", std::uint64_t{libraries.memory()});
  text.add_bytes("used_memory_scripts", services.scripts->memory() + libraries.memory());
}

}  // namespace

void write_memory(Context& ctx, InfoText& text) {
  const base::MemoryUse use = base::memory_use();
  const Overhead overhead = overhead_of(ctx.services);
  const std::size_t peak = std::max(ctx.services.load != nullptr ? ctx.services.load->peak_memory() : 0, use.allocated);
  const std::size_t data = use.allocated > overhead.total() ? use.allocated - overhead.total() : 0;
  text.section("Memory");
  text.add_bytes("used_memory", use.allocated);
  text.add_bytes("used_memory_rss", use.process);
  text.add_bytes("used_memory_peak", peak);
  text.add("used_memory_peak_perc", percent(use.allocated, peak));
  text.add("used_memory_overhead", std::uint64_t{overhead.total()});
  text.add("used_memory_startup", std::uint64_t{overhead.at_start});
  text.add("used_memory_dataset", std::uint64_t{data});
  text.add("used_memory_dataset_perc",
           percent(data, use.allocated > overhead.at_start ? use.allocated - overhead.at_start : 0));
  text.add("allocator_allocated", std::uint64_t{use.allocated});
  text.add("allocator_active", std::uint64_t{use.active});
  text.add("allocator_resident", std::uint64_t{use.resident});
  text.add_bytes("total_system_memory", base::machine_memory());
  write_scripts(ctx, text);
  text.add_bytes("maxmemory", ctx.services.settings.maxmemory);
  text.add("maxmemory_policy", ctx.services.settings.maxmemory_policy);
  text.add("allocator_frag_ratio", ratio(use.active, use.allocated), 2);
  text.add("allocator_frag_bytes", difference(use.active, use.allocated));
  text.add("allocator_rss_ratio", ratio(use.resident, use.active), 2);
  text.add("allocator_rss_bytes", difference(use.resident, use.active));
  text.add("rss_overhead_ratio", ratio(use.process, use.resident), 2);
  text.add("rss_overhead_bytes", difference(use.process, use.resident));
  text.add("mem_fragmentation_ratio", ratio(use.process, use.allocated), 2);
  text.add("mem_fragmentation_bytes", difference(use.process, use.allocated));
  text.add("mem_not_counted_for_evict", 0);
  text.add("mem_replication_backlog", 0);
  text.add("mem_total_replication_buffers", 0);
  text.add("mem_clients_slaves", 0);
  text.add("mem_clients_normal", std::uint64_t{overhead.clients});
  text.add("mem_cluster_links", 0);
  text.add("mem_aof_buffer", 0);
  text.add("mem_allocator", base::allocator_version());
  for (const char* name : {"active_defrag_running", "lazyfree_pending_objects", "lazyfreed_objects"}) text.add(name, 0);
}

}  // namespace fairlane::command
