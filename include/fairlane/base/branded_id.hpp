#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace fairlane::base {

/// A branded id: three letters A-Z that name the kind, then a 63-bit snowflake as 11 base62 digits in ASCII order, so
/// that the order of the bytes within one brand is the order of minting. A snowflake is 41 bits of milliseconds since
/// 2024-01-01T00:00:00Z, 10 bits of node and 12 bits of sequence.
inline constexpr std::size_t kBrandSize = 3;
inline constexpr std::size_t kBrandedIdSize = 14;
inline constexpr std::uint64_t kBrandedIdEpoch = 1704067200000;
inline constexpr std::uint64_t kMaxSnowflake = 0x7FFF'FFFF'FFFF'FFFF;
inline constexpr std::uint32_t kMaxNode = 1023;

struct BrandedId {
  std::array<char, kBrandSize> brand;
  std::uint64_t snowflake;

  std::string_view brand_text() const noexcept { return {brand.data(), brand.size()}; }
  std::uint64_t unix_ms() const noexcept { return (snowflake >> 22) + kBrandedIdEpoch; }
  std::uint32_t node() const noexcept { return static_cast<std::uint32_t>(snowflake >> 12) & kMaxNode; }
  std::uint32_t sequence() const noexcept { return static_cast<std::uint32_t>(snowflake) & 4095; }
};

/// Whether the text is three letters A-Z.
bool is_brand(std::string_view text) noexcept;

/// The parts of a valid id, or nothing: 14 bytes, a brand, 11 digits, a value of at most kMaxSnowflake.
std::optional<BrandedId> parse_branded_id(std::string_view text) noexcept;

/// The text of an id, kept in place. Views of it end with it.
class BrandedIdText {
 public:
  /// Requires is_brand(brand) and snowflake <= kMaxSnowflake.
  BrandedIdText(std::string_view brand, std::uint64_t snowflake) noexcept;

  std::string_view view() const noexcept { return {text_.data(), text_.size()}; }
  operator std::string_view() const noexcept { return view(); }

 private:
  std::array<char, kBrandedIdSize> text_;
};

/// Mints the snowflakes of one node, strictly increasing whatever the clock does: within a millisecond the sequence
/// counts on, a full sequence carries into the time, and a clock that steps back is ignored until it has caught up.
/// Never waits. The node bits stay in place. Snowflakes end in the year 2093, which is asserted.
class Minter {
 public:
  /// Requires node <= kMaxNode.
  explicit Minter(std::uint32_t node) noexcept;

  std::uint64_t next(std::uint64_t unix_ms) noexcept;

  /// Everything minted from now on is larger than this snowflake: for ids that were read back after a restart.
  void resume_after(std::uint64_t snowflake) noexcept;

  std::uint32_t node() const noexcept { return node_; }

 private:
  std::uint32_t node_;
  // Milliseconds and sequence without the node between them, so that a carry runs past it. The next value to use.
  std::uint64_t ticks_ = 0;
};

}  // namespace fairlane::base
