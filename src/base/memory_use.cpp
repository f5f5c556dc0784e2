#include "fairlane/base/memory_use.hpp"

#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

// Jemalloc's own interface, there when the program is linked with it.
extern "C" [[gnu::weak]] int mallctl(const char* name, void* old_value, std::size_t* old_size, void* new_value,
                                     std::size_t new_size);

namespace fairlane::base {
namespace {

std::size_t statistic(const char* name) noexcept {
  std::size_t value = 0;
  std::size_t size = sizeof(value);
  return mallctl(name, &value, &size, nullptr, 0) == 0 ? value : 0;
}

bool has_jemalloc() noexcept { return mallctl != nullptr; }

}  // namespace

MemoryUse memory_use() noexcept {
  if (has_jemalloc()) {
    // Numbers are those of the last time that the epoch was moved on.
    std::uint64_t epoch = 1;
    std::size_t size = sizeof(epoch);
    mallctl("epoch", &epoch, &size, &epoch, size);
    return {statistic("stats.allocated"), statistic("stats.active"), statistic("stats.resident")};
  }
  const struct mallinfo2 info = mallinfo2();
  return {info.uordblks + info.hblkhd, info.arena + info.hblkhd, info.arena + info.hblkhd};
}

std::string_view allocator_name() noexcept {
  if (!has_jemalloc()) return "libc";
  return "jemalloc-5.3.0";
}

std::size_t resident_memory() noexcept {
  const int file = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[128] = {};
  const ssize_t got = ::read(file, text, sizeof(text) - 1);
  ::close(file);
  if (got <= 0) return 0;
  char* second = nullptr;
  std::strtoull(text, &second, 10);
  return std::strtoull(second, nullptr, 10) * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

std::size_t total_memory() noexcept {
  return static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

void return_free_memory() noexcept {
  if (has_jemalloc()) {
    mallctl("arena.4096.purge", nullptr, nullptr, nullptr, 0);
  } else {
    malloc_trim(0);
  }
}

}  // namespace fairlane::base
