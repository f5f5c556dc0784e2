#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace fairlane::engine {

/// Tells whoever keeps the place of a key's entry whether it may have become another one. Keys are told apart by a few
/// bits of their hash alone: a change of one makes the places of all keys of its class be looked for anew.
///
/// A version never comes back in any table of one keyspace but for 0, which says that there never was a key of the
/// class. So places survive an exchange of two databases.
class KeyVersions {
 public:
  std::uint64_t of(std::uint64_t hash) const noexcept { return versions_[class_of(hash)]; }
  /// An entry came, went or moved. `last` is the last version that the keyspace gave out.
  void change(std::uint64_t hash, std::uint64_t& last) noexcept { versions_[class_of(hash)] = ++last; }
  /// All may have done so.
  void change_all(std::uint64_t& last) noexcept { versions_.fill(++last); }

 private:
  // In a batch of commands most keys that come and go are rows of jobs: one in so many disturbs a place that is kept.
  static constexpr std::size_t kClasses = 256;
  static std::size_t class_of(std::uint64_t hash) noexcept { return (hash >> 32) % kClasses; }

  std::array<std::uint64_t, kClasses> versions_{};
};

}  // namespace fairlane::engine
