#include "command/courier.hpp"

#include "command/push.hpp"
#include "fairlane/command/executor.hpp"
#include "fairlane/command/services.hpp"

namespace fairlane::command {
namespace {

/// A larger buffer is given back after the message.
constexpr std::size_t kKept = std::size_t{64} * 1024;

void tidy(base::Buffer& buffer) noexcept {
  if (buffer.capacity() > kKept) {
    buffer.release();
  } else {
    buffer.clear();
  }
}

}  // namespace

void MessageCourier::encode(const engine::Message& message, protocol::Reply reply) {
  const bool by_pattern = message.topic == engine::Topic::pattern;
  reply.push(by_pattern ? 4 : 3);
  if (by_pattern) {
    reply.bulk("pmessage");
    reply.bulk(message.pattern);
  } else {
    reply.bulk(message.topic == engine::Topic::shard ? "smessage" : "message");
  }
  reply.bulk(message.channel);
  reply.bulk(message.text);
}

void MessageCourier::deliver(const engine::Message& message, const engine::Receivers& receivers) {
  for (engine::Subscriber* subscriber : receivers) {
    Session& session = static_cast<Session&>(*subscriber);
    base::Buffer& bytes = session.version == protocol::Version::resp3 ? resp3_ : resp2_;
    if (bytes.empty()) encode(message, protocol::Reply(bytes, session.version));
    push(session, [&](protocol::Reply& reply) { reply.raw(bytes.view()); });
    services_.executor->announce_output(session);
  }
  tidy(resp2_);
  tidy(resp3_);
}

}  // namespace fairlane::command
