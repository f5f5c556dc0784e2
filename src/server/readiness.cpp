#include "server/readiness.hpp"

#include <unistd.h>

#include <cctype>
#include <cstdio>

namespace fairlane::server {
namespace {

/// The first address, or the loopback when the server listens on all of them.
std::string reachable_host(const command::Settings& settings) {
  std::string host = settings.bind.empty() ? "127.0.0.1" : settings.bind.front();
  if (host.starts_with('-')) host.erase(0, 1);
  if (host == "*" || host == "0.0.0.0") return "127.0.0.1";
  if (host == "::*" || host == "::") return "::1";
  return host;
}

std::string percent_encoded(const std::string& text) {
  std::string encoded;
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    char code[4];
    std::snprintf(code, sizeof(code), "%%%02X", byte);
    encoded += std::isalnum(byte) != 0 ? std::string(1, letter) : code;
  }
  return encoded;
}

std::string in_json(const std::string& text) {
  std::string quoted = "\"";
  for (const char letter : text) {
    char code[8];
    std::snprintf(code, sizeof(code), "\\u%04x", static_cast<unsigned char>(letter));
    const bool plain = static_cast<unsigned char>(letter) >= ' ' && letter != '"' && letter != '\\';
    quoted += plain ? std::string(1, letter) : code;
  }
  return quoted + '"';
}

std::string as_json(const command::Settings& settings, std::uint16_t port) {
  std::string line = "{\"event\":\"ready\",\"pid\":" + std::to_string(::getpid());
  if (port != 0) line += ",\"host\":" + in_json(reachable_host(settings)) + ",\"port\":" + std::to_string(port);
  if (!settings.unix_socket.empty()) line += ",\"unixsocket\":" + in_json(settings.unix_socket);
  return line + ",\"url\":" + in_json(url_of(settings, port)) + "}\n";
}

bool write_whole(const std::string& path, const std::string& text) {
  const std::string temporary = path + "." + std::to_string(::getpid()) + ".tmp";
  std::FILE* file = std::fopen(temporary.c_str(), "we");
  if (file == nullptr) return false;
  const bool written = std::fputs(text.c_str(), file) >= 0;
  return std::fclose(file) == 0 && written && std::rename(temporary.c_str(), path.c_str()) == 0;
}

}  // namespace

std::string url_of(const command::Settings& settings, std::uint16_t port) {
  const std::string log_in = settings.requirepass.empty() ? "" : ":" + percent_encoded(settings.requirepass) + "@";
  if (port == 0) return "unix://" + log_in + settings.unix_socket;
  const std::string host = reachable_host(settings);
  const bool in_brackets = host.find(':') != std::string::npos;
  return "redis://" + log_in + (in_brackets ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

std::string announce_readiness(const command::Settings& settings, std::uint16_t port) {
  const std::string line = as_json(settings, port);
  if (settings.ready_json) {
    std::fputs(line.c_str(), stdout);
    std::fflush(stdout);
  }
  if (settings.ready_file.empty() || write_whole(settings.ready_file, line)) return {};
  return "Failed to write the ready file " + settings.ready_file;
}

}  // namespace fairlane::server
