#include "fairlane/base/branded_id.hpp"

#include <algorithm>

#include "fairlane/base/assert.hpp"

namespace fairlane::base {
namespace {

constexpr std::uint64_t kBase = 62;
constexpr unsigned kSequenceBits = 12;
constexpr unsigned kTimeShift = 22;
constexpr std::uint64_t kSequenceMask = (1U << kSequenceBits) - 1;
constexpr std::uint64_t kMaxTime = (std::uint64_t{1} << 41) - 1;
constexpr std::string_view kDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

// kBase for a byte that is no digit.
constexpr std::uint64_t digit_value(char byte) noexcept {
  if (byte >= '0' && byte <= '9') return static_cast<std::uint64_t>(byte - '0');
  if (byte >= 'A' && byte <= 'Z') return static_cast<std::uint64_t>(byte - 'A') + 10;
  if (byte >= 'a' && byte <= 'z') return static_cast<std::uint64_t>(byte - 'a') + 36;
  return kBase;
}

}  // namespace

bool is_brand(std::string_view text) noexcept {
  return text.size() == kBrandSize &&
         std::all_of(text.begin(), text.end(), [](char letter) { return letter >= 'A' && letter <= 'Z'; });
}

std::optional<BrandedId> parse_branded_id(std::string_view text) noexcept {
  if (text.size() != kBrandedIdSize || !is_brand(text.substr(0, kBrandSize))) return std::nullopt;
  // Eleven digits reach 2.8 times 2^64, so only the last step can leave the range.
  std::uint64_t value = 0;
  for (const char byte : text.substr(kBrandSize)) {
    const std::uint64_t digit = digit_value(byte);
    if (digit == kBase || value > (kMaxSnowflake - digit) / kBase) return std::nullopt;
    value = value * kBase + digit;
  }
  return BrandedId{{text[0], text[1], text[2]}, value};
}

BrandedIdText::BrandedIdText(std::string_view brand, std::uint64_t snowflake) noexcept {
  FAIRLANE_ASSERT(is_brand(brand));
  FAIRLANE_ASSERT(snowflake <= kMaxSnowflake);
  std::copy(brand.begin(), brand.end(), text_.begin());
  for (std::size_t at = kBrandedIdSize; at > kBrandSize; snowflake /= kBase) text_[--at] = kDigits[snowflake % kBase];
}

Minter::Minter(std::uint32_t node) noexcept : node_(node) { FAIRLANE_ASSERT(node <= kMaxNode); }

std::uint64_t Minter::next(std::uint64_t unix_ms) noexcept {
  const std::uint64_t elapsed = unix_ms > kBrandedIdEpoch ? unix_ms - kBrandedIdEpoch : 0;
  const std::uint64_t ticks = std::max(std::min(elapsed, kMaxTime) << kSequenceBits, ticks_);
  FAIRLANE_ASSERT(ticks >> kSequenceBits <= kMaxTime);
  ticks_ = ticks + 1;
  return (ticks >> kSequenceBits) << kTimeShift | std::uint64_t{node_} << kSequenceBits | (ticks & kSequenceMask);
}

void Minter::resume_after(std::uint64_t snowflake) noexcept {
  const std::uint64_t time = snowflake >> kTimeShift;
  const BrandedId seen{{}, snowflake};
  // The node weighs more than the sequence, so an id of a higher node is only passed in the next millisecond.
  const std::uint64_t ticks =
      seen.node() > node_ ? (time + 1) << kSequenceBits : (time << kSequenceBits | seen.sequence()) + 1;
  ticks_ = std::max(ticks_, ticks);
}

}  // namespace fairlane::base
