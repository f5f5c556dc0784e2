#include "command/script/running_script.hpp"

#include "command/acl/access.hpp"
#include "fairlane/command/catalog.hpp"
#include "fairlane/command/executor.hpp"
#include "fairlane/command/services.hpp"
#include "fairlane/command/settings.hpp"

namespace fairlane::command {
namespace {

constexpr std::size_t kKeptReplies = std::size_t{64} * 1024;

constexpr std::string_view kUnknown = "ERR Unknown Redis command called from script";
constexpr std::string_view kWordCount = "ERR Wrong number of args calling Redis command from script";
constexpr std::string_view kNotAllowed = "ERR This Redis command is not allowed from script";
constexpr std::string_view kReadOnly = "ERR Write commands are not allowed from read-only scripts.";
constexpr std::string_view kKilled = "ERR Script killed by user with SCRIPT KILL...";

}  // namespace

RunningScript::RunningScript(Context& context, Kind kind, std::string_view name, Rights rights)
    : context_(context),
      scripts_(*context.services.scripts),
      kind_(kind),
      name_(name),
      rights_(rights),
      db_(context.session.db),
      begun_(context.services.clock.steady()) {
  scripts_.running_ = this;
}

/// A script may choose a database for its own time alone.
RunningScript::~RunningScript() {
  scripts_.running_ = nullptr;
  context_.session.db = db_;
  if (scripts_.replies_.capacity() > kKeptReplies) scripts_.replies_.release();
}

std::int64_t RunningScript::milliseconds() const { return (context_.services.clock.steady() - begun_).count(); }

std::string_view RunningScript::busy_error() const noexcept {
  return kind_ == Kind::script
             ? "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE."
             : "BUSY Redis is busy running a script. You can only call FUNCTION KILL or SHUTDOWN NOSAVE.";
}

/// Why the script may not run this; empty when it may. In the order of Redis.
std::string_view RunningScript::refused(const Command* command, std::span<const std::string_view> words) const {
  if (command == nullptr) return kUnknown;
  if (!command->accepts(words.size()) || command->handler == nullptr) return kWordCount;
  if (has(command->flags, Flag::noscript)) return kNotAllowed;
  const Verdict verdict = ask_permission(context_.services, context_.session, *command, words, Denials::Place::lua);
  if (!verdict.permitted()) return refusal_in_script(verdict);
  // To a read-only script, what other servers may have to hear of is a write as well.
  if (!rights_.may_write && has(command->flags, Flag::write | Flag::may_replicate)) return kReadOnly;
  if (!has(command->flags, Flag::write)) return {};
  if (context_.services.settings.too_few_replicas()) return errors::kNoReplicas;
  // Behind its first write a script is not stopped halfway.
  const bool memory_matters = has(command->flags, Flag::denyoom) && !wrote_ && !rights_.ignores_memory_limit;
  if (memory_matters && context_.services.executor->out_of_memory()) return errors::kOutOfMemory;
  return {};
}

std::string_view RunningScript::call(std::span<const std::string_view> words) {
  base::Buffer& out = scripts_.replies_;
  out.clear();
  protocol::Reply reply(out, version_);
  Command* command = context_.services.catalog.find_for(words);
  if (const std::string_view error = refused(command, words); !error.empty()) [[unlikely]] {
    reply.error(error);
    if (command != nullptr) ++command->stats.rejected;
    return out.view();
  }
  if (has(command->flags, Flag::write)) wrote_ = true;
  context_.services.executor->run_nested(context_.session, *command, words, reply, Executor::Unit::script);
  return out.view();
}

std::optional<bool> RunningScript::may_call(std::span<const std::string_view> words) {
  const Command* command = context_.services.catalog.find_for(words);
  if (command == nullptr) return std::nullopt;
  return context_.session.user->check(*command, words).permitted();
}

void RunningScript::log(base::Log::Level level, std::string_view text) {
  if (context_.services.log != nullptr) context_.services.log->write(level, text);
}

void RunningScript::note_error(std::string_view text) {
  context_.services.stats.count_error(text);
  if (!failed_) ++context_.command.stats.failed;
  failed_ = true;
}

std::string_view RunningScript::interrupt() {
  const std::int64_t threshold = context_.services.settings.busy_reply_threshold_millis;
  if (!busy_ && !killed_) {
    const std::int64_t taken = milliseconds();
    if (taken < threshold) return {};
    busy_ = true;
    log(base::Log::Level::warning, "Slow script detected: still in execution after " + std::to_string(taken) +
                                       " milliseconds. You can try killing the script using the " +
                                       (kind_ == Kind::script ? "SCRIPT KILL" : "FUNCTION KILL") +
                                       " command. Script name is: " + std::string(name_) + ".");
  }
  if (!killed_ && !context_.services.executor->serve_others(context_.session)) {
    // The server is about to end, and nobody will hear the reply.
    killed_ = true;
    context_.services.executor->close(context_.session, false);
  }
  return killed_ ? kKilled : std::string_view();
}

}  // namespace fairlane::command
