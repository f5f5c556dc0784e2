#pragma once

#include <span>
#include <string_view>

#include "command/info_text.hpp"
#include "fairlane/command/context.hpp"

namespace fairlane::command {

struct InfoSection {
  std::string_view name;
  void (*write)(Context& ctx, InfoText& text);
  bool by_default;
};

/// The sections in the order in which INFO shows them.
std::span<const InfoSection> info_sections() noexcept;

// Those that are files of their own.
void write_memory(Context& ctx, InfoText& text);
void write_command_stats(Context& ctx, InfoText& text);
void write_error_stats(Context& ctx, InfoText& text);
void write_latency_stats(Context& ctx, InfoText& text);

}  // namespace fairlane::command
