#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace fairlane::rdb {

/// Reads the pieces that Writer writes from any bytes. The first that is not well formed is the end: the reader is not
/// ok() from then on and gives zeros and empty texts, so that whoever reads asks once in a while.
class Reader {
 public:
  explicit Reader(std::string_view bytes) noexcept : rest_(bytes) {}

  bool ok() const noexcept { return ok_; }
  bool at_end() const noexcept { return rest_.empty(); }
  void fail() noexcept {
    ok_ = false;
    rest_ = {};
  }

  unsigned char byte() noexcept;
  std::uint64_t length() noexcept;
  /// Good until the next text.
  std::string_view text();
  /// Bytes as they are.
  std::string_view raw(std::size_t count) noexcept;
  std::uint64_t little_endian(std::size_t bytes) noexcept;
  double binary_double() noexcept;

 private:
  std::uint64_t big_endian(std::size_t bytes) noexcept;
  std::uint64_t rest_of_length(unsigned char first) noexcept;
  std::string_view special_text(unsigned char first);
  std::string_view compressed_text();

  std::string_view rest_;
  bool ok_ = true;
  std::string text_;
};

}  // namespace fairlane::rdb
