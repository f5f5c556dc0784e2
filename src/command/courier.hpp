#pragma once

#include "fairlane/base/buffer.hpp"
#include "fairlane/engine/pubsub.hpp"
#include "fairlane/protocol/reply.hpp"

namespace fairlane::command {

struct Services;

/// Writes published messages to the output of the sessions that receive them. Every subscriber is a Session.
class MessageCourier final : public engine::Courier {
 public:
  explicit MessageCourier(Services& services) noexcept : services_(services) {}

  /// The message's bytes are made once for each protocol version, however many receive it.
  void deliver(const engine::Message& message, const engine::Receivers& receivers) override;

 private:
  static void encode(const engine::Message& message, protocol::Reply reply);

  Services& services_;
  base::Buffer resp2_;  // kept for their room
  base::Buffer resp3_;
};

}  // namespace fairlane::command
