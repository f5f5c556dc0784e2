// The only file that sees spdlog, so that its headers are compiled once and no library has to be loaded at the start.
#define FMT_HEADER_ONLY
#define SPDLOG_NO_ATOMIC_LEVELS
#include "fairlane/base/log.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <mutex>

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wold-style-cast"
#pragma GCC diagnostic ignored "-Wpedantic"
#endif
#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

namespace fairlane::base {
namespace {

/// The sign of a line's importance.
class SignFlag : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& out) override {
    switch (message.level) {
      case spdlog::level::trace:
        out.push_back('.');
        break;
      case spdlog::level::debug:
        out.push_back('-');
        break;
      case spdlog::level::info:
        out.push_back('*');
        break;
      default:
        out.push_back('#');
        break;
    }
  }
  std::unique_ptr<custom_flag_formatter> clone() const override { return std::make_unique<SignFlag>(); }
};

class LineSink : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 public:
  std::string path;

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    const int file =
        path.empty() ? STDOUT_FILENO : ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    if (file < 0) return;
    // A log that cannot be written is no reason to stop.
    [[maybe_unused]] const auto written = ::write(file, line.data(), line.size());
    if (!path.empty()) ::close(file);
  }
  void flush_() override {}
};

spdlog::level::level_enum level_of(Log::Level level) noexcept {
  switch (level) {
    case Log::Level::debug:
      return spdlog::level::trace;
    case Log::Level::verbose:
      return spdlog::level::debug;
    case Log::Level::notice:
      return spdlog::level::info;
    case Log::Level::warning:
      break;
  }
  return spdlog::level::warn;
}

}  // namespace

struct Log::State {
  std::shared_ptr<LineSink> sink = std::make_shared<LineSink>();
  spdlog::logger logger{"", sink};
};

Log::Log() : state_(std::make_unique<State>()) {
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  formatter->add_flag<SignFlag>('*').set_pattern("%P:M %d %b %Y %H:%M:%S.%e %* %v");
  state_->logger.set_formatter(std::move(formatter));
  state_->logger.set_level(spdlog::level::info);
}

Log::~Log() = default;

void Log::set_level(Level least) noexcept { state_->logger.set_level(level_of(least)); }
void Log::set_file(std::string path) { state_->sink->path = std::move(path); }
void Log::write(Level level, std::string_view text) {
  state_->logger.log(level_of(level), spdlog::string_view_t(text.data(), text.size()));
}

}  // namespace fairlane::base
