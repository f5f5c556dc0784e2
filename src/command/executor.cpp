#include "fairlane/command/executor.hpp"

#include <algorithm>
#include <string>

#include "command/monitors.hpp"
#include "command/slow_log.hpp"
#include "fairlane/base/memory_use.hpp"
#include "fairlane/base/ticks.hpp"
#include "fairlane/command/catalog.hpp"
#include "fairlane/command/sessions.hpp"
#include "fairlane/command/settings.hpp"
#include "fairlane/engine/keyspace.hpp"

namespace fairlane::command {
namespace {

/// Keys removed in one go by the expiry timer, so that no sweep stops the server for long.
constexpr std::size_t kExpirySweep = 1000;

std::string unknown_command(std::span<const std::string_view> words) {
  // Redis cuts the name and the arguments it quotes at 128 bytes altogether.
  std::string text = "ERR unknown command '" + std::string(words[0].substr(0, 128)) + "', with args beginning with: ";
  std::string arguments;
  for (std::size_t i = 1; i < words.size() && arguments.size() < 128; ++i) {
    arguments += '\'';
    arguments += words[i].substr(0, 128 - (arguments.size() - 1));
    arguments += "' ";
  }
  return text + arguments;
}

/// The next word goes through whatever state the session is in?
bool plain(const Session& session) noexcept {
  return session.authenticated && !session.transaction.open && session.reply_mode == ReplyMode::on &&
         !session.push_only() && !session.monitor;
}

}  // namespace

Executor::Executor(Services& services) : services_(services) {
  services_.executor = this;
  services_.stats.memory_at_start = base::memory_use().allocated;
  slow_log_ = std::make_unique<SlowLog>(services);
  monitors_ = std::make_unique<Monitors>(services);
  services_.slow_log = slow_log_.get();
  services_.monitors = monitors_.get();
}

Executor::~Executor() = default;

Session& Executor::connect(Peer peer) {
  Session& session = services_.sessions.add();
  session.peer = std::move(peer);
  session.authenticated = services_.settings.requirepass.empty();
  session.created = session.last_interaction = services_.clock.wall();
  ++services_.stats.connections_received;
  return session;
}

void Executor::disconnect(Session& session) {
  if (session.waiting) unpark(session);
  if (session.monitor) monitors_->remove(session);
  services_.watches.unwatch(session.watched);
  services_.sessions.remove(session.id);
}

void Executor::refresh_time() {
  engine::Shared& shared = services_.keyspace.shared();
  shared.now = base::unix_millis(services_.clock.wall());
  shared.access_clock = static_cast<std::uint32_t>(shared.now / 1000);
}

void Executor::begin_batch() { refresh_time(); }

void Executor::end_batch() {
  engine::Shared& shared = services_.keyspace.shared();
  if (!shared.deadline_came_nearer) return;
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

void Executor::expire_due_keys() {
  refresh_time();
  if (services_.settings.active_expiry) services_.keyspace.expire_due(kExpirySweep);
  services_.keyspace.shared().deadline_came_nearer = true;
  serve_ready();
  end_batch();
}

Command* Executor::resolve(Session& session, std::span<const std::string_view> words) {
  Command* command = services_.catalog.find(words[0]);
  if (command == nullptr) [[unlikely]] {
    refuse(session, nullptr, unknown_command(words));
    return nullptr;
  }
  if (!command->subcommands.empty() && words.size() > 1) {
    Command* child = Catalog::find_subcommand(*command, words[1]);
    if (child == nullptr) {
      std::string upper = command->name;
      for (char& c : upper) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
      refuse(session, nullptr,
             "ERR unknown subcommand '" + std::string(words[1].substr(0, 128)) + "'. Try " + upper + " HELP.");
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
  const std::size_t mark = session.out.size();
  protocol::Reply(session.out, session.version).error(error);
  ++services_.stats.errors;
  if (command != nullptr) ++command->stats.rejected;
  if (session.transaction.open) session.transaction.broken = true;
  after_reply(session, mark);
}

/// CLIENT REPLY: takes back what was written when the client wants no reply.
void Executor::after_reply(Session& session, std::size_t mark) {
  switch (session.reply_mode) {
    case ReplyMode::on:
      return;
    case ReplyMode::off:
      break;
    case ReplyMode::skip_next:
      session.reply_mode = ReplyMode::skip_this;
      break;
    case ReplyMode::skip_this:
      session.reply_mode = ReplyMode::on;
      break;
  }
  session.out.truncate(std::min(mark, session.out.size()));
}

Executor::Ran Executor::run(Session& session, std::span<const std::string_view> words) {
  if (words.empty()) return Ran::yes;
  Command* command = resolve(session, words);
  if (command == nullptr) [[unlikely]]
    return Ran::yes;
  if (paused_ || !plain(session)) [[unlikely]]
    return run_gated(session, *command, words);
  call(session, *command, words);
  return Ran::yes;
}

Executor::Ran Executor::run_gated(Session& session, Command& command, std::span<const std::string_view> words) {
  if (!session.authenticated && !has(command.flags, Flag::no_auth)) {
    refuse(session, &command, errors::kNoAuth);
    return Ran::yes;
  }
  if (session.push_only() && !has(command.flags, Flag::when_subscribed)) {
    refuse(session, &command,
           "ERR Can't execute '" + command.name +
               "': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context");
    return Ran::yes;
  }
  if (session.monitor && has(command.flags, Flag::write | Flag::readonly | Flag::may_replicate)) {
    refuse(session, &command, "ERR Replica can't interact with the keyspace");
    return Ran::yes;
  }
  if (paused(command) && !session.transaction.open) {
    session.paused = true;
    return Ran::held;
  }
  if (session.transaction.open && !has(command.flags, Flag::not_queued)) {
    if (has(command.flags, Flag::no_multi)) {
      refuse(session, &command, "ERR Command not allowed inside a transaction");
      return Ran::yes;
    }
    const std::size_t mark = session.out.size();
    auto& queued = session.transaction.queue.emplace_back(Transaction::Queued{&command, OwnedRequest(words)});
    session.transaction.memory += queued.request.memory();
    protocol::Reply(session.out, session.version).simple("QUEUED");
    after_reply(session, mark);
    return Ran::yes;
  }
  call(session, command, words);
  return Ran::yes;
}

void Executor::call(Session& session, Command& command, std::span<const std::string_view> words) {
  const std::size_t mark = session.out.size();
  protocol::Reply reply(session.out, session.version);
  engine::Database& database = services_.keyspace.at(session.db);
  Context context{database, session, reply, services_, words, command, services_.keyspace.shared().now, true, false};
  Args args(words, command.words);
  ++session.commands;
  session.last_command = &command;
  ++services_.stats.commands_processed;
  const std::uint64_t start = base::ticks();
  const Outcome outcome = command.handler(context, args);
  const std::uint64_t spent = base::ticks() - start;
  ++command.stats.calls;
  command.stats.ticks += spent;
  if (outcome != Outcome::done) [[unlikely]]
    finish(context, outcome, mark);
  if (session.reply_mode != ReplyMode::on) [[unlikely]]
    after_reply(session, mark);
  if (monitor_ && !has(command.flags, Flag::skip_monitor | Flag::admin)) [[unlikely]]
    monitor_(session, command, words);
  if (spent >= slow_ticks_ && !has(command.flags, Flag::skip_slowlog)) [[unlikely]] {
    slow_observer_(session, command, words, spent);
  }
  if (services_.waits.any_ready()) [[unlikely]]
    serve_ready();
}

void Executor::finish(Context& context, Outcome outcome, std::size_t mark) {
  if (outcome == Outcome::failed) {
    context.reply.buffer().truncate(mark);
    context.reply.error(context.error);
    ++services_.stats.errors;
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
                          protocol::Reply& reply) {
  const std::size_t mark = reply.buffer().size();
  Context context{services_.keyspace.at(session.db), session, reply, services_, words, command,
                  services_.keyspace.shared().now,   false,   true};
  Args args(words, command.words);
  const std::uint64_t start = base::ticks();
  const Outcome outcome = command.handler(context, args);
  const std::uint64_t spent = base::ticks() - start;
  ++command.stats.calls;
  command.stats.ticks += spent;
  ++services_.stats.commands_processed;
  if (outcome != Outcome::done) finish(context, outcome, mark);
  if (monitor_ && !has(command.flags, Flag::skip_monitor | Flag::admin)) monitor_(session, command, words);
  if (spent >= slow_ticks_ && !has(command.flags, Flag::skip_slowlog)) slow_observer_(session, command, words, spent);
}

void Executor::set_slow_observer(std::uint64_t ticks, SlowObserver observer) {
  slow_ticks_ = observer ? ticks : UINT64_MAX;
  slow_observer_ = std::move(observer);
}

// --- waiting

void Executor::park(Context& context) {
  Session& session = context.session;
  services_.waits.add(session.id, session.db, context.wait_keys);
  session.waiting =
      std::make_unique<Waiting>(Waiting{OwnedRequest(context.request), &context.command, 0, false, context.wait_reply});
  if (context.wait_millis > 0) {
    session.waiting->has_timer = true;
    session.waiting->timer =
        services_.scheduler.at(services_.clock.steady() + base::Millis(context.wait_millis), [this, id = session.id] {
          Session* late = services_.sessions.find(id);
          if (late == nullptr || !late->waiting) return;
          late->waiting->has_timer = false;
          unblock(*late);
        });
  }
}

void Executor::unpark(Session& session) {
  services_.waits.remove(session.id);
  if (session.waiting->has_timer) services_.scheduler.cancel(session.waiting->timer);
  session.waiting.reset();
}

bool Executor::unblock(Session& session, std::string_view error) {
  if (!session.waiting) return false;
  protocol::Reply reply(session.out, session.version);
  const std::size_t mark = session.out.size();
  if (error.empty()) {
    session.waiting->on_timeout(reply);
  } else {
    reply.error(error);
  }
  unpark(session);
  after_reply(session, mark);
  announce_output(session);
  services_.host->resume(session);
  return true;
}

void Executor::serve_ready() {
  // A served client may fill further keys (BLMOVE), which join the end of the line and are served by this same loop.
  if (serving_) return;
  serving_ = true;
  while (const auto ready = services_.waits.take_ready()) {
    for (const SessionId id : services_.waits.waiters(*ready)) {
      Session* session = services_.sessions.find(id);
      if (session == nullptr || !session->waiting) continue;
      serve(*session, ready->key);
    }
  }
  serving_ = false;
}

/// Runs a parked client's request again for one key; true when it was answered and no longer waits.
bool Executor::serve(Session& session, std::string_view key) {
  Command& command = *session.waiting->command;
  const std::size_t mark = session.out.size();
  protocol::Reply reply(session.out, session.version);
  const auto words = session.waiting->request.words();
  Context context{services_.keyspace.at(session.db), session, reply, services_, words, command,
                  services_.keyspace.shared().now,   true,    false};
  context.served_key = &key;
  Args args(words, command.words);
  const Outcome outcome = command.handler(context, args);
  // A key that came to hold another type is none of the client's business: it waits on.
  const bool waits_on = outcome == Outcome::wait || (outcome == Outcome::failed && context.error == errors::kWrongType);
  if (waits_on) {
    session.out.truncate(mark);
    return false;
  }
  if (outcome == Outcome::failed) finish(context, outcome, mark);
  unpark(session);
  after_reply(session, mark);
  announce_output(session);
  services_.host->resume(session);
  return true;
}

// --- pausing and closing

bool Executor::paused(const Command& command) const noexcept {
  if (!paused_) return false;
  if (!pause_writes_only_) return true;
  return has(command.flags, Flag::write | Flag::may_replicate);
}

void Executor::pause(base::Wall until, bool writes_only) {
  if (paused_) services_.scheduler.cancel(pause_timer_);
  paused_ = true;
  pause_writes_only_ = writes_only;
  const auto delay = std::max(until - services_.clock.wall(), base::Millis(0));
  pause_timer_ = services_.scheduler.at(services_.clock.steady() + delay, [this] {
    paused_ = false;
    unpause();
  });
}

void Executor::unpause() {
  if (paused_) services_.scheduler.cancel(pause_timer_);
  paused_ = false;
  services_.sessions.for_each([this](Session& session) {
    if (!session.paused) return;
    session.paused = false;
    services_.host->resume(session);
  });
}

void Executor::announce_output(Session& session) {
  if (session.output_announced) return;
  session.output_announced = true;
  services_.host->output_ready(session);
}

void Executor::close(Session& session, bool after_reply) {
  (after_reply ? session.close_after_reply : session.close_now) = true;
  services_.host->close(session);
}

}  // namespace fairlane::command
