#include "server/user_file.hpp"

#include <cerrno>
#include <cstring>

#include "server/files.hpp"

namespace fairlane::server {

command::UserFile::Contents UserFileOnDisk::read() {
  std::optional<std::string> text = read_file(path_);
  if (!text) return {{}, std::strerror(errno)};
  return {*std::move(text), {}};
}

bool UserFileOnDisk::write(std::string_view text) {
  if (replace_file(path_, text)) return true;
  log_->warning("Saving the users to '" + path_ + "': " + std::strerror(errno));
  return false;
}

}  // namespace fairlane::server
