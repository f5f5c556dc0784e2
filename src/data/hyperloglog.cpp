#include "fairlane/data/hyperloglog.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "data/hyperloglog_runs.hpp"

namespace fairlane::data {
namespace {

using sketch::kHeadBytes;
using sketch::Run;

constexpr std::string_view kMagic = "HYLL";
constexpr std::size_t kFormAt = 4;
constexpr std::size_t kCountAt = 8;
constexpr unsigned kIndexBits = 14;
constexpr unsigned kHashBits = 64 - kIndexBits;
constexpr unsigned kStale = 0x80;  // in the last byte of the count

std::uint64_t load(const char* bytes, std::size_t size) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, size);
  return word;
}

/// MurmurHash64A, as published by Austin Appleby, with the seed that redis-server uses: sketches of both must agree.
std::uint64_t murmur(std::string_view text) noexcept {
  constexpr std::uint64_t kFactor = 0xC6A4A7935BD1E995ULL;
  constexpr std::uint64_t kSeed = 0xADC83B19ULL;
  std::uint64_t hash = kSeed ^ (text.size() * kFactor);
  for (; text.size() >= 8; text.remove_prefix(8)) {
    std::uint64_t word = load(text.data(), 8) * kFactor;
    word = (word ^ word >> 47) * kFactor;
    hash = (hash ^ word) * kFactor;
  }
  if (!text.empty()) hash = (hash ^ load(text.data(), text.size())) * kFactor;
  hash = (hash ^ hash >> 47) * kFactor;
  return hash ^ hash >> 47;
}

/// How many registers have each rank.
using Histogram = std::array<std::uint32_t, 64>;

double sigma(double x) noexcept {
  if (x == 1.0) return std::numeric_limits<double>::infinity();
  double weight = 1;
  double sum = x;
  for (double before = -1; before != sum; weight += weight) {
    x *= x;
    before = sum;
    sum += x * weight;
  }
  return sum;
}

double tau(double x) noexcept {
  if (x == 0.0 || x == 1.0) return 0;
  double weight = 1;
  double sum = 1 - x;
  for (double before = -1; before != sum;) {
    x = std::sqrt(x);
    before = sum;
    weight *= 0.5;
    sum -= std::pow(1 - x, 2) * weight;
  }
  return sum / 3;
}

/// Otmar Ertl, "New cardinality estimation algorithms for HyperLogLog sketches" (2017), algorithm 6.
std::uint64_t estimate(const Histogram& histogram) noexcept {
  constexpr double kAlpha = 0.721347520444481703680;  // 1 / (2 ln 2)
  constexpr auto kCount = static_cast<double>(HyperLogLog::kRegisters);
  double z = kCount * tau((kCount - histogram[kHashBits + 1]) / kCount);
  for (unsigned rank = kHashBits; rank >= 1; --rank) z = (z + histogram[rank]) * 0.5;
  z += kCount * sigma(histogram[0] / kCount);
  return static_cast<std::uint64_t>(std::llround(kAlpha * kCount * kCount / z));
}

/// Where a register of 6 bits stands; the second byte has the rest of it, if there is one.
struct Place {
  std::size_t byte;
  unsigned shift;

  explicit Place(std::size_t index) noexcept
      : byte(kHeadBytes + index * 6 / 8), shift(static_cast<unsigned>(index * 6 % 8)) {}
  bool crosses() const noexcept { return shift > 2; }
};

void set_dense(char* bytes, std::size_t index, std::uint8_t rank) noexcept {
  const Place place(index);
  const auto replace = [&](std::size_t at, unsigned mask, unsigned bits) {
    const auto held = static_cast<std::uint8_t>(bytes[at]);
    bytes[at] = static_cast<char>((held & ~mask) | (bits & mask));
  };
  replace(place.byte, 0x3FU << place.shift & 0xFFU, static_cast<unsigned>(rank) << place.shift);
  if (place.crosses())
    replace(place.byte + 1, 0x3FU >> (8 - place.shift), static_cast<unsigned>(rank) >> (8 - place.shift));
}

}  // namespace

HyperLogLog::Mark HyperLogLog::Mark::of(std::string_view element) noexcept {
  const std::uint64_t hash = murmur(element);
  const std::uint64_t rest = hash >> kIndexBits | std::uint64_t{1} << kHashBits;
  return {static_cast<std::uint32_t>(hash & (kRegisters - 1)), static_cast<std::uint8_t>(std::countr_zero(rest) + 1)};
}

bool HyperLogLog::recognizes(std::string_view bytes) noexcept {
  if (bytes.size() < kHeadBytes || !bytes.starts_with(kMagic)) return false;
  const auto form = static_cast<std::uint8_t>(bytes[kFormAt]);
  return form == static_cast<std::uint8_t>(Form::sparse) ||
         (form == static_cast<std::uint8_t>(Form::dense) && bytes.size() == kDenseBytes);
}

std::optional<std::uint64_t> HyperLogLog::kept_count(std::string_view bytes) noexcept {
  const std::uint64_t count = load(bytes.data() + kCountAt, 8);
  return count >> 63 != 0 ? std::nullopt : std::optional(count);
}

void HyperLogLog::keep_count(char* bytes, std::uint64_t count) noexcept {
  std::memcpy(bytes + kCountAt, &count, sizeof(count));
}

void HyperLogLog::forget_count(char* bytes) noexcept {
  char& last = bytes[kCountAt + 7];
  last = static_cast<char>(static_cast<std::uint8_t>(last) | kStale);
}

std::optional<std::uint64_t> HyperLogLog::count(std::string_view bytes) {
  Histogram histogram{};
  if (form_of(bytes) == Form::dense) {
    for (std::size_t i = 0; i < kRegisters; ++i) ++histogram[dense_register(bytes, i)];
    return estimate(histogram);
  }
  std::size_t registers = 0;
  sketch::for_each_run(bytes, [&](const Run& run) {
    histogram[run.rank] += static_cast<std::uint32_t>(run.registers);
    registers += run.registers;
  });
  return registers == kRegisters ? std::optional(estimate(histogram)) : std::nullopt;
}

std::uint8_t HyperLogLog::dense_register(std::string_view bytes, std::size_t index) noexcept {
  const Place place(index);
  unsigned bits = static_cast<std::uint8_t>(bytes[place.byte]);
  if (place.crosses()) bits |= static_cast<unsigned>(static_cast<std::uint8_t>(bytes[place.byte + 1])) << 8;
  return static_cast<std::uint8_t>(bits >> place.shift & 0x3FU);
}

bool HyperLogLog::raise_dense(char* bytes, Mark mark) noexcept {
  if (dense_register({bytes, kDenseBytes}, mark.index) >= mark.rank) return false;
  set_dense(bytes, mark.index, mark.rank);
  return true;
}

std::string HyperLogLog::describe_runs(std::string_view bytes) {
  std::string text;
  sketch::for_each_run(bytes, [&](const Run& run) {
    if (!text.empty()) text += ' ';
    text += run.rank != 0 ? "v:" + std::to_string(run.rank) + ',' : run.bytes == 1 ? "z:" : "Z:";
    text += std::to_string(run.registers);
  });
  return text;
}

HyperLogLog::HyperLogLog() : bytes_(kMagic) {
  bytes_.resize(kHeadBytes);
  bytes_[kFormAt] = static_cast<char>(Form::sparse);
  sketch::RunText runs;
  runs.add_zeros(kRegisters);
  bytes_ += runs.view();
}

HyperLogLog::Raised HyperLogLog::raise(Mark mark, std::size_t sparse_limit) {
  if (form() == Form::sparse) return raise_sparse(mark, sparse_limit);
  return raise_dense(bytes_.data(), mark) ? Raised::yes : Raised::no;
}

bool HyperLogLog::make_dense() {
  if (form() == Form::dense) return true;
  std::string dense = bytes_.substr(0, kHeadBytes);
  dense[kFormAt] = static_cast<char>(Form::dense);
  dense.resize(kDenseBytes);
  std::size_t index = 0;
  sketch::for_each_run(bytes_, [&](const Run& run) {
    const std::size_t end = index + run.registers;
    if (run.rank == 0 || end > kRegisters) {
      index = end;
    } else {
      for (; index < end; ++index) set_dense(dense.data(), index, run.rank);
    }
  });
  if (index != kRegisters) return false;
  bytes_ = std::move(dense);
  return true;
}

HyperLogLog::Raised HyperLogLog::raise_as_dense(Mark mark) {
  if (!make_dense()) return Raised::corrupt;
  return raise_dense(bytes_.data(), mark) ? Raised::yes : Raised::no;
}

HyperLogLog::Raised HyperLogLog::raise_sparse(Mark mark, std::size_t sparse_limit) {
  if (mark.rank > sketch::kMostRank) return raise_as_dense(mark);
  // Find the run that the register is in, and the one before it.
  std::size_t at = kHeadBytes;
  std::size_t before = at;
  std::size_t first = 0;
  Run run{};
  for (;; before = at, at += run.bytes, first += run.registers) {
    if (at >= bytes_.size()) return Raised::corrupt;
    run = Run::read(std::string_view(bytes_).substr(at));
    if (mark.index < first + run.registers) break;
  }
  if (run.rank >= mark.rank) return Raised::no;

  const std::size_t registers_before = mark.index - first;
  const std::size_t registers_behind = first + run.registers - 1 - mark.index;
  sketch::RunText split;
  const auto add_rest = [&](std::size_t registers) {
    if (registers == 0) return;
    run.rank == 0 ? split.add_zeros(registers) : split.add_equal(run.rank, registers);
  };
  add_rest(registers_before);
  split.add_equal(mark.rank, 1);
  add_rest(registers_behind);

  const std::string_view runs = split.view();
  const std::size_t size = bytes_.size() + runs.size() - run.bytes;
  if (size > bytes_.size() && size > sparse_limit) return raise_as_dense(mark);
  bytes_.replace(at, run.bytes, runs);
  // Not so only when the last run lacked its second byte, which redis-server counts all the same.
  bytes_.resize(size);
  join_runs(before);
  return Raised::yes;
}

/// Joins runs of equal rank where one run may be so long. Looks at five runs from here, as far as a change can have
/// made neighbours equal; redis-server does no more either, and its bytes are to be the same.
void HyperLogLog::join_runs(std::size_t from) {
  constexpr int kLooks = 5;
  std::size_t at = from;
  for (int looks = 0; looks < kLooks && at < bytes_.size(); ++looks) {
    const std::string_view text = std::string_view(bytes_).substr(at);
    const Run run = Run::read(text);
    if (run.rank != 0 && text.size() > 1) {
      const Run next = Run::read(text.substr(1));
      if (next.rank == run.rank && run.registers + next.registers <= sketch::kMostEqual) {
        sketch::RunText joined;
        joined.add_equal(run.rank, run.registers + next.registers);
        bytes_.replace(at, 2, joined.view());
        continue;
      }
    }
    at += run.bytes;
  }
}

bool HyperLogLogUnion::add(std::string_view bytes) {
  const auto raise = [this](std::size_t index, std::uint8_t rank) {
    if (rank > ranks_[index]) ranks_[index] = rank;
  };
  if (HyperLogLog::form_of(bytes) == HyperLogLog::Form::dense) {
    for (std::size_t i = 0; i < ranks_.size(); ++i) raise(i, HyperLogLog::dense_register(bytes, i));
    return true;
  }
  std::size_t index = 0;
  sketch::for_each_run(bytes, [&](const Run& run) {
    const std::size_t end = index + run.registers;
    if (run.rank == 0 || end > ranks_.size()) {
      index = end;
    } else {
      for (; index < end; ++index) raise(index, run.rank);
    }
  });
  return index == ranks_.size();
}

std::uint64_t HyperLogLogUnion::count() const {
  Histogram histogram{};
  for (const std::uint8_t rank : ranks_) ++histogram[rank];
  return estimate(histogram);
}

}  // namespace fairlane::data
