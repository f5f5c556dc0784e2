#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "fairlane/base/text_match.hpp"
#include "fairlane/command/args.hpp"
#include "fairlane/protocol/reply.hpp"

namespace fairlane::command {

/// What SCAN and its kin for containers are told besides the cursor.
struct ScanOptions {
  std::size_t count = 10;
  std::string_view pattern = "*";

  bool wants(std::string_view text) const noexcept { return pattern == "*" || base::glob_match(pattern, text); }
};

/// A cursor as clients send it back: whatever strtoul takes, a minus included. Nothing when it is none.
std::optional<std::uint64_t> parse_cursor(std::string_view text);

/// Takes COUNT or MATCH with its operand when it comes next. False when something else comes next or the operand is
/// wrong, which `args` then knows.
bool take_scan_option(Args& args, ScanOptions& options) noexcept;

/// Takes all options up to the end; anything but COUNT and MATCH is a syntax error.
ScanOptions take_scan_options(Args& args) noexcept;

/// Ends the reply to a scan: the elements were written from `elements` on, and the cursor belongs before them.
void close_scan(protocol::Reply& reply, protocol::Reply::Place elements, std::uint64_t cursor, std::size_t count);

}  // namespace fairlane::command
