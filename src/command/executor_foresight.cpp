// executor_foresight.cpp - what requests will look for, while others run before them.
#include "command/lane/lane_queues.hpp"
#include "fairlane/base/hash.hpp"
#include "fairlane/command/executor.hpp"
#include "fairlane/engine/keyspace.hpp"

namespace fairlane::command {
namespace {

/// Where LANE.ENQUEUE and LANE.COMPLETE have a letter of their own.
constexpr std::size_t kLetter = 5;

}  // namespace

LikelyKeys Executor::look_ahead(const Session& session, std::span<const std::string_view> words) const {
  LikelyKeys likely;
  if (words.size() < 2) return likely;
  const engine::Database& database = services_.keyspace.at(session.db);
  const std::string_view name = words[0];
  if (name.size() <= kLetter || name[kLetter - 1] != '.') {
    likely.key = base::hash_bytes(words[1]);
    database.prefetch(likely.key);
    return likely;
  }
  QueueKeys& keys = lanes_->keys();
  if (words.size() < 4 || words[1] != keys.queue()) return likely;
  const bool enqueues = (name[kLetter] | 0x20) == 'e';
  const std::string_view id = enqueues ? words[3] : words[2];
  likely.key = keys.row(id).hash;
  likely.job_word = id.data();
  database.prefetch(likely.key);
  if (!enqueues || database.size() < kManyKeys) return likely;
  likely.backlog = keys.backlog(words[2]).hash;
  likely.lane_word = words[2].data();
  database.prefetch(likely.backlog);
  likely.lane = base::hash_bytes(words[2]);
  if (const QueueState* state = lanes_->known(session.db)) state->index.prefetch(likely.lane);
  return likely;
}

void Executor::look_closer(const Session& session, const LikelyKeys& likely) const {
  const engine::Database& database = services_.keyspace.at(session.db);
  database.prefetch_entry(likely.key);
  if (likely.lane == 0) return;
  database.prefetch_entry(likely.backlog);
  if (const QueueState* state = lanes_->known(session.db)) state->index.prefetch_entry(likely.lane);
}

void Executor::look_inside(const Session& session, const LikelyKeys& likely) const {
  const engine::Database& database = services_.keyspace.at(session.db);
  if (database.size() < kManyKeys) return;
  database.prefetch_value(likely.lane != 0 ? likely.backlog : likely.key);
}

}  // namespace fairlane::command
