#include "command/options/table.hpp"

#include <array>

namespace fairlane::command {

std::span<const OptionSection> option_sections() noexcept {
  static const std::array kSections = {network_options(), client_options(),      general_options(),
                                       memory_options(),  value_options(),       persistence_options(),
                                       tls_options(),     replication_options(), cluster_options(),
                                       system_options(),  launch_options()};
  return kSections;
}

}  // namespace fairlane::command
