#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fairlane::server {

/// The words of a line of the configuration file: separated by blanks, in double quotes with escapes ("\n", "\x41") or
/// in single quotes without. Nothing when a quote is not closed or is followed by another letter.
std::optional<std::vector<std::string>> split_words(std::string_view line);

/// A text in double quotes, with escapes for what is not printable.
std::string in_quotes(std::string_view text);
/// The same, without quotes where the text is one plain word.
std::string in_quotes_if_needed(std::string_view text);

/// Without blanks and line ends on either side.
std::string_view trimmed(std::string_view text) noexcept;

}  // namespace fairlane::server
