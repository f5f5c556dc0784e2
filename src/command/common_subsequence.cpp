#include "command/common_subsequence.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace fairlane::command {

std::uint32_t common_length(std::string_view left, std::string_view right) {
  if (left.size() < right.size()) std::swap(left, right);
  std::vector<std::uint32_t> row(right.size() + 1);
  for (const char byte : left) {
    std::uint32_t diagonal = 0;
    for (std::size_t j = 1; j <= right.size(); ++j) {
      const std::uint32_t above = row[j];
      row[j] = byte == right[j - 1] ? diagonal + 1 : std::max(above, row[j - 1]);
      diagonal = above;
    }
  }
  return row[right.size()];
}

std::uint64_t CommonSubsequence::memory(std::size_t left, std::size_t right) noexcept {
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(std::uint64_t{left} + 1, std::uint64_t{right} + 1, &bytes)) return 0;
  if (__builtin_mul_overflow(bytes, sizeof(std::uint32_t), &bytes)) return 0;
  return bytes;
}

CommonSubsequence::CommonSubsequence(std::string_view left, std::string_view right)
    : left_(left),
      right_(right),
      width_(right.size() + 1),
      lengths_(std::make_unique_for_overwrite<std::uint32_t[]>((left.size() + 1) * width_)) {
  std::uint32_t* above = lengths_.get();
  std::fill_n(above, width_, 0U);
  for (const char byte : left) {
    std::uint32_t* row = above + width_;
    row[0] = 0;
    for (std::size_t j = 1; j < width_; ++j) {
      row[j] = byte == right[j - 1] ? above[j - 1] + 1 : std::max(above[j], row[j - 1]);
    }
    above = row;
  }
}

CommonSubsequence::Match CommonSubsequence::match_before(Place place) const noexcept {
  while (place.left > 0 && place.right > 0 && left_[place.left - 1] != right_[place.right - 1]) {
    const std::uint32_t* at = lengths_.get() + place.left * width_ + place.right;
    at[-static_cast<std::ptrdiff_t>(width_)] > at[-1] ? --place.left : --place.right;
  }
  Match match{place.left, place.right, 0};
  while (match.left > 0 && match.right > 0 && left_[match.left - 1] == right_[match.right - 1]) {
    --match.left;
    --match.right;
    ++match.length;
  }
  return match;
}

std::string CommonSubsequence::text() const {
  std::string bytes(length(), '\0');
  std::size_t end = bytes.size();
  for_each([&](const Match& match) {
    end -= match.length;
    left_.copy(bytes.data() + end, match.length, match.left);
  });
  return bytes;
}

}  // namespace fairlane::command
