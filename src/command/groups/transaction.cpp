// transaction.cpp - MULTI, EXEC, DISCARD, WATCH, UNWATCH.
#include "command/acl/access.hpp"
#include "command/groups.hpp"
#include "fairlane/command/catalog.hpp"
#include "fairlane/command/context.hpp"
#include "fairlane/command/executor.hpp"
#include "fairlane/command/services.hpp"
#include "fairlane/engine/keyspace.hpp"
#include "fairlane/engine/watch.hpp"

namespace fairlane::command {
namespace {

Outcome multi(Context& ctx, Args&) {
  if (ctx.session.transaction.open) return ctx.fail("ERR MULTI calls can not be nested");
  ctx.session.transaction.open = true;
  ctx.reply.ok();
  return Outcome::done;
}

Outcome discard(Context& ctx, Args&) {
  if (!ctx.session.transaction.open) return ctx.fail("ERR DISCARD without MULTI");
  ctx.services.executor->discard_transaction(ctx.session);
  ctx.reply.ok();
  return Outcome::done;
}

/// CLIENT REPLY and CLIENT KILL in a transaction act on the replies behind them.
void run_queued(Context& ctx, const Transaction::Queued& queued) {
  Session& session = ctx.session;
  const std::size_t mark = ctx.reply.buffer().size();
  const bool closing = session.close_after_reply;
  const bool mute = session.mute();
  const auto words = queued.request.words();
  // The user's permissions, or the user, may have changed since it was queued.
  const Verdict verdict = ask_permission(ctx.services, session, *queued.command, words, Denials::Place::multi);
  if (verdict.permitted()) {
    ctx.services.executor->run_nested(session, *queued.command, words, ctx.reply, Executor::Unit::transaction);
  } else {
    const std::string error = refusal_in_exec(verdict);
    ctx.reply.error(error);
    ctx.services.stats.count_error(error);
  }
  ctx.reply.set_version(session.version);
  if (closing || (mute && session.mute())) ctx.reply.buffer().truncate(mark);
}

Outcome exec(Context& ctx, Args&) {
  Session& session = ctx.session;
  if (!session.transaction.open) return ctx.fail("ERR EXEC without MULTI");
  if (session.transaction.broken) {
    ctx.services.executor->discard_transaction(ctx.session);
    return ctx.fail(errors::kExecAbort);
  }
  if (engine::WatchTable::broken(session.watched, ctx.services.keyspace)) {
    ctx.services.executor->discard_transaction(ctx.session);
    ctx.reply.null_array();
    return Outcome::done;
  }
  ctx.services.watches.unwatch(session.watched);
  // Stays open while it runs, as CLIENT INFO tells; nothing that ends a transaction is ever queued.
  ctx.reply.array(session.transaction.queue.size());
  for (const Transaction::Queued& queued : session.transaction.queue) run_queued(ctx, queued);
  ctx.services.executor->discard_transaction(session);
  return Outcome::done;
}

Outcome watch(Context& ctx, Args& args) {
  if (ctx.session.transaction.open) return ctx.fail("ERR WATCH inside MULTI is not allowed");
  for (const std::string_view key : args.rest()) {
    if (!ctx.session.watched.broken) ctx.services.watches.watch(ctx.session.watched, ctx.keys, key);
  }
  ctx.reply.ok();
  return Outcome::done;
}

Outcome unwatch(Context& ctx, Args&) {
  ctx.services.watches.unwatch(ctx.session.watched);
  ctx.reply.ok();
  return Outcome::done;
}

constexpr Spec kSpecs[] = {
    {.syntax = "MULTI",
     .handler = multi,
     .flags = Flag::noscript | Flag::loading | Flag::stale | Flag::fast | Flag::allow_busy | Flag::not_queued,
     .group = Group::transactions,
     .docs = {.summary = "Opens a transaction.", .complexity = "O(1)", .since = "1.2.0"}},
    {.syntax = "EXEC",
     .handler = exec,
     .flags = Flag::noscript | Flag::loading | Flag::stale | Flag::skip_slowlog | Flag::not_queued,
     .group = Group::transactions,
     .docs = {.summary = "Runs the queued commands of a transaction.",
              .complexity = "Depends on the commands in the transaction",
              .since = "1.2.0"}},
    {.syntax = "DISCARD",
     .handler = discard,
     .flags = Flag::noscript | Flag::loading | Flag::stale | Flag::fast | Flag::allow_busy | Flag::not_queued,
     .group = Group::transactions,
     .docs = {.summary = "Drops a transaction.", .complexity = "O(N), N queued commands", .since = "2.0.0"}},
    {.syntax = "WATCH key [key ...]",
     .handler = watch,
     .flags = Flag::noscript | Flag::loading | Flag::stale | Flag::fast | Flag::allow_busy | Flag::not_queued,
     .keys = keys_from(1, Use::ro),
     .group = Group::transactions,
     .docs = {.summary = "Lets the next transaction run only if these keys stay as they are.",
              .complexity = "O(1) a key",
              .since = "2.2.0"}},
    {.syntax = "UNWATCH",
     .handler = unwatch,
     .flags = Flag::noscript | Flag::loading | Flag::stale | Flag::fast | Flag::allow_busy,
     .group = Group::transactions,
     .docs = {.summary = "Forgets the watched keys.", .complexity = "O(1)", .since = "2.2.0"}},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> transaction_commands() { return kSpecs; }

}  // namespace fairlane::command
