#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fairlane::testkit {

/// The types of RESP2 and RESP3. `malformed` is none of them: bytes that are not RESP at all.
enum class Kind : std::uint8_t {
  simple,
  error,
  integer,
  bulk,
  null_bulk,
  null_array,
  array,
  map,
  set,
  push,
  null,
  boolean,
  number,
  big_number,
  verbatim,
  blob_error,
  malformed
};

/// One reply as it came over the wire. Scalars keep the text they were sent as, so that tests can tell `1e3` from
/// `1000`.
struct Value {
  Kind kind = Kind::null;
  /// The scalar's text without its type byte; for `verbatim` with the three-letter format and its colon in front.
  std::string text;
  /// The elements of an aggregate; a map lists key, value, key, value.
  std::vector<Value> items;

  friend bool operator==(const Value&, const Value&) = default;
};

bool is_aggregate(Kind kind) noexcept;

/// The value in the notation of the .wire files (tests/wire/README.md), on one line. At the top level an error's or a
/// simple string's text may stand without quotes up to the end of the line; inside an aggregate only a word may.
std::string show(const Value& value);

/// Bytes in double quotes with the escapes of the notation. A long run of one byte is written "x"*70000.
std::string quote(std::string_view bytes);

/// A request as an array of bulk strings.
std::string encode_request(const std::vector<std::string>& arguments);

/// Reads values out of a byte stream that arrives in pieces. Keeps its place: no byte is looked at twice, apart from an
/// unfinished line. Once it has yielded a `malformed` value it yields nothing more.
class RespReader {
 public:
  void feed(std::string_view bytes);
  /// The next whole value, or nothing until more bytes are fed.
  std::optional<Value> next();
  /// Bytes fed and not yet handed out as part of a value.
  bool empty() const noexcept { return position_ == buffer_.size() && open_.empty(); }

 private:
  struct Open {
    Value value;
    std::size_t missing;
  };
  enum class Step : std::uint8_t { incomplete, opened, complete };

  Step scan(Value& value);
  Step scan_line(char type, std::string_view rest, Value& value, std::size_t after_line);
  Step scan_blob(Kind kind, std::string_view length, Value& value, std::size_t after_line);
  Step open(Kind kind, std::string_view count, Value& value, std::size_t after_line);
  /// Puts a complete value where it belongs; true when it is a whole reply, then left in `value`.
  bool close_finished(Value& value);
  Step malformed(std::string_view line, Value& value);

  std::string buffer_;
  std::size_t position_ = 0;
  std::size_t searched_ = 0;  // no line end lies between position_ and here
  std::vector<Open> open_;    // aggregates under way, outermost first; each still misses elements
  bool broken_ = false;
};

}  // namespace fairlane::testkit
