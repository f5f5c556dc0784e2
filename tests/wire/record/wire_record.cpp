// wire_record [--all] FILE...: asks redis-server for the replies a .wire file leaves open and writes them into it.

#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "testkit/server_process.hpp"
#include "testkit/tcp_peer.hpp"
#include "testkit/wire_file.hpp"

namespace {

using fairlane::testkit::WireMode;
using fairlane::testkit::WireRecording;

bool write_whole_file(const std::string& path, const std::string& text) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return false;
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  return std::fclose(file) == 0 && written;
}

// Cases that fail are left as they are, so that a mistake in one shows before its replies are taken for true.
bool record_file(const std::string& path, fairlane::testkit::TcpPeer& peer, WireMode mode) {
  const std::string text = fairlane::testkit::read_whole_file(path);
  std::vector<WireRecording> recordings;
  bool good = true;
  for (const auto& wire_case : fairlane::testkit::parse_wire(path, text)) {
    if (wire_case.fairlane_only) continue;
    const auto outcome = fairlane::testkit::run_wire_case(wire_case, peer, mode);
    if (outcome.failure.empty()) {
      recordings.insert(recordings.end(), outcome.recordings.begin(), outcome.recordings.end());
    } else {
      std::fprintf(stderr, "%s: %s\n", wire_case.name.c_str(), outcome.failure.c_str());
      good = false;
    }
  }
  std::printf("%s: %zu recorded\n", path.c_str(), recordings.size());
  return (recordings.empty() || write_whole_file(path, apply_recordings(text, std::move(recordings)))) && good;
}

int record_files(const std::vector<std::string>& paths, WireMode mode) {
  fairlane::testkit::ServerProcess server(fairlane::testkit::ServerProcess::redis_program(),
                                          {"--enable-debug-command", "yes"});
  fairlane::testkit::TcpPeer peer(server.port());
  bool good = true;
  for (const std::string& path : paths) good = record_file(path, peer, mode) && good;
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  WireMode mode = WireMode::record_marks;
  std::vector<std::string> paths;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--all") {
      mode = WireMode::record_all;
    } else {
      paths.emplace_back(argv[i]);
    }
  }
  if (paths.empty()) {
    std::fprintf(stderr, "usage: wire_record [--all] FILE...\n");
    return 2;
  }
  try {
    return record_files(paths, mode);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "wire_record: %s\n", problem.what());
    return 2;
  }
}
