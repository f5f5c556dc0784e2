#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "fairlane/base/log.hpp"
#include "fairlane/command/users.hpp"

namespace fairlane::server {

/// The file that the option aclfile names.
class UserFileOnDisk final : public command::UserFile {
 public:
  UserFileOnDisk(std::string path, base::Log& log) : path_(std::move(path)), log_(&log) {}

  const std::string& name() const override { return path_; }
  Contents read() override;
  bool write(std::string_view text) override;

 private:
  std::string path_;
  base::Log* log_;
};

}  // namespace fairlane::server
