#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "rdb/elements.hpp"

/// What small values were kept as before listpacks. Only read: snapshots of Redis before 7.0 have them.
namespace fairlane::rdb {

/// Ten bytes of header (bytes of the whole, where the last element is, elements), the elements, and 0xFF. An element is
/// the length of the one before it, and its encoding.
class ZiplistElements final : public Elements {
 public:
  explicit ZiplistElements(std::string_view bytes) noexcept;
  std::optional<Element> next() override;

 private:
  std::optional<std::size_t> length_before() noexcept;
  std::optional<Element> body();
  std::optional<Element> text(std::size_t header, std::size_t size);
  std::optional<Element> integer(std::size_t bytes);
  std::optional<Element> small_integer(unsigned char head);
  std::optional<Element> finish() noexcept;

  std::string_view rest_;
  std::size_t whole_ = 0;
  std::size_t tail_ = 0;      // where the last element should be
  std::size_t expected_ = 0;  // elements
  std::size_t count_ = 0;
  std::size_t last_ = 0;       // where the last element was
  std::size_t last_size_ = 0;  // and its bytes
};

/// Pairs of key and value: a byte that counts them, each with its length before it, a value also with a count of unused
/// bytes behind it, and 0xFF.
class ZipmapElements final : public Elements {
 public:
  explicit ZipmapElements(std::string_view bytes) noexcept;
  std::optional<Element> next() override;

 private:
  std::optional<std::size_t> length() noexcept;
  std::optional<Element> finish() noexcept;

  std::string_view rest_;
  std::size_t expected_ = 0;  // pairs
  std::size_t count_ = 0;     // elements
};

}  // namespace fairlane::rdb
