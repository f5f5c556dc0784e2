#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "rdb/elements.hpp"

/// Listpacks: six bytes of header (bytes of the whole, elements), the elements, and 0xFF. An element is its encoding,
/// and the length of that for whoever walks backwards.
namespace fairlane::rdb {

class ListpackWriter {
 public:
  ListpackWriter();

  /// A text that is an integer as it prints is kept as one.
  void append(std::string_view text);
  void append(std::int64_t value);

  std::size_t count() const noexcept { return count_; }
  /// Of the whole listpack.
  std::size_t bytes() const noexcept;
  /// The listpack; an empty one is begun.
  std::string take();

 private:
  void append_integer(unsigned char head, std::uint64_t value, std::size_t bytes);
  void append_text(std::string_view text);
  void end_element(std::size_t begin);

  std::string out_;
  std::size_t count_ = 0;
};

/// Reads any bytes as a listpack.
class ListpackElements final : public Elements {
 public:
  explicit ListpackElements(std::string_view bytes) noexcept;
  std::optional<Element> next() override;

 private:
  std::optional<Element> text(std::size_t header, std::size_t size);
  std::optional<Element> integer(std::size_t header, std::size_t bytes);
  std::optional<Element> finished(const Element& element, std::size_t size);
  std::optional<Element> finish() noexcept;

  std::string_view rest_;
  std::size_t expected_ = 0;
  std::size_t count_ = 0;
};

}  // namespace fairlane::rdb
