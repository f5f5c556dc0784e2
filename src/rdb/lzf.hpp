#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

/// The LZF format. A byte below 32 says that one byte more than it follows as it is. Any other is the head of a copy of
/// what came before: its three upper bits are the length less 2 (7: a byte to be added follows), its other bits and the
/// last byte of the head the distance less 1.
namespace fairlane::rdb {

/// At most `most` bytes; empty when they do not suffice. The choices are those of redis-server, so that the bytes are.
std::string lzf_compress(std::string_view in, std::size_t most);

/// The bytes of a text of this size; nothing when that is not what `in` is.
std::optional<std::string> lzf_expand(std::string_view in, std::size_t size);

}  // namespace fairlane::rdb
