// executor_waiting.cpp - clients that wait: parked, served when a key changes, released when their time is over.
#include <algorithm>
#include <optional>

#include "fairlane/base/ticks.hpp"
#include "fairlane/command/catalog.hpp"
#include "fairlane/command/executor.hpp"
#include "fairlane/command/sessions.hpp"
#include "fairlane/command/settings.hpp"
#include "fairlane/engine/keyspace.hpp"
#include "fairlane/engine/wait_queue.hpp"

namespace fairlane::command {
namespace {

/// What a waiting command has a use for: values of its group's type. Any change of the key when that is not all.
std::optional<engine::Type> awaited_type(const Command& command) noexcept {
  switch (command.spec->group) {
    case Group::list:
      return engine::Type::list;
    case Group::sorted_set:
      return engine::Type::sorted_set;
    default:
      return std::nullopt;
  }
}

}  // namespace

void Executor::park(Context& context) {
  Session& session = context.session;
  services_.waits.add(session.id, session.db, context.wait_keys, awaited_type(context.command));
  services_.waits.add_hints(session.id, context.wait_hints);
  OwnedRequest request = context.wait_request ? std::move(*context.wait_request) : OwnedRequest(context.request);
  session.waiting =
      std::make_unique<Waiting>(Waiting{std::move(request), &context.command, 0, false, context.wait_reply});
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

void Executor::note_wait(Session& session, std::span<const std::string_view> words, std::uint64_t spent) {
  Command& command = *session.waiting->command;
  command.stats.note_end(spent, services_.settings.latency_tracking);
  if (spent >= slow_ticks_ && !has(command.flags, Flag::skip_slowlog)) slow_observer_(session, command, words, spent);
}

bool Executor::unblock(Session& session, std::string_view error) {
  if (!session.waiting) return false;
  protocol::Reply reply(session.out, session.version);
  session.reply_start = session.out.size();
  if (error.empty()) {
    session.waiting->on_timeout(reply);
  } else {
    reply.error(error);
    services_.stats.count_error(error);
    ++session.waiting->command->stats.failed;
    // Redis has forgotten the words by then: its slow log shows a request without any.
    note_wait(session, {}, session.waiting->ticks);
  }
  unpark(session);
  after_reply(session, session.mute());
  announce_output(session);
  services_.host->resume(session);
  return true;
}

void Executor::serve_ready() {
  // A served client may fill further keys (BLMOVE), which join the end of the line and are served by this same loop.
  if (serving_) return;
  serving_ = true;
  while (const auto ready = services_.waits.take_ready()) serve_key(*ready);
  serving_ = false;
}

/// Looks at the key before each client: the one before may have taken the last of it.
void Executor::serve_key(const engine::KeyId& id) {
  engine::Database& database = services_.keyspace.at(id.db);
  std::uint64_t turn = 0;
  for (;;) {
    const engine::Entry* entry = database.peek(id.key);
    const auto held = entry != nullptr ? std::optional(entry->type()) : std::nullopt;
    const auto waiter = services_.waits.next_waiter(id, turn, held);
    if (!waiter) return;
    turn = waiter->turn;
    Session* session = services_.sessions.find(waiter->session);
    if (session == nullptr) continue;
    // Claimers of one queue all want the same: where the first finds nothing, so would the others.
    const bool all_alike = session->waiting->command->spec->group == Group::lane;
    if (!serve(*session, id.key) && all_alike) return;
  }
}

/// Runs a parked client's request again for one key. Unless it waits on (false), it is answered and parked no more.
bool Executor::serve(Session& session, std::string_view key) {
  Command& command = *session.waiting->command;
  const std::size_t mark = session.reply_start = session.out.size();
  protocol::Reply reply(session.out, session.version);
  const auto words = session.waiting->request.words();
  Context context{services_.keyspace.at(session.db), session, reply, services_, words, command,
                  services_.keyspace.shared().now,   true,    false};
  context.served_key = &key;
  Args args(words, command.words);
  replying_ = &session;
  const std::uint64_t start = base::ticks();
  const Outcome outcome = command.handler(context, args);
  const std::uint64_t spent = session.waiting->ticks + (base::ticks() - start);
  replying_ = nullptr;
  // A client that looks at every change waits on when the key came to hold another type. Others are called for their
  // type alone, so a wrong one is that of a further key.
  const bool wrong_type = outcome == Outcome::failed && context.error == errors::kWrongType;
  if (outcome == Outcome::wait || (wrong_type && !awaited_type(command))) {
    session.out.truncate(std::max(mark, session.reply_start));
    if (session.unsent() != 0) announce_output(session);
    return false;
  }
  if (outcome == Outcome::failed) finish(context, outcome, mark);
  note_wait(session, words, spent);
  unpark(session);
  after_reply(session, session.mute());
  announce_output(session);
  services_.host->resume(session);
  return true;
}

}  // namespace fairlane::command
