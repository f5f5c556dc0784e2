#include "command/slow_log.hpp"

#include <algorithm>

#include "command/introspection.hpp"
#include "fairlane/base/number.hpp"
#include "fairlane/base/ticks.hpp"
#include "fairlane/command/session.hpp"
#include "fairlane/command/settings.hpp"

namespace fairlane::command {
namespace {

constexpr std::size_t kMostWords = 32;
constexpr std::size_t kMostBytes = 128;
constexpr std::int64_t kMicrosAMilli = 1000;

/// No counter of ticks is slower. The true rate takes a millisecond to measure, which is left to the first request that
/// is slow by this measure.
constexpr double kLeastTicksPerMicro = 100;

/// Nothing takes as many ticks.
constexpr double kForever = 1e18;

std::string shortened(std::string_view word) {
  std::string text(word.substr(0, kMostBytes));
  if (word.size() > kMostBytes) {
    text.append("... (").append(base::NumberText(word.size() - kMostBytes).view()).append(" more bytes)");
  }
  return text;
}

std::vector<std::string> shortened(const Command& command, std::span<const std::string_view> words) {
  const std::uint64_t secret = secret_words(*command.spec, words);
  const bool whole = words.size() <= kMostWords;
  const std::size_t kept = whole ? words.size() : kMostWords - 1;
  std::vector<std::string> texts;
  texts.reserve(std::min(words.size(), kMostWords));
  for (std::size_t i = 0; i < kept; ++i)
    texts.push_back(is_secret(secret, i) ? std::string(kRedacted) : shortened(words[i]));
  if (!whole) {
    const base::NumberText more(words.size() - kept);
    texts.push_back(std::string("... (").append(more.view()).append(" more arguments)"));
  }
  return texts;
}

std::uint64_t to_ticks(std::int64_t micros, double rate) noexcept {
  return static_cast<std::uint64_t>(std::min(static_cast<double>(micros) * rate, kForever));
}

}  // namespace

SlowLog::SlowLog(Services& services) : services_(services) { apply_settings(); }

void SlowLog::apply_settings() {
  const std::int64_t limit = least_micros();
  trim();
  measured_ = false;
  if (limit < 0) return services_.executor->set_slow_observer(UINT64_MAX, nullptr);
  services_.executor->set_slow_observer(
      to_ticks(limit, kLeastTicksPerMicro),
      [this](Session& session, const Command& command, std::span<const std::string_view> words, std::uint64_t ticks) {
        note(session, command, words, ticks);
      });
}

std::int64_t SlowLog::least_micros() const noexcept {
  const std::int64_t slow = services_.settings.slowlog_slower_than_micros;
  const std::int64_t millis = services_.settings.latency_threshold_millis;
  if (millis == 0) return slow;
  const std::int64_t spike = millis > INT64_MAX / kMicrosAMilli ? INT64_MAX : millis * kMicrosAMilli;
  return slow < 0 ? spike : std::min(slow, spike);
}

void SlowLog::note(const Session& session, const Command& command, std::span<const std::string_view> words,
                   std::uint64_t ticks) {
  const double rate = base::ticks_per_microsecond();
  const std::int64_t limit = services_.settings.slowlog_slower_than_micros;
  if (!measured_) {
    measured_ = true;
    services_.executor->set_slow_limit(to_ticks(least_micros(), rate));
  }
  const auto micros = static_cast<std::int64_t>(static_cast<double>(ticks) / rate);
  const std::int64_t threshold = services_.settings.latency_threshold_millis;
  if (threshold != 0 && micros / kMicrosAMilli >= threshold) {
    latency_.note(has(command.flags, Flag::fast) ? "fast-command" : "command",
                  base::unix_millis(services_.clock.wall()) / 1000, micros / kMicrosAMilli);
  }
  if (limit < 0 || micros < limit) return;
  entries_.push_front({next_id_++, base::unix_millis(services_.clock.wall()) / 1000, micros, shortened(command, words),
                       session.peer.address, session.name});
  trim();
}

void SlowLog::trim() noexcept {
  const auto most = static_cast<std::size_t>(std::max<std::int64_t>(services_.settings.slowlog_max_len, 0));
  while (entries_.size() > most) entries_.pop_back();
}

}  // namespace fairlane::command
