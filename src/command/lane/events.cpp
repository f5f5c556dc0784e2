#include "command/lane/events.hpp"

#include <string>

namespace fairlane::command {
namespace {

/// How many bytes the well-formed UTF-8 character at the beginning of `text` has; 0 when there is none (RFC 3629).
std::size_t character_size(std::string_view text) noexcept {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first < 0xE0) return follows(1) ? 2 : 0;
  if (first >= 0xE0 && first < 0xF0) {
    const bool overlong = first == 0xE0 && byte(1) < 0xA0;
    const bool surrogate = first == 0xED && byte(1) >= 0xA0;
    return follows(1) && follows(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (first >= 0xF0 && first < 0xF5) {
    const bool overlong = first == 0xF0 && byte(1) < 0x90;
    const bool beyond = first == 0xF4 && byte(1) >= 0x90;
    return follows(1) && follows(2) && follows(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

void append_escape(std::string& json, unsigned char byte) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  json.append("\\u00").push_back(kDigits[byte >> 4]);
  json.push_back(kDigits[byte & 15]);
}

/// Bytes that are no UTF-8 are told as the characters of their value.
void append_text(std::string& json, std::string_view text) {
  json.push_back('"');
  while (!text.empty()) {
    const std::size_t size = character_size(text);
    const auto first = static_cast<unsigned char>(text[0]);
    if (size == 0 || first < 0x20) {
      append_escape(json, first);
    } else {
      if (first == '"' || first == '\\') json.push_back('\\');
      json.append(text.substr(0, size));
    }
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  json.push_back('"');
}

class Object {
 public:
  void add(std::string_view name, std::string_view text) {
    begin(name);
    append_text(json_, text);
  }
  void add(std::string_view name, std::int64_t number) {
    begin(name);
    json_.append(base::NumberText(number));
  }
  std::string_view finish() {
    json_.push_back('}');
    return json_;
  }

 private:
  void begin(std::string_view name) {
    json_.push_back(json_.empty() ? '{' : ',');
    append_text(json_, name);
    json_.push_back(':');
  }
  std::string json_;
};

}  // namespace

void write_event(Queue& queue, std::string_view name, const EventDetails& details) {
  const std::string_view channel = queue.keys[QueueKey::events].text;
  if (!queue.services.pubsub.reaches_anyone(channel)) return;
  Object event;
  event.add("event", name);
  if (!details.id.empty()) event.add("id", details.id);
  if (!details.lane.empty()) event.add("lane", details.lane);
  if (details.attempts >= 0) event.add("attempts", details.attempts);
  if (!details.error.empty()) event.add("error", details.error);
  if (details.when >= 0) event.add("when", details.when);
  if (details.count >= 0) event.add("count", details.count);
  event.add("at", queue.now);
  queue.services.pubsub.publish(channel, event.finish());
}

}  // namespace fairlane::command
