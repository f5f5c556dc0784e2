#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "server/server.hpp"

int main(int argc, char** argv) {
  fairlane::server::StartOptions options;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--port") == 0) options.listen.port = static_cast<std::uint16_t>(std::atoi(argv[i + 1]));
    if (std::strcmp(argv[i], "--unixsocket") == 0) options.listen.unix_socket = argv[i + 1];
  }
  return fairlane::server::run(options);
}
