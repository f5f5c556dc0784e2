#include "fairlane/command/executor.hpp"

#include <algorithm>
#include <string>

#include "command/acl/denials.hpp"
#include "command/client_eviction.hpp"
#include "command/courier.hpp"
#include "command/eviction.hpp"
#include "command/lane/lane_queues.hpp"
#include "command/load_meter.hpp"
#include "command/monitors.hpp"
#include "command/script/running_script.hpp"
#include "command/slow_log.hpp"
#include "command/tracking.hpp"
#include "fairlane/base/hash.hpp"
#include "fairlane/base/memory_use.hpp"
#include "fairlane/base/text_match.hpp"
#include "fairlane/base/ticks.hpp"
#include "fairlane/command/catalog.hpp"
#include "fairlane/command/output_limit.hpp"
#include "fairlane/command/sessions.hpp"
#include "fairlane/command/settings.hpp"
#include "fairlane/command/users.hpp"
#include "fairlane/engine/keyspace.hpp"

namespace fairlane::command {
namespace {

/// Keys removed in one go by the expiry timer, so that no sweep stops the server for long.
constexpr std::size_t kExpirySweep = 1000;
/// How old the time may be that a command goes by; less than it takes to tell milliseconds apart.
constexpr double kTimeGoodForMicroseconds = 100;
/// Of a command's name and of all its arguments in an error.
constexpr std::size_t kQuotedBytes = 128;

/// Redis cuts quoted words at their first NUL as well as at a length.
std::string_view quotable(std::string_view word, std::size_t most) {
  word = word.substr(0, most);
  return word.substr(0, word.find('\0'));
}

std::string unknown_command(std::span<const std::string_view> words) {
  std::string text = "ERR unknown command '";
  text.append(quotable(words[0], kQuotedBytes)).append("', with args beginning with: ");
  std::string arguments;
  for (std::size_t i = 1; i < words.size() && arguments.size() < kQuotedBytes; ++i) {
    const std::size_t room = kQuotedBytes - arguments.size();
    arguments.append("'").append(quotable(words[i], room)).append("' ");
  }
  return text + arguments;
}

/// An HTTP request that a web page was made to send here: nothing of it may run.
bool from_browser(std::string_view word) noexcept {
  return base::equal_ignoring_case(word, "post") || base::equal_ignoring_case(word, "host:");
}

std::string unknown_subcommand(const Command& container, std::string_view word) {
  std::string name = container.name;
  for (char& c : name) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
  std::string text = "ERR unknown subcommand '";
  return text.append(quotable(word, kQuotedBytes)).append("'. Try ").append(name).append(" HELP.");
}

/// The next word goes through whatever state the session is in?
bool plain(const Session& session) noexcept {
  return session.unrestricted && !session.transaction.open && session.reply_mode == ReplyMode::on &&
         !session.push_only() && !session.monitor;
}

}  // namespace

Executor::Executor(Services& services)
    : services_(services),
      exec_(services.catalog.find("exec")),
      time_good_for_(static_cast<std::uint64_t>(kTimeGoodForMicroseconds * base::ticks_per_microsecond())),
      lanes_(std::make_unique<LaneQueues>(services)),
      scripts_(std::make_unique<Scripts>(services)),
      tracking_(std::make_unique<Tracking>(services)),
      users_(std::make_unique<Users>(services)),
      denials_(std::make_unique<Denials>(services)),
      eviction_(std::make_unique<Eviction>(services)),
      client_eviction_(std::make_unique<ClientEviction>(services)),
      courier_(std::make_unique<MessageCourier>(services)) {
  services_.executor = this;
  services_.lanes = lanes_.get();
  services_.scripts = scripts_.get();
  services_.tracking = tracking_.get();
  services_.users = users_.get();
  services_.denials = denials_.get();
  services_.eviction = eviction_.get();
  services_.client_eviction = client_eviction_.get();
  services_.stats.memory_at_start = base::memory_use().allocated;
  slow_log_ = std::make_unique<SlowLog>(services);
  monitors_ = std::make_unique<Monitors>(services);
  load_ = std::make_unique<LoadMeter>(services);
  services_.load = load_.get();
  services_.slow_log = slow_log_.get();
  services_.monitors = monitors_.get();
  services_.pubsub.set_courier(*courier_);
}

Executor::~Executor() = default;

Session& Executor::connect(Peer peer) {
  Session& session = services_.sessions.add();
  session.peer = std::move(peer);
  users_->log_out(session);
  session.created = session.last_interaction = services_.clock.wall();
  ++services_.stats.connections_received;
  return session;
}

void Executor::disconnect(Session& session) {
  leave_registries(session);
  client_eviction_->forget(session);
  services_.sessions.remove(session.id);
}

void Executor::leave_registries(Session& session) {
  if (session.waiting) unpark(session);
  tracking_->disable(session);
  if (session.monitor) monitors_->remove(session);
  discard_transaction(session);
  services_.pubsub.leave(session);
}

void Executor::discard_transaction(Session& session) {
  session.transaction = Transaction{};
  services_.watches.unwatch(session.watched);
}

void Executor::refresh_time() {
  time_good_until_ = base::ticks() + time_good_for_;
  engine::Shared& shared = services_.keyspace.shared();
  shared.now = base::unix_millis(services_.clock.wall());
  shared.access_clock = static_cast<std::uint32_t>(shared.now / 1000);
}

void Executor::begin_batch() { refresh_time(); }

void Executor::end_batch() {
  if (tracking_->has_broadcasts()) [[unlikely]]
    tracking_->broadcast();
  engine::Shared& shared = services_.keyspace.shared();
  if (shared.now >= load_sample_at_) [[unlikely]]
    load_sample_at_ = load_->sample();
  if (!shared.deadline_came_nearer || paused_) return;
  shared.deadline_came_nearer = false;
  const auto nearest = services_.keyspace.nearest_deadline();
  if (!nearest || !services_.settings.active_expiry) return;
  if (expiry_timer_set_ && expiry_timer_at_ <= *nearest) return;
  if (expiry_timer_set_) services_.scheduler.cancel(expiry_timer_);
  expiry_timer_set_ = true;
  expiry_timer_at_ = *nearest;
  const auto delay = base::Millis(std::max<std::int64_t>(*nearest - shared.now, 0));
  expiry_timer_ = services_.scheduler.at(services_.clock.steady() + delay, [this] {
    expiry_timer_set_ = false;
    expire_due_keys();
  });
}

void Executor::run_unit(const std::function<void()>& work) {
  refresh_time();
  work();
  serve_ready();
  end_batch();
}

void Executor::expire_due_keys() {
  run_unit([this] {
    if (services_.settings.active_expiry && !paused_) services_.keyspace.expire_due(kExpirySweep);
    services_.keyspace.shared().deadline_came_nearer = true;
  });
}

Command* Executor::resolve(Session& session, std::span<const std::string_view> words) {
  Command* command = services_.catalog.find(words[0]);
  session.last_command = command;
  if (command == nullptr) [[unlikely]] {
    if (from_browser(words[0])) {
      close(session, false);
      return nullptr;
    }
    refuse(session, nullptr, unknown_command(words));
    return nullptr;
  }
  if (!command->subcommands.empty() && words.size() > 1) {
    Command* child = Catalog::find_subcommand(*command, words[1]);
    session.last_command = child;
    if (child == nullptr) {
      refuse(session, nullptr, unknown_subcommand(*command, words[1]));
      return nullptr;
    }
    command = child;
  }
  if (!command->accepts(words.size()) || command->handler == nullptr) [[unlikely]] {
    refuse(session, command, "ERR wrong number of arguments for '" + command->name + "' command");
    return nullptr;
  }
  return command;
}

void Executor::refuse(Session& session, Command* command, std::string_view error) {
  session.reply_start = session.out.size();
  protocol::Reply reply(session.out, session.version);
  if (command != nullptr && command == exec_) {
    // EXEC that may not run is the end of its transaction.
    discard_transaction(session);
    if (error.starts_with("ERR ")) error.remove_prefix(4);
    reply.error("EXECABORT Transaction discarded because of: " + std::string(error));
  } else {
    reply.error(error);
  }
  services_.stats.count_error(command != nullptr && command == exec_ ? errors::kExecAbort : error);
  if (command != nullptr) ++command->stats.rejected;
  if (session.transaction.open) session.transaction.broken = true;
  after_reply(session, session.mute());
}

/// CLIENT REPLY: takes back what was written when the client wants no reply. A request that ends the silence (CLIENT
/// REPLY ON, RESET) is answered.
void Executor::after_reply(Session& session, bool was_mute) {
  if (was_mute && session.mute()) session.out.truncate(std::min(session.reply_start, session.out.size()));
  if (session.reply_mode == ReplyMode::skip_next) {
    session.reply_mode = ReplyMode::skip_this;
  } else if (session.reply_mode == ReplyMode::skip_this) {
    session.reply_mode = ReplyMode::on;
  }
}

bool Executor::must_log_in(const Session& session) const noexcept { return users_->must_log_in(session); }

Executor::Ran Executor::run(Session& session, std::span<const std::string_view> words, const LikelyKeys* likely) {
  if (words.empty()) return Ran::yes;
  Command* command = resolve(session, words);
  if (command == nullptr) [[unlikely]]
    return Ran::yes;
  const Settings& settings = services_.settings;
  if (paused_ || busy_ || !plain(session) || settings.too_few_replicas() || settings.maxmemory != 0) [[unlikely]]
    return run_gated(session, *command, words, likely);
  call(session, *command, words, likely);
  return Ran::yes;
}

void Executor::call(Session& session, Command& command, std::span<const std::string_view> words,
                    const LikelyKeys* likely) {
  const std::uint64_t start = base::ticks();
  // A slow command before this one in the same batch took time that deadlines must see.
  if (start > time_good_until_) [[unlikely]]
    refresh_time();
  const std::size_t mark = session.reply_start = session.out.size();
  protocol::Reply reply(session.out, session.version);
  engine::Database& database = services_.keyspace.at(session.db);
  Context context{database, session, reply, services_, words, command, services_.keyspace.shared().now, true, false};
  context.likely = likely;
  Args args(words, command.words);
  ++session.commands;
  ++services_.stats.commands_processed;
  const bool was_mute = session.mute();
  replying_ = &session;
  const Outcome outcome = command.handler(context, args);
  const std::uint64_t spent = base::ticks() - start;
  const bool parked = outcome == Outcome::wait;
  // How long a request took that waits is known when it is served.
  command.stats.note(spent, services_.settings.latency_tracking && !parked);
  if (outcome != Outcome::done) [[unlikely]]
    finish(context, outcome, mark);
  if (parked) [[unlikely]]
    session.waiting->ticks = spent;
  if (session.tracking) [[unlikely]]
    tracking_->note(session, command, words);
  replying_ = nullptr;
  if (tracking_->has_pending()) [[unlikely]]
    tracking_->send_pending(session);
  // The request of a parked client is still under way.
  if (session.reply_mode != ReplyMode::on && !session.waiting) [[unlikely]]
    after_reply(session, was_mute);
  if (monitor_ && !has(command.flags, Flag::skip_monitor | Flag::admin)) [[unlikely]]
    monitor_(session, command, words);
  if (spent >= slow_ticks_ && !parked && !has(command.flags, Flag::skip_slowlog)) [[unlikely]]
    slow_observer_(session, command, words, spent);
  if (services_.waits.any_ready()) [[unlikely]]
    serve_ready();
}

void Executor::finish(Context& context, Outcome outcome, std::size_t mark) {
  if (outcome == Outcome::failed) {
    // What was pushed to the session meanwhile is no part of the reply.
    base::Buffer& out = context.reply.buffer();
    const bool own = &out == &context.session.out;
    out.truncate(own ? std::max(mark, context.session.reply_start) : mark);
    context.reply.error(context.error);
    services_.stats.count_error(context.error);
    ++context.command.stats.failed;
    return;
  }
  if (context.may_wait) {
    park(context);
  } else {
    context.wait_reply(context.reply);
  }
}

void Executor::run_nested(Session& session, Command& command, std::span<const std::string_view> words,
                          protocol::Reply& reply, Unit unit) {
  const std::size_t mark = reply.buffer().size();
  Context context{services_.keyspace.at(session.db),
                  session,
                  reply,
                  services_,
                  words,
                  command,
                  services_.keyspace.shared().now,
                  false,
                  unit == Unit::script};
  Args args(words, command.words);
  const std::uint64_t start = base::ticks();
  const Outcome outcome = command.handler(context, args);
  const std::uint64_t spent = base::ticks() - start;
  command.stats.note(spent, services_.settings.latency_tracking);
  ++services_.stats.commands_processed;
  if (outcome != Outcome::done) finish(context, outcome, mark);
  if (session.tracking) [[unlikely]] {
    const RunningScript* script = unit == Unit::script ? scripts_->running() : nullptr;
    if (script == nullptr) {
      tracking_->note(session, command, words);
    } else if (has(command.flags, Flag::readonly)) {
      tracking_->note_script(session, script->command(), script->request());
    }
  }
  if (monitor_ && !has(command.flags, Flag::skip_monitor | Flag::admin)) monitor_(session, command, words);
  if (spent >= slow_ticks_ && !has(command.flags, Flag::skip_slowlog)) slow_observer_(session, command, words, spent);
}

void Executor::set_slow_observer(std::uint64_t ticks, SlowObserver observer) {
  slow_ticks_ = observer ? ticks : UINT64_MAX;
  slow_observer_ = std::move(observer);
}

void Executor::announce_output(Session& session) {
  // A reply under way must find its output where it left it; it is sent, and its size looked at, when it is finished.
  if (&session == replying_) return;
  if (session.close_now || OutputLimits(services_.settings).exceeded(session)) {
    // Nothing of it will be sent; the memory is needed before the batch is over.
    session.out.release();
    session.sent = 0;
    if (!session.close_now) close(session, false);
    return;
  }
  if (session.output_announced) return;
  session.output_announced = true;
  services_.host->output_ready(session);
}

void Executor::close(Session& session, bool after_reply) {
  (after_reply ? session.close_after_reply : session.close_now) = true;
  services_.host->close(session);
}

void Executor::drop(Session& session) { services_.host->drop(session); }

}  // namespace fairlane::command
