#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace fairlane::data {

/// The integer of which the text is the canonical form: what a 64-bit integer prints as, so no sign but a minus before
/// a number that is not 0, no leading zero, no space.
std::optional<std::int64_t> canonical_integer(std::string_view text) noexcept;

/// Distinct integers in ascending order in one allocation that starts with this header, each of the 2, 4 or 8 bytes
/// that the widest so far needed. Whatever changes it may move it.
class Intset {
 public:
  static Intset* create();
  static void destroy(Intset* set) noexcept;
  Intset* clone() const;

  std::size_t size() const noexcept { return count_; }
  std::size_t width() const noexcept { return width_; }
  std::size_t memory() const noexcept;
  std::int64_t at(std::size_t index) const noexcept;
  bool contains(std::int64_t value) const noexcept;

  struct Change {
    Intset* set;  // where it is now
    bool done;
  };
  static Change add(Intset* set, std::int64_t value);
  static Change erase(Intset* set, std::int64_t value);

 private:
  const char* bytes() const noexcept { return reinterpret_cast<const char*>(this + 1); }
  char* bytes() noexcept { return reinterpret_cast<char*>(this + 1); }
  /// Where the value is or belongs.
  std::size_t lower_bound(std::int64_t value) const noexcept;
  void store(std::size_t index, std::int64_t value) noexcept;
  static Intset* widen(Intset* set, std::uint32_t width);
  static Intset* resize(Intset* set, std::size_t count, std::size_t width);

  std::uint32_t count_;
  std::uint32_t width_;
};

}  // namespace fairlane::data
