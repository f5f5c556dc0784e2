#include "command/lane/arguments.hpp"

#include <array>

namespace fairlane::command {
namespace {

constexpr std::size_t kLongestQueueName = 128;
constexpr std::size_t kLongestName = 512;

constexpr std::array<bool, 256> kQueueNameBytes = [] {
  std::array<bool, 256> allowed{};
  constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:-";
  for (const char c : kAlphabet) allowed[static_cast<unsigned char>(c)] = true;
  return allowed;
}();

std::string_view read_name(Args& args, std::string_view error) noexcept {
  const std::string_view name = args.text();
  if (name.empty() || name.size() > kLongestName) args.fail(error);
  return name;
}

}  // namespace

bool valid_queue_name(std::string_view name) noexcept {
  if (name.empty() || name.size() > kLongestQueueName) return false;
  for (const char c : name) {
    if (!kQueueNameBytes[static_cast<unsigned char>(c)]) return false;
  }
  return true;
}

std::string_view read_queue(Args& args) noexcept {
  const std::string_view name = args.text();
  if (!valid_queue_name(name)) args.fail(lane_errors::kQueueName);
  return name;
}

std::string_view read_lane(Args& args) noexcept { return read_name(args, lane_errors::kLaneName); }
Scope read_scope(Args& args) noexcept {
  Scope scope{read_queue(args), {}, args.left() == 0};
  if (!scope.whole) scope.lane = read_lane(args);
  if (args.left() != 0) args.fail(errors::kSyntax);
  return scope;
}

std::string_view read_job_id(Args& args) noexcept { return read_name(args, lane_errors::kJobId); }

std::int64_t read_lease(Args& args) noexcept {
  return args.integer_in(1, kLongestLease, lane_errors::kLease, lane_errors::kLease);
}

std::int64_t read_delay(Args& args) noexcept {
  return args.integer_in(0, kLongestLease, lane_errors::kDelay, lane_errors::kDelay);
}

std::int64_t read_instant(Args& args) noexcept {
  return args.integer_in(1, kLongestLease, lane_errors::kInstant, lane_errors::kInstant);
}

std::size_t read_count(Args& args, std::string_view error) noexcept {
  return static_cast<std::size_t>(args.integer_in(1, INT64_MAX, error, error));
}

std::int64_t read_block(Args& args) noexcept {
  const std::int64_t millis = args.integer(errors::kTimeoutNotInteger);
  if (args.ok() && millis < 0) args.fail(errors::kTimeoutNegative);
  if (args.ok() && millis > kLongestLease) args.fail(errors::kTimeoutRange);
  return millis;
}

}  // namespace fairlane::command
