#pragma once

#include <cstdint>

namespace fairlane::data {

/// One of a few kinds of allocation behind eight bytes: the kind stands in the low bits of the address. Owns nothing.
template <class Kind>
class TaggedPointer {
 public:
  TaggedPointer() noexcept = default;
  /// The address is aligned to 8 and the kind below 8.
  TaggedPointer(void* pointer, Kind kind) noexcept
      : address_(static_cast<char*>(pointer) + static_cast<std::uintptr_t>(kind)) {}

  bool null() const noexcept { return address_ == nullptr; }
  Kind kind() const noexcept { return static_cast<Kind>(reinterpret_cast<std::uintptr_t>(address_) & 7U); }

  /// The allocation; the caller knows that the kind is `kind`.
  template <class T>
  T* as(Kind kind) const noexcept {
    return static_cast<T*>(static_cast<void*>(address_ - static_cast<std::uintptr_t>(kind)));
  }

 private:
  char* address_ = nullptr;  // off by the kind, so it still points into the allocation
};

}  // namespace fairlane::data
