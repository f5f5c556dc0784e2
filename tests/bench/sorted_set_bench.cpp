#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>
#include <string_view>

#include "fairlane/data/sorted_set.hpp"

namespace {

using fairlane::base::Random;
using fairlane::data::SortedSet;

/// A member of 14 bytes that sorts by its number, as ids of jobs do.
class Member {
 public:
  explicit Member(std::uint64_t number) noexcept {
    for (auto at = bytes_.rbegin(); at != bytes_.rend(); ++at, number /= 10) *at = static_cast<char>('0' + number % 10);
  }
  std::string_view view() const noexcept { return {bytes_.data(), bytes_.size()}; }

 private:
  std::array<char, 14> bytes_;
};

void report(benchmark::State& state, const SortedSet& set) {
  state.counters["bytes_per_member"] = static_cast<double>(set.memory()) / static_cast<double>(set.size());
}

void add_tail_pop_head(benchmark::State& state) {
  SortedSet set;
  std::uint64_t next = 0;
  while (next < static_cast<std::uint64_t>(state.range(0))) set.put(Member(next++).view(), 0);
  for (auto _ : state) {
    set.put(Member(next++).view(), 0);
    set.pop_min(1, [](const SortedSet::Item& item) { benchmark::DoNotOptimize(item.member.data()); });
  }
  report(state, set);
}
BENCHMARK(add_tail_pop_head)->Arg(100)->Arg(100000)->Arg(1000000);

void add_anywhere_erase_one_score(benchmark::State& state) {
  SortedSet set;
  Random random;
  const auto range = static_cast<std::uint64_t>(state.range(0)) * 2;
  while (set.size() < static_cast<std::size_t>(state.range(0))) set.put(Member(random.below(range)).view(), 0);
  for (auto _ : state) {
    set.put(Member(random.below(range)).view(), 0);
    set.erase(Member(random.below(range)).view());
  }
  report(state, set);
}
BENCHMARK(add_anywhere_erase_one_score)->Arg(100000)->Arg(1000000);

SortedSet random_scores(std::uint64_t size, Random& random) {
  SortedSet set;
  for (std::uint64_t i = 0; i < size; ++i) set.put(Member(i).view(), static_cast<double>(random.next() >> 11));
  return set;
}

void add_pop_head_random_scores(benchmark::State& state) {
  Random random;
  auto next = static_cast<std::uint64_t>(state.range(0));
  SortedSet set = random_scores(next, random);
  for (auto _ : state) {
    set.put(Member(next++).view(), static_cast<double>(random.next() >> 11));
    set.pop_min(1, [](const SortedSet::Item& item) { benchmark::DoNotOptimize(item.member.data()); });
  }
  report(state, set);
}
BENCHMARK(add_pop_head_random_scores)->Arg(100000)->Arg(1000000);

void change_random_score(benchmark::State& state) {
  Random random;
  const auto size = static_cast<std::uint64_t>(state.range(0));
  SortedSet set = random_scores(size, random);
  for (auto _ : state) set.put(Member(random.below(size)).view(), static_cast<double>(random.next() >> 11));
  report(state, set);
}
BENCHMARK(change_random_score)->Arg(100000)->Arg(1000000);

void read_random_score(benchmark::State& state) {
  Random random;
  const auto size = static_cast<std::uint64_t>(state.range(0));
  const SortedSet set = random_scores(size, random);
  for (auto _ : state) benchmark::DoNotOptimize(set.score(Member(random.below(size)).view()));
  report(state, set);
}
BENCHMARK(read_random_score)->Arg(100000)->Arg(1000000);

}  // namespace
