#include "command/scan_options.hpp"

#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <string>

#include "fairlane/base/buffer.hpp"
#include "fairlane/base/number.hpp"

namespace fairlane::command {
namespace {

/// More than any container holds; keeps arithmetic on counts far from overflow.
constexpr std::int64_t kMostAtOnce = std::int64_t{1} << 40;

}  // namespace

std::optional<std::uint64_t> parse_cursor(std::string_view text) {
  if (const auto value = base::parse_integer(text); value && *value >= 0) return static_cast<std::uint64_t>(*value);
  if (!text.empty() && std::isspace(static_cast<unsigned char>(text[0])) != 0) return std::nullopt;
  const std::string terminated(text);
  char* end = nullptr;
  errno = 0;
  const std::uint64_t value = std::strtoull(terminated.c_str(), &end, 10);
  if (*end != '\0' || errno == ERANGE) return std::nullopt;
  return value;
}

bool take_scan_option(Args& args, ScanOptions& options) noexcept {
  if (args.option_with("COUNT", 1)) {
    const std::int64_t count = args.integer_in(1, INT64_MAX, errors::kSyntax);
    options.count = static_cast<std::size_t>(count < kMostAtOnce ? count : kMostAtOnce);
    return args.ok();
  }
  if (args.option_with("MATCH", 1)) {
    options.pattern = args.text();
    return true;
  }
  return false;
}

ScanOptions take_scan_options(Args& args) noexcept {
  ScanOptions options;
  while (args.more()) {
    if (!take_scan_option(args, options)) args.fail(errors::kSyntax);
  }
  return options;
}

void close_scan(protocol::Reply& reply, protocol::Reply::Place elements, std::uint64_t cursor, std::size_t count) {
  reply.close_array(elements, count);
  base::Buffer head;
  protocol::Reply writer(head, reply.version());
  writer.array(2);
  writer.bulk(base::NumberText(cursor));
  reply.buffer().insert(elements.offset, head.view());
}

}  // namespace fairlane::command
