#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace fairlane::command {

/// The length of the longest common subsequence of two texts. O(n*m) time, room for the shorter text.
std::uint32_t common_length(std::string_view left, std::string_view right);

/// The longest common subsequence of two texts, and where it lies in them. Of several it is the one that a walk back
/// from the ends finds when it leaves the right text's byte out whenever that loses nothing. O(n*m) time and memory.
class CommonSubsequence {
 public:
  /// A stretch that lies in both texts, of `length` bytes, 1 at least.
  struct Match {
    std::size_t left;
    std::size_t right;
    std::size_t length;
  };

  /// The texts outlive the object.
  CommonSubsequence(std::string_view left, std::string_view right);

  /// Bytes that an object takes; 0 when the number is too large to tell.
  static std::uint64_t memory(std::size_t left, std::size_t right) noexcept;

  std::uint32_t length() const noexcept { return lengths_[left_.size() * width_ + right_.size()]; }
  std::string text() const;

  /// visit(Match) for every stretch, the last one first.
  template <class Visit>
  void for_each(Visit&& visit) const {
    Place place{left_.size(), right_.size()};
    for (;;) {
      const Match match = match_before(place);
      if (match.length == 0) return;
      visit(match);
      place = {match.left, match.right};
    }
  }

 private:
  struct Place {
    std::size_t left;
    std::size_t right;
  };
  /// The last stretch that ends at a place or before it; its length is 0 when there is none.
  Match match_before(Place place) const noexcept;

  std::string_view left_;
  std::string_view right_;
  std::size_t width_;
  // lengths_[i * width_ + j]: of the first i bytes of the left and the first j of the right text.
  std::unique_ptr<std::uint32_t[]> lengths_;
};

}  // namespace fairlane::command
