#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "fairlane/data/list.hpp"

namespace fairlane::data {
namespace {

std::string element(std::int64_t index, std::size_t size) {
  std::string text = std::to_string(index);
  text.insert(0, size - std::min(size, text.size()), 'x');
  return text;
}

List list_of(std::int64_t count, std::size_t size) {
  List list;
  for (std::int64_t index = 0; index < count; ++index) list.push_back(element(index, size));
  return list;
}

// A queue of steady length: the argument.
void push_front_pop_back(benchmark::State& state) {
  List list = list_of(state.range(0), 16);
  const std::string value = element(0, 16);
  for (auto _ : state) {
    list.push_front(value);
    list.pop_back([](std::string_view popped) { benchmark::DoNotOptimize(popped.data()); });
  }
}
BENCHMARK(push_front_pop_back)->Arg(0)->Arg(1)->Arg(100)->Arg(1'000'000);

void fill_and_drain(benchmark::State& state) {
  const std::string value = element(0, 16);
  for (auto _ : state) {
    List list;
    for (std::int64_t index = 0; index < state.range(0); ++index) list.push_back(value);
    while (list.pop_front([](std::string_view) {})) {
    }
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(fill_and_drain)->Arg(10)->Arg(100'000);

void rotate_ring(benchmark::State& state) {
  List list = list_of(state.range(0), 14);
  for (auto _ : state) benchmark::DoNotOptimize(list.rotate(Direction::forward));
}
BENCHMARK(rotate_ring)->Arg(10)->Arg(100'000);

// A member leaves wherever it stands and joins again at the tail.
void leave_and_join(benchmark::State& state) {
  List list;
  std::vector<std::pair<std::string, ChunkRef>> members;
  for (std::int64_t index = 0; index < state.range(0); ++index) {
    const std::string value = element(index, 14);
    members.emplace_back(value, list.push_back_tracked(value));
  }
  std::size_t at = 0;
  for (auto _ : state) {
    at = (at + 7919) % members.size();
    benchmark::DoNotOptimize(list.erase_in_chunk(members[at].second, members[at].first));
    members[at].second = list.push_back_tracked(members[at].first);
  }
}
BENCHMARK(leave_and_join)->Arg(10)->Arg(1000)->Arg(100'000);

void walk(benchmark::State& state) {
  const List list = list_of(state.range(0), 16);
  std::size_t bytes = 0;
  for (auto _ : state) list.for_each(0, list.size(), [&](std::string_view value) { bytes += value.size(); });
  benchmark::DoNotOptimize(bytes);
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(walk)->Arg(100)->Arg(100'000);

void at_the_middle(benchmark::State& state) {
  const List list = list_of(state.range(0), 16);
  for (auto _ : state) benchmark::DoNotOptimize(list.at(state.range(0) / 2));
}
BENCHMARK(at_the_middle)->Arg(100)->Arg(100'000);

void memory_per_element(benchmark::State& state) {
  std::size_t memory = 0;
  for (auto _ : state) {
    const List list = list_of(state.range(0), static_cast<std::size_t>(state.range(1)));
    memory = list.memory();
  }
  state.counters["bytes_each"] = static_cast<double>(memory) / static_cast<double>(state.range(0));
}
BENCHMARK(memory_per_element)->Iterations(1)->ArgsProduct({{1, 5, 100, 100'000}, {10, 100, 1000}});

}  // namespace
}  // namespace fairlane::data
