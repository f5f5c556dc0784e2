#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace fairlane::server::cli {

/// How a reply is written: with types and numbers for people, bare for programs, as a line of values in quotes, or, for
/// a text that is a page with its own line ends, as it is.
enum class Layout : std::uint8_t { people, bare, comma_separated, page };

/// What the command line of the client says, in redis-cli's words.
struct Options {
  std::string host = "127.0.0.1";
  std::string port = "6379";
  std::string unix_socket;  ///< empty: TCP
  std::string user;
  std::string password;           ///< empty: no log-in
  bool password_is_seen = false;  ///< it stands on the command line, where other users of the machine see it
  int database = 0;
  bool resp3 = false;
  std::optional<Layout> layout;    ///< absent: people at a terminal, programs otherwise
  std::string element_end = "\n";  ///< between the elements of a bare reply
  std::string reply_end = "\n";    ///< behind a bare reply
  long repeat = 1;                 ///< negative: for ever
  double interval = 0;             ///< seconds between repetitions
  bool last_from_input = false;    ///< the last word is standard input
  std::string input_tag;           ///< the word that standard input replaces; empty: none
  bool error_status = false;       ///< an error reply is exit status 1
  bool quoted_input = false;       ///< the words of the command are in quotes, with escapes
  std::vector<std::string> command;
};

/// Why the command line is refused.
class BadCommandLine : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Reads options up to the first word that is none; the rest is the command. Throws BadCommandLine.
Options parse_options(std::span<const std::string_view> words);

/// What --help prints.
std::string_view usage() noexcept;

}  // namespace fairlane::server::cli
