#pragma once

#include <string>

#include "server/cli/connection.hpp"
#include "server/cli/options.hpp"

namespace fairlane::server::cli {

/// A reply as redis-cli writes it, with what ends it.
std::string reply_text(const Reply& reply, Layout layout, const Options& options);

}  // namespace fairlane::server::cli
