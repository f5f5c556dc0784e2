#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace fairlane::rdb {

/// How values are written.
struct WriteRules {
  bool compress = true;          ///< texts of more than 20 bytes, where that makes them shorter
  std::int64_t list_piece = -2;  ///< the option list-max-listpack-size: elements, or negative a class of bytes
};

/// Writes the pieces that snapshots of Redis are made of. A length takes 1, 2, 5 or 9 bytes, as the two upper bits of
/// the first say; a text is a length and its bytes, or one of the special forms: an integer of up to four bytes, or
/// compressed bytes.
class Writer {
 public:
  explicit Writer(WriteRules rules) noexcept : rules_(rules) {}

  const WriteRules& rules() const noexcept { return rules_; }

  void byte(unsigned char value) { out_ += static_cast<char>(value); }
  void length(std::uint64_t value);
  void text(std::string_view bytes);
  /// Bytes as they are, without a length.
  void raw(std::string_view bytes) { out_.append(bytes); }
  /// The lower bytes of a number, the lowest first.
  void little_endian(std::uint64_t value, std::size_t bytes);
  /// A double in its eight bytes.
  void binary_double(double value);

  std::string_view written() const noexcept { return out_; }
  std::string take() noexcept { return std::move(out_); }

 private:
  void big_endian(std::uint64_t value, std::size_t bytes);
  bool integer_text(std::string_view bytes);
  bool compressed_text(std::string_view bytes);

  WriteRules rules_;
  std::string out_;
};

}  // namespace fairlane::rdb
