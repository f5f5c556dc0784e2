#include "server/cli/options.hpp"

#include <cstdlib>

#include "server/words.hpp"

namespace fairlane::server::cli {
namespace {

using Apply = void (*)(Options& options, std::string_view value);

struct Row {
  std::string_view name;
  bool has_value;
  Apply apply;
};

std::string percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      decoded += static_cast<char>(std::strtol(std::string(text.substr(i + 1, 2)).c_str(), nullptr, 16));
      i += 2;
    } else {
      decoded += text[i];
    }
  }
  return decoded;
}

/// What stands before the separator; the text keeps what stands behind it. Nothing when there is no separator.
std::optional<std::string_view> take_before(std::string_view& text, char separator) noexcept {
  const std::size_t at = text.find(separator);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view before = text.substr(0, at);
  text.remove_prefix(at + 1);
  return before;
}

/// redis://[[user]:password@]host[:port][/database]
void apply_url(Options& options, std::string_view url) {
  const std::size_t scheme = url.find("://");
  const std::string_view name = url.substr(0, scheme);
  if (scheme == std::string_view::npos || (name != "redis" && name != "valkey")) {
    throw BadCommandLine("Invalid URI scheme");
  }
  url.remove_prefix(scheme + 3);
  if (auto log_in = take_before(url, '@')) {
    if (const auto user = take_before(*log_in, ':')) options.user = percent_decoded(*user);
    options.password = percent_decoded(*log_in);
    options.password_is_seen = true;
  }
  std::string_view place = url;
  if (const auto before = take_before(url, '/')) {
    place = *before;
    if (!url.empty()) options.database = std::atoi(std::string(url).c_str());
  }
  if (const auto host = take_before(place, ':')) {
    options.port = place;
    place = *host;
  }
  if (!place.empty()) options.host = percent_decoded(place);
}

void apply_password(Options& options, std::string_view value) {
  options.password = value;
  options.password_is_seen = true;
}

void apply_database(Options& options, std::string_view value) {
  options.database = std::atoi(std::string(value).c_str());
}

constexpr Apply kIgnored = [](Options&, std::string_view) {};

constexpr Row kRows[] = {
    {"-h", true, [](Options& options, std::string_view value) { options.host = value; }},
    {"-p", true, [](Options& options, std::string_view value) { options.port = value; }},
    {"-s", true, [](Options& options, std::string_view value) { options.unix_socket = value; }},
    {"-a", true, apply_password},
    {"--pass", true, apply_password},
    {"--user", true, [](Options& options, std::string_view value) { options.user = value; }},
    {"-u", true, apply_url},
    {"-n", true, apply_database},
    {"-r", true, [](Options& o, std::string_view value) { o.repeat = std::atol(std::string(value).c_str()); }},
    {"-i", true, [](Options& o, std::string_view value) { o.interval = std::atof(std::string(value).c_str()); }},
    {"-d", true, [](Options& options, std::string_view value) { options.element_end = value; }},
    {"-D", true, [](Options& options, std::string_view value) { options.reply_end = value; }},
    {"-X", true, [](Options& options, std::string_view value) { options.input_tag = value; }},
    {"-2", false, [](Options& options, std::string_view) { options.resp3 = false; }},
    {"-3", false, [](Options& options, std::string_view) { options.resp3 = true; }},
    {"-x", false, [](Options& options, std::string_view) { options.last_from_input = true; }},
    {"-e", false, [](Options& options, std::string_view) { options.error_status = true; }},
    {"-c", false, kIgnored},
    {"--raw", false, [](Options& options, std::string_view) { options.layout = Layout::bare; }},
    {"--no-raw", false, [](Options& options, std::string_view) { options.layout = Layout::people; }},
    {"--csv", false, [](Options& options, std::string_view) { options.layout = Layout::comma_separated; }},
    {"--quoted-input", false, [](Options& options, std::string_view) { options.quoted_input = true; }},
    {"--no-auth-warning", false, kIgnored},
    {"--show-pushes", true, kIgnored},
    {"--verbose", false, kIgnored},
};

const Row* find_row(std::string_view name) noexcept {
  for (const Row& row : kRows) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

std::vector<std::string> command_words(std::span<const std::string_view> words, bool quoted) {
  std::vector<std::string> command;
  for (const std::string_view word : words) {
    const auto parts = quoted ? split_words(word) : std::vector{std::string(word)};
    if (!parts || parts->size() != 1) throw BadCommandLine("Invalid quoted string");
    command.push_back(parts->front());
  }
  return command;
}

}  // namespace

Options parse_options(std::span<const std::string_view> words) {
  Options options;
  if (const char* password = std::getenv("REDISCLI_AUTH"); password != nullptr) options.password = password;
  bool warn = true;
  std::size_t next = 0;
  for (; next < words.size() && words[next].starts_with('-'); ++next) {
    const std::string_view name = words[next];
    const Row* row = find_row(name);
    if (row == nullptr || (row->has_value && next + 1 == words.size())) {
      throw BadCommandLine("Unrecognized option or bad number of args for: '" + std::string(name) + "'");
    }
    warn = warn && name != "--no-auth-warning";
    row->apply(options, row->has_value ? words[++next] : std::string_view());
  }
  options.password_is_seen = options.password_is_seen && warn;
  options.command = command_words(words.subspan(next), options.quoted_input);
  return options;
}

std::string_view usage() noexcept {
  return "Usage: fairlane-server cli [OPTION...] [COMMAND [WORD...]]\n"
         "Sends a command and prints the reply; without a command, the lines of standard input.\n\n"
         "  -h HOST, -p PORT    where the server listens (127.0.0.1, 6379)\n"
         "  -s PATH             its unix socket instead\n"
         "  -u URL              redis://[[user]:password@]host[:port][/database]\n"
         "  -a PASSWORD         log in; the environment's REDISCLI_AUTH is the same (also --pass)\n"
         "  --user NAME         log in under this name\n"
         "  --no-auth-warning   do not warn of a password on the command line\n"
         "  -n NUMBER           database\n"
         "  -2, -3              version of the protocol (2)\n"
         "  -r COUNT, -i SECONDS   repeat, with a pause; a negative count is for ever\n"
         "  -x                  standard input is the last word\n"
         "  -X TAG              standard input replaces the word TAG\n"
         "  --raw, --no-raw, --csv   layout of replies (raw unless at a terminal)\n"
         "  -d TEXT, -D TEXT    what raw replies have between elements and behind each reply (a line end)\n"
         "  -e                  exit status 1 for an error reply\n"
         "  --quoted-input      words are in quotes with escapes\n"
         "  --help, --version\n";
}

}  // namespace fairlane::server::cli
