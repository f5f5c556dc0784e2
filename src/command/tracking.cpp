#include "command/tracking.hpp"

#include <algorithm>

#include "command/introspection.hpp"
#include "command/push.hpp"
#include "fairlane/command/catalog.hpp"
#include "fairlane/command/executor.hpp"
#include "fairlane/command/services.hpp"
#include "fairlane/command/sessions.hpp"
#include "fairlane/command/settings.hpp"
#include "fairlane/engine/keyspace.hpp"

namespace fairlane::command {
namespace {

constexpr std::string_view kChannel = "__redis__:invalidate";

void write_keys(protocol::Reply& reply, std::span<const std::string_view> keys) {
  if (keys.empty()) return reply.null();
  reply.array(keys.size());
  for (const std::string_view key : keys) reply.bulk(key);
}

}  // namespace

Tracking::Tracking(Services& services) : services_(services) {
  services.keyspace.shared().changes.attach(engine::Listener::tracking, *this);
}

void Tracking::update_interest() {
  services_.keyspace.shared().changes.set_interest(engine::Listener::tracking, !clients_.empty());
}

void Tracking::enable(Session& session, ClientTracking wanted) {
  disable(session);
  if (wanted.broadcast) ++broadcasters_;
  session.tracking = std::make_unique<ClientTracking>(std::move(wanted));
  clients_.insert(session.id);
  update_interest();
}

void Tracking::disable(Session& session) {
  if (!session.tracking) return;
  if (session.tracking->broadcast) --broadcasters_;
  session.tracking.reset();
  clients_.erase(session.id);
  update_interest();
}

void Tracking::note(Session& session, const Command& command, std::span<const std::string_view> words) {
  if (has(command.flags, Flag::readonly)) remember(session, command, words);
  // CLIENT CACHING holds for one command, or one transaction.
  const bool about_clients = command.parent != nullptr && command.parent->name == "client";
  if (!about_clients && !session.transaction.open) session.tracking->caching = false;
}

void Tracking::note_script(Session& session, const Command& command, std::span<const std::string_view> words) {
  remember(session, command, words);
}

void Tracking::remember(Session& session, const Command& command, std::span<const std::string_view> words) {
  const ClientTracking& mine = *session.tracking;
  const bool wanted = mine.opt_in ? mine.caching : !(mine.opt_out && mine.caching);
  if (mine.broadcast || !wanted) return;
  for (const RequestKey& key : keys_of(*command.spec, words)) {
    if (readers_[std::string(words[key.position])].insert(session.id).second) ++items_;
  }
  const auto most = static_cast<std::size_t>(services_.settings.tracking_table_max_keys);
  while (most != 0 && readers_.size() > most) {
    const std::string key = readers_.begin()->first;
    invalidate(key, 0);
  }
}

void Tracking::on_change(const engine::Change& change) {
  if (!change.modified) return;
  const Session* running = services_.executor->running();
  const SessionId changer = running == nullptr ? 0 : running->id;
  if (!readers_.empty()) invalidate(change.key, changer);
  if (broadcasters_ != 0) changed_[std::string(change.key)] = changer;
}

void Tracking::invalidate(std::string_view key, SessionId changer) {
  const auto found = readers_.find(std::string(key));
  if (found == readers_.end()) return;
  const std::set<SessionId> readers = std::move(found->second);
  const std::string name = found->first;
  items_ -= readers.size();
  readers_.erase(found);
  const std::string_view one = name;
  for (const SessionId id : readers) {
    const Session* session = services_.sessions.find(id);
    if (session != nullptr && session->tracking && !session->tracking->broadcast) tell(id, {&one, 1}, changer);
  }
}

/// Keys that have changed; none stands for all.
void Tracking::tell(SessionId id, std::span<const std::string_view> keys, SessionId changer) {
  Session* session = services_.sessions.find(id);
  if (session == nullptr || !session->tracking) return;
  if (session->tracking->no_loop && id == changer) return;
  const Session* running = services_.executor->running();
  if (running == session && session->tracking->redirect == 0) {
    pending_.emplace_back(keys.begin(), keys.end());
  } else {
    send(*session, keys);
  }
}

void Tracking::send(Session& session, std::span<const std::string_view> keys) {
  Session* target = &session;
  if (session.tracking->redirect != 0) {
    target = services_.sessions.find(session.tracking->redirect);
    if (target == nullptr) {
      session.tracking->broken = true;
      if (session.version != protocol::Version::resp3) return;
      push(session, [&](protocol::Reply& reply) {
        reply.push(2);
        reply.bulk("tracking-redir-broken");
        reply.integer(static_cast<std::int64_t>(session.tracking->redirect));
      });
      return services_.executor->announce_output(session);
    }
  }
  if (target->version == protocol::Version::resp3) {
    push(*target, [&](protocol::Reply& reply) {
      reply.push(2);
      reply.bulk("invalidate");
      write_keys(reply, keys);
    });
  } else if (target != &session && target->subscribed()) {
    push(*target, [&](protocol::Reply& reply) {
      reply.push(3);
      reply.bulk("message");
      reply.bulk(kChannel);
      write_keys(reply, keys);
    });
  } else {
    return;
  }
  services_.executor->announce_output(*target);
}

void Tracking::flushed() {
  readers_.clear();
  items_ = 0;
  changed_.clear();
  const Session* running = services_.executor->running();
  for (const SessionId id : std::vector<SessionId>(clients_.begin(), clients_.end())) {
    tell(id, {}, running == nullptr ? 0 : running->id);
  }
}

void Tracking::send_pending(Session& session) {
  const auto pending = std::exchange(pending_, {});
  if (!session.tracking) return;
  for (const std::vector<std::string>& keys : pending) {
    const std::vector<std::string_view> views(keys.begin(), keys.end());
    send(session, views);
  }
}

/// A message for each prefix of each client, with all the keys that have it.
void Tracking::broadcast() {
  const auto changed = std::exchange(changed_, {});
  std::vector<std::string_view> keys;
  for (const SessionId id : std::vector<SessionId>(clients_.begin(), clients_.end())) {
    Session* session = services_.sessions.find(id);
    if (session == nullptr || !session->tracking || !session->tracking->broadcast) continue;
    const std::set<std::string> prefixes = session->tracking->prefixes;
    for (const std::string& prefix : prefixes) {
      keys.clear();
      for (const auto& [key, changer] : changed) {
        if (key.starts_with(prefix) && !(session->tracking->no_loop && changer == id)) keys.emplace_back(key);
      }
      if (!keys.empty()) send(*session, keys);
    }
  }
}

std::size_t Tracking::prefixes() const {
  std::set<std::string_view> different;
  for (const SessionId id : clients_) {
    const Session* session = services_.sessions.find(id);
    if (session == nullptr || !session->tracking || !session->tracking->broadcast) continue;
    different.insert(session->tracking->prefixes.begin(), session->tracking->prefixes.end());
  }
  return different.size();
}

}  // namespace fairlane::command
