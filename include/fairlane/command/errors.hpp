#pragma once

#include <string_view>

/// Error texts that several commands share, byte for byte as Redis 7.0 words them. The first word is the code.
namespace fairlane::command::errors {

inline constexpr std::string_view kWrongType = "WRONGTYPE Operation against a key holding the wrong kind of value";
inline constexpr std::string_view kSyntax = "ERR syntax error";
inline constexpr std::string_view kNoSuchKey = "ERR no such key";
inline constexpr std::string_view kSameObject = "ERR source and destination objects are the same";
inline constexpr std::string_view kIndexRange = "ERR index out of range";
inline constexpr std::string_view kNotInteger = "ERR value is not an integer or out of range";
inline constexpr std::string_view kNotPositive = "ERR value is out of range, must be positive";
inline constexpr std::string_view kOutOfRange = "ERR value is out of range";
inline constexpr std::string_view kNotFloat = "ERR value is not a valid float";
inline constexpr std::string_view kNotScoreRange = "ERR min or max is not a float";
inline constexpr std::string_view kNotMemberRange = "ERR min or max not valid string range item";
inline constexpr std::string_view kBadCursor = "ERR invalid cursor";
inline constexpr std::string_view kBadBitOffset = "ERR bit offset is not an integer or out of range";
inline constexpr std::string_view kBadDb = "ERR DB index is out of range";
inline constexpr std::string_view kNoAuth = "NOAUTH Authentication required.";
inline constexpr std::string_view kWrongPass = "WRONGPASS invalid username-password pair or user is disabled.";
inline constexpr std::string_view kExecAbort = "EXECABORT Transaction discarded because of previous errors.";
inline constexpr std::string_view kTimeoutNegative = "ERR timeout is negative";
inline constexpr std::string_view kTimeoutNotFloat = "ERR timeout is not a float or out of range";
inline constexpr std::string_view kTimeoutNotInteger = "ERR timeout is not an integer or out of range";
inline constexpr std::string_view kTimeoutRange = "ERR timeout is out of range";
inline constexpr std::string_view kNumkeys = "ERR numkeys should be greater than 0";
inline constexpr std::string_view kCountPositive = "ERR count should be greater than 0";
inline constexpr std::string_view kStringTooLong = "ERR string exceeds maximum allowed size (proto-max-bulk-len)";
inline constexpr std::string_view kNanOrInfinity = "ERR increment would produce NaN or Infinity";
inline constexpr std::string_view kOverflow = "ERR increment or decrement would overflow";
inline constexpr std::string_view kOutOfMemory = "OOM command not allowed when used memory > 'maxmemory'.";
inline constexpr std::string_view kNoReplicas = "NOREPLICAS Not enough good replicas to write.";

}  // namespace fairlane::command::errors
