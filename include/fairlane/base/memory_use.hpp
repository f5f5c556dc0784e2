#pragma once

#include <cstddef>
#include <string_view>

namespace fairlane::base {

/// The memory of this process in bytes.
struct MemoryUse {
  std::size_t allocated = 0;  ///< handed out by the allocator
  std::size_t active = 0;     ///< in pages that hold some of it
  std::size_t resident = 0;   ///< in pages that the allocator keeps mapped
};

/// Asks jemalloc where that is the allocator, else the C library. Costs some microseconds.
MemoryUse memory_use() noexcept;
/// "jemalloc-5.3.0" or "libc".
std::string_view allocator_name() noexcept;
/// Resident memory of the process as the system sees it, and all the memory there is.
std::size_t resident_memory() noexcept;
std::size_t total_memory() noexcept;
/// Gives free memory back to the system.
void return_free_memory() noexcept;

}  // namespace fairlane::base
