#include <benchmark/benchmark.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "fairlane/data/hash.hpp"
#include "fairlane/data/set.hpp"
#include "fairlane/data/table.hpp"

namespace fairlane::data {
namespace {

struct Item {
  std::string key;
};
struct ItemTraits {
  using Entry = Item;
  static std::string_view key(const Item& item) noexcept { return item.key; }
  static void destroy(Item*) noexcept {}  // the benchmark owns them
};

std::vector<Item> make_items(std::size_t count) {
  std::vector<Item> items(count);
  for (std::size_t i = 0; i < count; ++i) items[i].key = "key:" + std::to_string(100000 + i);
  return items;
}

void fill(Table<ItemTraits>& table, std::vector<Item>& items) {
  for (Item& item : items) table.insert(&item, base::hash_bytes(item.key));
}

void table_insert(benchmark::State& state) {
  std::vector<Item> items = make_items(static_cast<std::size_t>(state.range(0)));
  double bytes = 0;
  for (auto _ : state) {
    Table<ItemTraits> table;
    fill(table, items);
    bytes = static_cast<double>(table.memory()) / static_cast<double>(table.size());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.counters["bytes_per_entry"] = bytes;
}
BENCHMARK(table_insert)->Arg(100)->Arg(10000)->Arg(1000000);

void table_find(benchmark::State& state) {
  std::vector<Item> items = make_items(static_cast<std::size_t>(state.range(0)));
  Table<ItemTraits> table;
  fill(table, items);
  base::Random random;
  for (auto _ : state) {
    const std::string& key = items[random.below(items.size())].key;
    benchmark::DoNotOptimize(table.find(key, base::hash_bytes(key)));
  }
}
BENCHMARK(table_find)->Arg(100)->Arg(10000)->Arg(1000000);

void table_find_prefetched(benchmark::State& state) {
  std::vector<Item> items = make_items(static_cast<std::size_t>(state.range(0)));
  Table<ItemTraits> table;
  fill(table, items);
  base::Random random;
  std::array<const std::string*, 16> keys{};
  std::array<std::uint64_t, 16> hashes{};
  for (auto _ : state) {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      keys[i] = &items[random.below(items.size())].key;
      hashes[i] = base::hash_bytes(*keys[i]);
      table.prefetch(hashes[i]);
    }
    for (const std::uint64_t hash : hashes) table.prefetch_entry(hash);
    for (std::size_t i = 0; i < keys.size(); ++i) benchmark::DoNotOptimize(table.find(*keys[i], hashes[i]));
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(keys.size()));
}
BENCHMARK(table_find_prefetched)->Arg(1000000);

void hash_job_row(benchmark::State& state) {
  const std::string payload(static_cast<std::size_t>(state.range(0)), 'p');
  const std::array<std::string_view, 8> row = {"state",   "pending", "attempts", "0",
                                               "payload", payload,   "group",    "tenant-12"};
  const Hash::Limits limits;
  double bytes = 0;
  for (auto _ : state) {
    Hash hash;
    hash.put_all(row, limits);
    benchmark::DoNotOptimize(hash.put("state", "active", limits));
    bytes = static_cast<double>(hash.memory());
  }
  state.counters["bytes"] = bytes;
}
BENCHMARK(hash_job_row)->Arg(64)->Arg(200);

void set_add_and_contains(benchmark::State& state) {
  const Set::Limits limits;
  std::vector<std::string> members;
  for (int i = 0; i < state.range(0); ++i) members.push_back("tenant-" + std::to_string(i));
  double bytes = 0;
  for (auto _ : state) {
    Set set;
    for (const std::string& member : members) set.add(member, limits);
    for (const std::string& member : members) benchmark::DoNotOptimize(set.contains(member));
    bytes = static_cast<double>(set.memory()) / static_cast<double>(set.size());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.counters["bytes_per_member"] = bytes;
}
BENCHMARK(set_add_and_contains)->Arg(8)->Arg(64)->Arg(1000);

}  // namespace
}  // namespace fairlane::data
