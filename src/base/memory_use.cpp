#include "fairlane/base/memory_use.hpp"

#include <fcntl.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>

// There only in a program linked with jemalloc, whose names these are.
extern "C" {
[[gnu::weak]] int mallctl(const char* name, void* old_value, std::size_t* old_size, void* new_value,
                          std::size_t new_size);
[[gnu::weak]] void malloc_stats_print(void (*write)(void*, const char*), void* to, const char* options);
// There only under the address sanitizer, whose allocator mallinfo2() knows nothing of.
[[gnu::weak]] std::size_t __sanitizer_get_current_allocated_bytes();
[[gnu::weak]] std::size_t __sanitizer_get_heap_size();
}

namespace fairlane::base {
namespace {

bool has_jemalloc() noexcept { return &mallctl != nullptr; }

std::size_t jemalloc_number(const char* name) noexcept {
  std::size_t value = 0;
  std::size_t size = sizeof(value);
  return mallctl(name, &value, &size, nullptr, 0) == 0 ? value : 0;
}

void ask_jemalloc(MemoryUse& use) noexcept {
  // The numbers are those of the moment when this was last advanced.
  std::uint64_t epoch = 1;
  std::size_t size = sizeof(epoch);
  mallctl("epoch", &epoch, &size, &epoch, size);
  use.allocated = jemalloc_number("stats.allocated");
  use.active = jemalloc_number("stats.active");
  use.resident = jemalloc_number("stats.resident");
}

void ask_sanitizer(MemoryUse& use) noexcept {
  use.allocated = __sanitizer_get_current_allocated_bytes();
  use.active = use.allocated;
  use.resident = __sanitizer_get_heap_size();
}

void ask_libc(MemoryUse& use) noexcept {
  const struct mallinfo2 info = ::mallinfo2();
  use.allocated = info.uordblks + info.hblkhd;
  use.active = use.allocated;
  use.resident = info.arena + info.hblkhd;
}

void ask_allocator(MemoryUse& use) noexcept {
  if (has_jemalloc()) return ask_jemalloc(use);
  if (&__sanitizer_get_current_allocated_bytes != nullptr) return ask_sanitizer(use);
  ask_libc(use);
}

/// The second number of /proc/self/statm, in pages.
std::size_t resident_set() noexcept {
  const int file = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[128];
  const ssize_t size = ::read(file, text, sizeof(text));
  ::close(file);
  const std::string_view line(text, static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  const std::size_t blank = line.find(' ');
  if (blank == line.npos) return 0;
  std::size_t pages = 0;
  std::from_chars(line.data() + blank + 1, line.data() + line.size(), pages);
  return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

MemoryUse memory_use() noexcept {
  MemoryUse use;
  ask_allocator(use);
  use.process = resident_set();
  // An allocator that keeps no account, as a sanitizer's, has all there is.
  if (use.allocated == 0) use.allocated = use.active = use.resident = use.process;
  rusage usage{};
  if (::getrusage(RUSAGE_SELF, &usage) == 0) use.peak = static_cast<std::size_t>(usage.ru_maxrss) * 1024;
  use.peak = std::max(use.peak, use.allocated);
  return use;
}

std::size_t allocated_memory() noexcept {
  MemoryUse use;
  ask_allocator(use);
  return use.allocated;
}

AllocationMeter::AllocationMeter() noexcept {
  if (!has_jemalloc()) return;
  const std::uint64_t* allocated = nullptr;
  const std::uint64_t* given_back = nullptr;
  std::size_t size = sizeof(void*);
  if (mallctl("thread.allocatedp", static_cast<void*>(&allocated), &size, nullptr, 0) != 0) return;
  if (mallctl("thread.deallocatedp", static_cast<void*>(&given_back), &size, nullptr, 0) != 0) return;
  allocated_ = allocated;
  given_back_ = given_back;
}

std::size_t machine_memory() noexcept {
  return static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

void release_free_memory() noexcept {
  if (has_jemalloc()) {
    // 4096 stands for all arenas.
    mallctl("arena.4096.purge", nullptr, nullptr, nullptr, 0);
  } else {
    ::malloc_trim(0);
  }
}

const char* allocator_name() noexcept { return has_jemalloc() ? "jemalloc" : "libc"; }

std::string allocator_version() {
  if (!has_jemalloc()) return "libc";
  const char* version = "";
  std::size_t size = sizeof(const char*);  // NOLINT(bugprone-sizeof-expression): the pointer is what is asked for
  mallctl("version", static_cast<void*>(&version), &size, nullptr, 0);
  const std::string_view text = version;
  return "jemalloc-" + std::string(text.substr(0, text.find('-')));
}

std::string allocator_report() {
  std::string report;
  if (has_jemalloc() && &malloc_stats_print != nullptr) {
    malloc_stats_print([](void* to, const char* text) { static_cast<std::string*>(to)->append(text); }, &report,
                       nullptr);
    return report;
  }
  const MemoryUse use = memory_use();
  return "libc allocator: " + std::to_string(use.allocated) + " bytes allocated of " + std::to_string(use.resident) +
         "\n";
}

}  // namespace fairlane::base
