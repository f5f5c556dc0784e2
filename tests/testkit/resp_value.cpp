#include "testkit/resp_value.hpp"

#include <charconv>
#include <utility>

namespace fairlane::testkit {
namespace {

constexpr std::size_t kShortestRun = 64;
constexpr std::string_view kDigits = "0123456789abcdef";

std::optional<std::int64_t> to_integer(std::string_view text) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  std::int64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool is_word_byte(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') || byte == '_';
}

bool is_word(std::string_view text) {
  for (const char byte : text) {
    if (!is_word_byte(byte)) return false;
  }
  return !text.empty();
}

// Whether a reader of the notation would take the text, written bare to the end of its line, for exactly this text.
bool fits_bare_line(std::string_view text) {
  if (text.empty() || !is_word_byte(text.front()) || text.back() == ' ') return false;
  if (text.size() >= 3 && text.substr(text.size() - 3) == "...") return false;
  for (const char byte : text) {
    if (byte < ' ' || byte > '~') return false;
  }
  return text.find("${") == std::string_view::npos;
}

void append_escaped(std::string& out, char byte) {
  if (byte == '"' || byte == '\\') {
    out += '\\';
    out += byte;
  } else if (byte == '\n') {
    out += "\\n";
  } else if (byte == '\r') {
    out += "\\r";
  } else if (byte == '\t') {
    out += "\\t";
  } else if (byte >= ' ' && byte <= '~') {
    out += byte;
  } else {
    const auto code = static_cast<unsigned char>(byte);
    out += "\\x";
    out += kDigits[code >> 4];
    out += kDigits[code & 15U];
  }
}

void append_text(std::string& out, char sigil, const std::string& text, bool bare) {
  out += sigil;
  out += bare ? text : quote(text);
}

void append(std::string& out, const Value& value, bool top);

void append_items(std::string& out, std::string_view opening, const Value& value) {
  out += opening;
  bool first = true;
  for (const Value& item : value.items) {
    if (!first) out += ' ';
    first = false;
    append(out, item, false);
  }
  out += ']';
}

void append(std::string& out, const Value& value, bool top) {
  const std::string& text = value.text;
  switch (value.kind) {
    case Kind::simple:
      return append_text(out, '+', text, top ? fits_bare_line(text) : is_word(text));
    case Kind::error:
      return append_text(out, '-', text, top ? fits_bare_line(text) : is_word(text));
    case Kind::blob_error:
      return append_text(out, '!', text, false);
    case Kind::bulk:
      out += quote(text);
      return;
    case Kind::integer:
      append_text(out, ':', text, true);
      return;
    case Kind::number:
      append_text(out, ',', text, true);
      return;
    case Kind::big_number:
      append_text(out, '(', text, true);
      return;
    case Kind::boolean:
      append_text(out, '#', text, true);
      return;
    case Kind::null_bulk:
      out += "$-1";
      return;
    case Kind::null_array:
      out += "*-1";
      return;
    case Kind::null:
      out += '_';
      return;
    case Kind::verbatim:
      out += '=' + text.substr(0, 4) + quote(std::string_view(text).substr(4));
      return;
    case Kind::array:
      return append_items(out, "[", value);
    case Kind::map:
      return append_items(out, "%[", value);
    case Kind::set:
      return append_items(out, "~[", value);
    case Kind::push:
      return append_items(out, ">[", value);
    case Kind::malformed:
      out += "malformed " + quote(text);
      return;
  }
}

std::optional<Kind> aggregate_kind(char type) {
  switch (type) {
    case '*':
      return Kind::array;
    case '%':
      return Kind::map;
    case '~':
      return Kind::set;
    case '>':
      return Kind::push;
    default:
      return std::nullopt;
  }
}

std::optional<Kind> blob_kind(char type) {
  switch (type) {
    case '$':
      return Kind::bulk;
    case '=':
      return Kind::verbatim;
    case '!':
      return Kind::blob_error;
    default:
      return std::nullopt;
  }
}

std::optional<Kind> line_kind(char type, std::string_view rest) {
  switch (type) {
    case '+':
      return Kind::simple;
    case '-':
      return Kind::error;
    case ':':
      return to_integer(rest) ? std::optional(Kind::integer) : std::nullopt;
    case ',':
      return rest.empty() ? std::nullopt : std::optional(Kind::number);
    case '(':
      return rest.empty() ? std::nullopt : std::optional(Kind::big_number);
    case '_':
      return rest.empty() ? std::optional(Kind::null) : std::nullopt;
    case '#':
      return rest == "t" || rest == "f" ? std::optional(Kind::boolean) : std::nullopt;
    default:
      return std::nullopt;
  }
}

}  // namespace

bool is_aggregate(Kind kind) noexcept {
  return kind == Kind::array || kind == Kind::map || kind == Kind::set || kind == Kind::push;
}

std::string show(const Value& value) {
  std::string out;
  append(out, value, true);
  return out;
}

std::string quote(std::string_view bytes) {
  if (bytes.size() > kShortestRun && bytes.find_first_not_of(bytes.front()) == std::string_view::npos) {
    return quote(bytes.substr(0, 1)) + '*' + std::to_string(bytes.size());
  }
  std::string out = "\"";
  for (const char byte : bytes) append_escaped(out, byte);
  out += '"';
  return out;
}

std::string encode_request(const std::vector<std::string>& arguments) {
  std::string out = '*' + std::to_string(arguments.size()) + "\r\n";
  for (const std::string& argument : arguments) {
    out += '$' + std::to_string(argument.size()) + "\r\n";
    out += argument;
    out += "\r\n";
  }
  return out;
}

void RespReader::feed(std::string_view bytes) {
  if (position_ > 0) {
    buffer_.erase(0, position_);
    searched_ -= position_;
    position_ = 0;
  }
  buffer_ += bytes;
}

std::optional<Value> RespReader::next() {
  while (!broken_) {
    Value value;
    const Step step = scan(value);
    if (step == Step::incomplete) return std::nullopt;
    if (value.kind == Kind::malformed) return value;
    if (step == Step::opened) continue;
    if (close_finished(value)) return value;
  }
  return std::nullopt;
}

bool RespReader::close_finished(Value& value) {
  while (!open_.empty()) {
    Open& innermost = open_.back();
    innermost.value.items.push_back(std::move(value));
    if (--innermost.missing > 0) return false;
    value = std::move(innermost.value);
    open_.pop_back();
  }
  return true;
}

RespReader::Step RespReader::scan(Value& value) {
  const std::size_t end = buffer_.find("\r\n", searched_);
  if (end == std::string::npos) {
    searched_ = buffer_.size() > position_ ? buffer_.size() - 1 : position_;
    return Step::incomplete;
  }
  searched_ = end;
  const std::string_view line = std::string_view(buffer_).substr(position_, end - position_);
  if (line.empty()) return malformed(line, value);
  return scan_line(line.front(), line.substr(1), value, end + 2);
}

RespReader::Step RespReader::scan_line(char type, std::string_view rest, Value& value, std::size_t after_line) {
  if (const auto kind = aggregate_kind(type)) return open(*kind, rest, value, after_line);
  if (const auto kind = blob_kind(type)) return scan_blob(*kind, rest, value, after_line);
  const auto kind = line_kind(type, rest);
  if (!kind) return malformed(rest, value);
  value.kind = *kind;
  value.text = rest;
  position_ = searched_ = after_line;
  return Step::complete;
}

RespReader::Step RespReader::scan_blob(Kind kind, std::string_view length, Value& value, std::size_t after_line) {
  const auto size = to_integer(length);
  if (!size || *size < -1 || (kind == Kind::verbatim && *size < 4)) return malformed(length, value);
  if (*size == -1) {
    value.kind = Kind::null_bulk;
    position_ = searched_ = after_line;
    return Step::complete;
  }
  const auto wanted = static_cast<std::size_t>(*size);
  if (buffer_.size() < after_line + wanted + 2) return Step::incomplete;
  if (buffer_.compare(after_line + wanted, 2, "\r\n") != 0) return malformed(length, value);
  value.kind = kind;
  value.text = buffer_.substr(after_line, wanted);
  position_ = searched_ = after_line + wanted + 2;
  return Step::complete;
}

RespReader::Step RespReader::open(Kind kind, std::string_view count, Value& value, std::size_t after_line) {
  const auto announced = to_integer(count);
  if (!announced || *announced < -1) return malformed(count, value);
  position_ = searched_ = after_line;
  value.kind = *announced < 0 ? Kind::null_array : kind;
  if (*announced <= 0) return Step::complete;
  const auto missing = static_cast<std::size_t>(*announced) * (kind == Kind::map ? 2 : 1);
  open_.push_back({std::move(value), missing});
  return Step::opened;
}

RespReader::Step RespReader::malformed(std::string_view line, Value& value) {
  broken_ = true;
  value.kind = Kind::malformed;
  value.text = line;
  return Step::complete;
}

}  // namespace fairlane::testkit
