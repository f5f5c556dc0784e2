#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fairlane/base/buffer.hpp"

namespace fairlane::protocol {

enum class Version : std::uint8_t { resp2 = 2, resp3 = 3 };

/// Writes one reply after another to the end of a buffer, in the shape of the client's protocol version. Whoever means
/// a map, a set, a double or a boolean writes one; RESP2 clients see the flat array, bulk string or integer they
/// expect.
class Reply {
 public:
  Reply(base::Buffer& out, Version version) noexcept : out_(&out), version_(version) {}

  Version version() const noexcept { return version_; }
  bool resp3() const noexcept { return version_ == Version::resp3; }
  void set_version(Version version) noexcept { version_ = version; }
  base::Buffer& buffer() noexcept { return *out_; }

  void ok() { out_->append("+OK\r\n"); }
  /// The text has no line ends.
  void simple(std::string_view text);
  /// The text starts with its code ("ERR ...") and has no leading dash; line ends in it become blanks, those at its
  /// end go.
  void error(std::string_view text);
  void integer(std::int64_t value);
  void boolean(bool value);
  /// A double: `,1.5` or the bulk string "1.5", with 17 significant digits.
  void number(double value);
  /// A bulk string with the text of a double in both versions.
  void bulk_number(double value);
  /// A double by its digits, where 17 significant ones are not what clients expect.
  void number_text(std::string_view digits);
  void bulk(std::string_view bytes);
  void bulk_integer(std::int64_t value);
  /// Text with a three-letter format, such as "txt"; a plain bulk string in RESP2.
  void verbatim(std::string_view format, std::string_view text);
  /// The digits of an integer of any size; a plain bulk string in RESP2.
  void big_number(std::string_view digits);
  /// `$-1`, or `_` in RESP3.
  void null();
  /// `*-1`, or `_` in RESP3.
  void null_array();

  void array(std::size_t size) { header('*', size); }
  /// `pairs` keys, each followed by its value; an array of twice as many elements in RESP2.
  void map(std::size_t pairs) { resp3() ? header('%', pairs) : header('*', pairs * 2); }
  void set(std::size_t size) { header(resp3() ? '~' : '*', size); }
  void push(std::size_t size) { header(resp3() ? '>' : '*', size); }
  void attribute(std::size_t pairs) { header('|', pairs); }

  /// An aggregate whose size is known only when its elements are written: keep the place that open() returns, write
  /// the elements, then close it. Places nest; close the inner ones first.
  struct Place {
    std::size_t offset;
  };
  Place open() const noexcept { return {out_->size()}; }
  void close_array(Place place, std::size_t size) { insert_header(place, '*', size); }
  void close_map(Place place, std::size_t pairs) {
    resp3() ? insert_header(place, '%', pairs) : insert_header(place, '*', pairs * 2);
  }
  void close_set(Place place, std::size_t size) { insert_header(place, resp3() ? '~' : '*', size); }

  /// Bytes that are already a reply.
  void raw(std::string_view bytes) { out_->append(bytes); }

 private:
  void header(char kind, std::size_t size);
  void insert_header(Place place, char kind, std::size_t size);

  base::Buffer* out_;
  Version version_;
};

}  // namespace fairlane::protocol
