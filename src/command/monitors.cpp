#include "command/monitors.hpp"

#include <algorithm>

#include "command/introspection.hpp"
#include "command/script/scripts.hpp"
#include "fairlane/base/number.hpp"
#include "fairlane/command/executor.hpp"
#include "fairlane/command/sessions.hpp"

namespace fairlane::command {
namespace {

/// Bytes with an escape of one letter, and those letters.
constexpr std::string_view kPlain = "\\\"\n\r\t\a\b";
constexpr std::string_view kEscaped = "\\\"nrtab";
constexpr std::string_view kHex = "0123456789abcdef";

void append_time(std::string& line, std::int64_t micros) {
  const base::NumberText seconds(micros / 1'000'000);
  const base::NumberText rest(micros % 1'000'000);
  line.append(seconds.view()).append(".").append(6 - rest.view().size(), '0').append(rest.view());
}

void append_origin(std::string& line, const Session& session, bool in_script) {
  const base::NumberText db(session.db);
  line.append(" [").append(db.view()).append(" ");
  if (in_script) {
    line.append("lua]");
    return;
  }
  std::string_view address = session.peer.address;
  if (session.peer.unix_socket) {
    line.append("unix:");
    address.remove_suffix(std::string_view(":0").size());
  }
  line.append(address).append("]");
}

}  // namespace

void append_quoted(std::string& text, std::string_view word) {
  text += '"';
  for (const char c : word) {
    const auto byte = static_cast<unsigned char>(c);
    if (const std::size_t place = kPlain.find(c); place != kPlain.npos) {
      text += '\\';
      text += kEscaped[place];
    } else if (byte >= 0x20 && byte < 0x7F) {
      text += c;
    } else {
      text.append("\\x").append(1, kHex[byte >> 4]).append(1, kHex[byte & 15U]);
    }
  }
  text += '"';
}

void Monitors::add(Session& session) {
  if (session.monitor) return;
  session.monitor = true;
  sessions_.push_back(session.id);
  if (sessions_.size() > 1) return;
  services_.executor->set_monitor([this](const Session& who, const Command& command,
                                         std::span<const std::string_view> words) { show(who, command, words); });
}

void Monitors::remove(Session& session) {
  session.monitor = false;
  std::erase(sessions_, session.id);
  // An observer is not taken away while it runs: a client that reads too slowly is closed by what it is shown.
  if (sessions_.empty() && !showing_) services_.executor->set_monitor(nullptr);
}

void Monitors::show(const Session& session, const Command& command, std::span<const std::string_view> words) {
  line_.clear();
  append_time(line_, services_.clock.wall_micros());
  append_origin(line_, session, services_.scripts->running() != nullptr);
  const std::uint64_t secrets = secret_words(*command.spec, words);
  for (std::size_t i = 0; i < words.size(); ++i) {
    line_ += ' ';
    append_quoted(line_, is_secret(secrets, i) ? kRedacted : words[i]);
  }
  showing_ = true;
  for (std::size_t i = sessions_.size(); i-- > 0;) {
    Session* monitor = services_.sessions.find(sessions_[i]);
    if (monitor == nullptr || monitor->reply_mode == ReplyMode::off) continue;
    protocol::Reply(monitor->out, monitor->version).simple(line_);
    services_.executor->announce_output(*monitor);
  }
  showing_ = false;
}

}  // namespace fairlane::command
