#include "server/files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace fairlane::server {
namespace {

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = ::write(descriptor, text.data(), text.size());
    if (put < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  return ::fsync(descriptor) == 0;
}

}  // namespace

std::string read_all(int descriptor) {
  std::string text;
  char chunk[4096];
  for (ssize_t got = 0; (got = ::read(descriptor, chunk, sizeof(chunk))) > 0;) {
    text.append(chunk, static_cast<std::size_t>(got));
  }
  return text;
}

std::optional<std::string> read_file(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return std::nullopt;
  std::string text = read_all(descriptor);
  ::close(descriptor);
  return text;
}

bool replace_file(const std::string& path, std::string_view text) {
  const std::string temporary = path + "." + std::to_string(::getpid()) + ".tmp";
  const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor < 0) return false;
  const bool written = write_all(descriptor, text);
  const int why = errno;
  ::close(descriptor);
  if (written && ::rename(temporary.c_str(), path.c_str()) == 0) return true;
  const int failure = written ? errno : why;
  ::unlink(temporary.c_str());
  errno = failure;
  return false;
}

}  // namespace fairlane::server
