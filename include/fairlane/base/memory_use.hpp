#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace fairlane::base {

/// The memory of this process, in bytes. What the allocator does not tell is 0.
struct MemoryUse {
  std::size_t allocated = 0;  ///< handed out by the allocator and not given back
  std::size_t active = 0;     ///< in pages that hold any of it
  std::size_t resident = 0;   ///< held by the allocator altogether
  std::size_t process = 0;    ///< resident set of the whole process
  std::size_t peak = 0;       ///< the largest it was
};

/// Asks the allocator and the system: some microseconds, so nothing for a hot path.
MemoryUse memory_use() noexcept;

/// MemoryUse::allocated alone, in a fraction of the time.
std::size_t allocated_memory() noexcept;
/// The same for the thread that made the meter, at the cost of two reads where the allocator is jemalloc.
class AllocationMeter {
 public:
  AllocationMeter() noexcept;
  std::size_t allocated() const noexcept {
    return allocated_ != nullptr ? static_cast<std::size_t>(*allocated_ - *given_back_) : allocated_memory();
  }

 private:
  const std::uint64_t* allocated_ = nullptr;
  const std::uint64_t* given_back_ = nullptr;
};

/// All the memory of the machine.
std::size_t machine_memory() noexcept;

/// Gives pages that hold nothing back to the system.
void release_free_memory() noexcept;

/// "jemalloc" or "libc".
const char* allocator_name() noexcept;
/// "jemalloc-5.3.0" or "libc".
std::string allocator_version();

/// The allocator's own report for people.
std::string allocator_report();

}  // namespace fairlane::base
