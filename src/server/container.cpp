#include "server/container.hpp"

#include <ftw.h>
#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include "server/cli/cli.hpp"
#include "server/config_file.hpp"
#include "server/environment.hpp"
#include "server/program.hpp"
#include "server/words.hpp"

namespace fairlane::server {
namespace {

/// The user and group of the image, as in Redis' own.
constexpr uid_t kUser = 999;
constexpr gid_t kGroup = 999;
constexpr int kOpenFolders = 16;

void append_words(std::vector<std::string>& words, const char* variable) {
  const char* text = std::getenv(variable);
  const auto more = split_words(text == nullptr ? "" : text);
  if (!more) throw StartFailure("Unbalanced quotes in the environment variable " + std::string(variable));
  words.insert(words.end(), more->begin(), more->end());
}

int give_away(const char* path, const struct stat* now, int, FTW*) {
  // What belongs to somebody whom even root cannot overrule (a mounted folder) shows when it is written.
  if (now->st_uid != kUser && ::lchown(path, kUser, kGroup) != 0) errno = 0;
  return 0;
}

void give_up_root() {
  char here[4096];
  const bool in_a_folder = ::getcwd(here, sizeof(here)) != nullptr && std::string_view(here) != "/";
  if (in_a_folder) ::nftw(here, give_away, kOpenFolders, FTW_PHYS | FTW_MOUNT);
  const gid_t groups[] = {kGroup};
  if (::setgroups(1, groups) != 0 || ::setgid(kGroup) != 0 || ::setuid(kUser) != 0) {
    throw StartFailure("Cannot give up root: " + std::string(std::strerror(errno)) +
                       ". Allow CAP_SETUID and CAP_SETGID, or start with --user.");
  }
}

/// The words that the first process was started with.
std::vector<std::string> words_of_first_process() {
  std::ifstream file("/proc/1/cmdline", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\0', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

/// Another process may be the first (docker run --init), which has the server's command line in its own.
std::optional<std::vector<std::string>> words_of_server() {
  const std::vector<std::string> all = words_of_first_process();
  std::vector<std::string_view> words(all.begin(), all.end());
  const auto is_ours = [](std::string_view word) { return is_entry_name(word) || is_server_name(word); };
  const auto begin = std::find_if(words.begin(), words.end(), is_ours);
  if (begin == words.end()) return std::nullopt;
  return server_words(std::span(begin + (is_entry_name(*begin) ? 1 : 0), words.end()));
}

}  // namespace

std::optional<std::vector<std::string>> server_words(std::span<const std::string_view> words) {
  const bool named = !words.empty() && is_server_name(words[0]);
  const bool meant = words.empty() || words[0].starts_with('-') || words[0].ends_with(".conf");
  if (!named && !meant) return std::nullopt;
  if (named) words = words.subspan(1);
  if (!words.empty() && is_subcommand(words[0])) return std::nullopt;
  std::vector<std::string> all(words.begin(), words.end());
  for (const char* variable : {"FAIRLANE_ARGS", "REDIS_ARGS", "VALKEY_EXTRA_FLAGS"}) append_words(all, variable);
  if (const char* password = std::getenv("REDIS_PASSWORD"); password != nullptr && *password != '\0') {
    all.insert(all.end(), {"--requirepass", password});
  }
  return all;
}

void settle_in() {
  // Processes that others leave behind come to the first one, which here lets the kernel bury them.
  if (::getpid() == 1) std::signal(SIGCHLD, SIG_IGN);
  if (::geteuid() == 0) give_up_root();
  constexpr mode_t kUsual = 0022;
  if (const mode_t mask = ::umask(0077); mask != kUsual) ::umask(mask);
}

int check_health() {
  const auto words = words_of_server();
  if (!words) throw StartFailure("The first process of this container is no server.");
  const std::vector<std::string_view> views(words->begin(), words->end());
  StartOptions start;
  Arguments arguments = parse_arguments(views);
  arguments.standard_input = false;  // it was the server's own
  arguments.defaults = directives_of_environment();
  load_configuration(arguments, start);
  const command::Settings& settings = start.settings;
  cli::Options client;
  client.port = std::to_string(settings.port);
  if (settings.port == 0) client.unix_socket = settings.unix_socket;
  client.password = settings.requirepass;
  client.error_status = true;
  return cli::ping(client);
}

}  // namespace fairlane::server
