#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fairlane::protocol {

/// What one client may send. Lengths in bytes.
struct RequestLimits {
  std::int64_t max_bulk_length = 512LL * 1024 * 1024;  ///< proto-max-bulk-len
  std::size_t max_inline_length = 64 * 1024;           ///< an inline request, and a length line
  std::int64_t max_arguments = 2147483647;             ///< elements of a request
};

/// Limits of a client that has not logged in although it must.
inline constexpr std::int64_t kUnauthenticatedMaxArguments = 10;
inline constexpr std::int64_t kUnauthenticatedMaxBulkLength = 16384;

/// The arguments of one or more requests, one after another.
using Arguments = std::vector<std::string_view>;

/// Cuts requests out of a client's bytes without copying: RESP arrays of bulk strings, and inline lines.
///
/// The caller keeps the bytes of an unfinished request and calls again with more behind them; the parser remembers how
/// far it came, so a large argument is looked at once however many pieces it comes in.
class RequestParser {
 public:
  enum class Step : std::uint8_t {
    complete,    ///< a request was appended to the arguments; it may have none (an empty line)
    incomplete,  ///< more bytes are needed
    broken,      ///< not a request: error() says why; the connection has to be closed
  };

  /// Reads one request that begins at input[0]. When complete, its arguments have been appended to `arguments` and
  /// consumed() says how many bytes it took. The views point into `input`, those of an inline request into the parser,
  /// where they are good until the next call.
  /// After `incomplete` the next call must see the same bytes (they may have moved) with more behind them, unless
  /// restart() comes between.
  Step next(std::string_view input, const RequestLimits& limits, bool authenticated, Arguments& arguments);

  /// The next call begins a request.
  void restart() noexcept;

  std::size_t consumed() const noexcept { return consumed_; }
  /// The error text without its code, for example "Protocol error: invalid bulk length".
  const std::string& error() const noexcept { return error_; }
  /// Was the request just completed an inline line?
  bool was_inline() const noexcept { return was_inline_; }
  /// Bytes still missing for the argument under way; 0 when unknown. Lets the caller reserve once for a large argument.
  std::size_t missing() const noexcept { return missing_; }

 private:
  Step multibulk(std::string_view input, const RequestLimits& limits, bool authenticated, Arguments& arguments);
  Step read_bulk_length(const char*& p, const char* end, const RequestLimits& limits, bool authenticated);
  Step inline_request(std::string_view input, const RequestLimits& limits, Arguments& arguments);
  Step fail(std::string text);

  std::size_t consumed_ = 0;
  std::size_t position_ = 0;       // first byte of the unfinished request not looked at yet
  std::int64_t left_ = 0;          // arguments still to come; 0 between requests
  std::int64_t bulk_length_ = -1;  // length of the argument under way; -1 before its length line
  std::size_t missing_ = 0;
  std::vector<std::pair<std::size_t, std::size_t>> pending_;  // offset and length of the arguments already read
  std::string inline_bytes_;
  std::string error_;
  bool was_inline_ = false;
};

/// Splits a line into words as a shell would: blanks separate, "double quotes" know \n \r \t \b \a \\ \" \xNN,
/// 'single quotes' know \'. Appends the words' bytes to `bytes` and their lengths to `lengths`; false when quotes are
/// unbalanced.
bool split_words(std::string_view line, std::string& bytes, std::vector<std::size_t>& lengths);

}  // namespace fairlane::protocol
