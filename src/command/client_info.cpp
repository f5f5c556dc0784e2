#include "command/client_info.hpp"

#include <algorithm>

#include "command/acl/user.hpp"
#include "command/memory_overhead.hpp"
#include "fairlane/base/number.hpp"
#include "fairlane/base/text_match.hpp"
#include "fairlane/command/catalog.hpp"

namespace fairlane::command {
namespace {

/// Output up to this size counts as the client's own fixed buffer, beyond it as a list of one block: the two figures
/// that tools know.
constexpr std::size_t kFixedOutput = std::size_t{16} * 1024;

class Line {
 public:
  explicit Line(std::string& text) noexcept : text_(text) {}

  Line& field(std::string_view name, std::string_view value) {
    if (!first_) text_ += ' ';
    first_ = false;
    text_.append(name).append("=").append(value);
    return *this;
  }
  Line& field(std::string_view name, std::integral auto value) { return field(name, base::NumberText(value).view()); }

 private:
  std::string& text_;
  bool first_ = true;
};

std::string flags_of(const Session& session) {
  std::string flags;
  if (session.monitor) flags += 'O';
  if (session.subscriptions() != 0) flags += 'P';
  if (session.transaction.open) flags += 'x';
  if (session.waiting || session.paused) flags += 'b';
  if (session.tracking) {
    flags += 't';
    if (session.tracking->broken) flags += 'R';
    if (session.tracking->broadcast) flags += 'B';
  }
  if (session.watched.broken) flags += 'd';
  if (session.close_after_reply) flags += 'c';
  if (session.close_now) flags += 'A';
  if (session.peer.unix_socket) flags += 'U';
  if (session.no_evict) flags += 'e';
  if (flags.empty()) flags = "N";
  return flags;
}

}  // namespace

std::optional<ClientType> parse_client_type(std::string_view text) noexcept {
  if (base::equal_ignoring_case(text, "normal")) return ClientType::normal;
  if (base::equal_ignoring_case(text, "pubsub")) return ClientType::pubsub;
  if (base::equal_ignoring_case(text, "replica") || base::equal_ignoring_case(text, "slave")) {
    return ClientType::replica;
  }
  if (base::equal_ignoring_case(text, "master")) return ClientType::none;
  return std::nullopt;
}

bool is_type(const Session& session, ClientType type) noexcept {
  const ClientClass of_client = class_of(session);
  switch (type) {
    case ClientType::normal:
      return of_client == ClientClass::normal;
    case ClientType::pubsub:
      return of_client == ClientClass::pubsub;
    case ClientType::replica:
      return of_client == ClientClass::replica;
    case ClientType::none:
      break;
  }
  return false;
}

bool valid_client_name(std::string_view name) noexcept {
  return std::all_of(name.begin(), name.end(), [](char c) { return c >= '!' && c <= '~'; });
}

void describe(const Session& session, base::Wall now, std::size_t argument_bytes, std::string& text) {
  if (session.waiting) argument_bytes = session.waiting->request.memory();
  using std::chrono::duration_cast;
  using std::chrono::seconds;
  const auto since = [&](base::Wall when) {
    return std::max<std::int64_t>(duration_cast<seconds>(now - when).count(), 0);
  };
  const std::size_t unsent = session.unsent();
  const bool listed = unsent > kFixedOutput;
  const std::size_t queued = session.transaction.memory;
  const std::size_t total = memory_of(session) + argument_bytes;
  Line(text)
      .field("id", session.id)
      .field("addr", session.peer.address)
      .field("laddr", session.peer.local_address)
      .field("fd", session.peer.descriptor)
      .field("name", session.name)
      .field("age", since(session.created))
      .field("idle", since(session.last_interaction))
      .field("flags", flags_of(session))
      .field("db", session.db)
      .field("sub", session.channels.size())
      .field("psub", session.patterns.size())
      .field("ssub", session.shard_channels.size())
      .field("multi", session.transaction.open ? static_cast<std::int64_t>(session.transaction.queue.size()) : -1)
      .field("qbuf", session.query_buffer)
      .field("qbuf-free", session.query_buffer_free)
      .field("argv-mem", argument_bytes)
      .field("multi-mem", queued)
      .field("rbs", std::min(session.out.capacity(), kFixedOutput))
      .field("rbp", std::min(session.out.capacity(), kFixedOutput))
      .field("obl", listed ? std::size_t{0} : unsent)
      .field("oll", listed ? 1 : 0)
      .field("omem", listed ? unsent : std::size_t{0})
      .field("tot-mem", total)
      .field("events", session.awaits_writable ? "rw" : "r")
      .field("cmd", session.last_command == nullptr ? std::string_view("NULL") : session.last_command->name)
      .field("user", session.user->name)
      .field("redir", session.tracking ? static_cast<std::int64_t>(session.tracking->redirect) : std::int64_t{-1})
      .field("resp", session.version == protocol::Version::resp3 ? 3 : 2);
}

}  // namespace fairlane::command
