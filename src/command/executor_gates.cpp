// executor_gates.cpp - what a request has to pass before it runs.
#include <string>

#include "command/acl/access.hpp"
#include "command/client_eviction.hpp"
#include "command/eviction.hpp"
#include "command/script/running_script.hpp"
#include "fairlane/command/executor.hpp"
#include "fairlane/command/settings.hpp"
#include "fairlane/engine/keyspace.hpp"

namespace fairlane::command {
namespace {

/// One way or another.
bool ends_transaction(const Command& command) noexcept {
  return command.name == "exec" || command.name == "discard" || command.name == "quit" || command.name == "reset";
}

}  // namespace

/// The order of the gates is the order of the errors that clients know.
Executor::Ran Executor::run_gated(Session& session, Command& command, std::span<const std::string_view> words,
                                  const LikelyKeys* likely) {
  const bool queueing = session.transaction.open;
  if (must_log_in(session) && !has(command.flags, Flag::no_auth)) {
    refuse(session, &command, errors::kNoAuth);
    return Ran::yes;
  }
  if (queueing && has(command.flags, Flag::no_multi)) {
    refuse(session, &command, "ERR Command not allowed inside a transaction");
    return Ran::yes;
  }
  const auto place = queueing ? Denials::Place::multi : Denials::Place::toplevel;
  if (const Verdict verdict = ask_permission(services_, session, command, words, place); !verdict.permitted()) {
    refuse(session, &command, refusal(verdict, command));
    return Ran::yes;
  }
  if (lacks_memory(session, command)) {
    refuse(session, &command, errors::kOutOfMemory);
    return Ran::yes;
  }
  if (services_.settings.too_few_replicas() && does_any(session, command, Flag::write)) {
    refuse(session, &command, errors::kNoReplicas);
    return Ran::yes;
  }
  if (session.push_only() && !has(command.flags, Flag::when_subscribed)) {
    refuse(session, &command,
           "ERR Can't execute '" + command.name +
               "': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context");
    return Ran::yes;
  }
  if (busy_ && !has(command.flags, Flag::allow_busy)) {
    refuse(session, &command, scripts_->running()->busy_error());
    return Ran::yes;
  }
  if (session.monitor && has(command.flags, Flag::write | Flag::readonly | Flag::may_replicate)) {
    refuse(session, &command, "ERR Replica can't interact with the keyspace");
    return Ran::yes;
  }
  if (paused_for(session, command)) {
    session.paused = true;
    held_.push_back(session.id);
    return Ran::held;
  }
  if (queueing && !has(command.flags, Flag::not_queued)) {
    queue(session, command, words);
  } else {
    call(session, command, words, likely);
  }
  return Ran::yes;
}

bool Executor::out_of_memory() const noexcept { return out_of_memory_ && services_.settings.maxmemory != 0; }

void Executor::weigh(Session& session) { client_eviction_->weigh(session); }

void Executor::make_room() {
  if (!paused_) eviction_->make_room();
}

/// Makes room first. What a transaction collects takes memory, too, so nothing more is queued.
bool Executor::lacks_memory(const Session& session, const Command& command) {
  if (busy_) return false;
  out_of_memory_ = services_.settings.maxmemory != 0 && !paused_ && eviction_->make_room() == Eviction::Room::none;
  if (!out_of_memory_) return false;
  return (session.transaction.open && !ends_transaction(command)) || does_any(session, command, Flag::denyoom);
}

void Executor::queue(Session& session, Command& command, std::span<const std::string_view> words) {
  session.reply_start = session.out.size();
  auto& queued = session.transaction.queue.emplace_back(Transaction::Queued{&command, OwnedRequest(words)});
  session.transaction.memory += queued.request.memory();
  protocol::Reply(session.out, session.version).simple("QUEUED");
  after_reply(session, session.mute());
}

}  // namespace fairlane::command
