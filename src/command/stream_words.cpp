#include "command/stream_words.hpp"

#include "fairlane/base/number.hpp"

namespace fairlane::command {

using data::Stream;
using data::StreamEntry;
using data::StreamId;

namespace {

constexpr std::size_t kLongestId = 127;

}  // namespace

std::optional<StreamId> parse_stream_id(std::string_view text, std::uint64_t missing) {
  if (text.size() > kLongestId) return std::nullopt;
  const std::size_t dash = text.find('-');
  const auto ms = base::parse_unsigned(text.substr(0, dash));
  if (!ms) return std::nullopt;
  if (dash == std::string_view::npos) return StreamId{*ms, missing};
  const auto seq = base::parse_unsigned(text.substr(dash + 1));
  if (!seq) return std::nullopt;
  return StreamId{*ms, *seq};
}

std::optional<StreamId> parse_stream_place(std::string_view text, std::uint64_t missing) {
  if (text == "-") return StreamId::least();
  if (text == "+") return StreamId::most();
  return parse_stream_id(text, missing);
}

StreamId stream_id(Args& args, std::uint64_t missing) {
  const auto id = parse_stream_id(args.text(), missing);
  if (!id) args.fail(kBadStreamId);
  return id.value_or(StreamId{});
}

namespace {

StreamId range_end(Args& args, std::uint64_t missing, bool is_start) {
  std::string_view text = args.text();
  const bool exclusive = text.starts_with('(') && text.size() > 1;
  if (exclusive) text.remove_prefix(1);
  const auto id = exclusive ? parse_stream_id(text, missing) : parse_stream_place(text, missing);
  if (!id) {
    args.fail(kBadStreamId);
    return {};
  }
  StreamId end = *id;
  if (exclusive && !(is_start ? end.increment() : end.decrement())) {
    args.fail(is_start ? "ERR invalid start ID for the interval" : "ERR invalid end ID for the interval");
  }
  return end;
}

}  // namespace

StreamId stream_range_start(Args& args) { return range_end(args, 0, true); }
StreamId stream_range_end(Args& args) { return range_end(args, UINT64_MAX, false); }

void write_stream_id(protocol::Reply& reply, StreamId id) {
  char text[2 * base::kIntegerChars + 1];
  std::size_t size = base::format_unsigned(text, id.ms);
  text[size++] = '-';
  size += base::format_unsigned(text + size, id.seq);
  reply.bulk({text, size});
}

void write_stream_entry(protocol::Reply& reply, const StreamEntry& entry) {
  reply.array(2);
  write_stream_id(reply, entry.id);
  reply.array(entry.fields() * 2);
  entry.for_each_field([&reply](std::string_view name, std::string_view value) {
    reply.bulk(name);
    reply.bulk(value);
  });
}

void write_stream_range(protocol::Reply& reply, const Stream& stream, StreamId first, StreamId last,
                        std::uint64_t count, bool reverse) {
  const auto place = reply.open();
  std::size_t written = 0;
  const auto write = [&](const StreamEntry& entry) {
    write_stream_entry(reply, entry);
    return ++written != count;
  };
  reverse ? stream.for_each_reverse(first, last, write) : stream.for_each(first, last, write);
  reply.close_array(place, written);
}

std::string quoted_in_stream_error(std::string_view word) { return std::string(word.substr(0, word.find('\0'))); }

std::string no_such_group(std::string_view key, std::string_view group) {
  return "NOGROUP No such consumer group '" + quoted_in_stream_error(group) + "' for key name '" +
         quoted_in_stream_error(key) + "'";
}

std::string no_such_key_or_group(std::string_view key, std::string_view group) {
  return "NOGROUP No such key '" + quoted_in_stream_error(key) + "' or consumer group '" +
         quoted_in_stream_error(group) + "'";
}

}  // namespace fairlane::command
