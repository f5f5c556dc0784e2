#include "fairlane/protocol/reply.hpp"

#include <cstring>

#include "fairlane/base/copy_text.hpp"
#include "fairlane/base/number.hpp"

namespace fairlane::protocol {
namespace {

constexpr std::size_t kHeaderRoom = 24;  // kind, twenty digits, line end

/// Writes kind, number and line end; returns the end.
char* write_header(char* p, char kind, std::int64_t number) {
  *p++ = kind;
  if (number >= 0 && number < 100) {
    if (number >= 10) *p++ = static_cast<char>('0' + number / 10);
    *p++ = static_cast<char>('0' + number % 10);
  } else {
    p += base::format_integer(p, number);
  }
  *p++ = '\r';
  *p++ = '\n';
  return p;
}

}  // namespace

void Reply::header(char kind, std::size_t size) {
  char* const start = out_->reserve(kHeaderRoom);
  out_->grow_by(static_cast<std::size_t>(write_header(start, kind, static_cast<std::int64_t>(size)) - start));
}

void Reply::insert_header(Place place, char kind, std::size_t size) {
  char text[kHeaderRoom];
  const char* end = write_header(text, kind, static_cast<std::int64_t>(size));
  out_->insert(place.offset, {text, static_cast<std::size_t>(end - text)});
}

void Reply::simple(std::string_view text) {
  char* p = out_->reserve(text.size() + 3);
  *p++ = '+';
  std::memcpy(p, text.data(), text.size());
  p += text.size();
  *p++ = '\r';
  *p++ = '\n';
  out_->grow_by(text.size() + 3);
}

void Reply::error(std::string_view text) {
  text = text.substr(0, text.find_last_not_of("\r\n") + 1);
  char* p = out_->reserve(text.size() + 3);
  *p++ = '-';
  for (const char c : text) *p++ = c == '\r' || c == '\n' ? ' ' : c;
  *p++ = '\r';
  *p++ = '\n';
  out_->grow_by(text.size() + 3);
}

void Reply::integer(std::int64_t value) {
  char* const start = out_->reserve(kHeaderRoom);
  out_->grow_by(static_cast<std::size_t>(write_header(start, ':', value) - start));
}

void Reply::boolean(bool value) {
  if (resp3()) {
    out_->append(value ? "#t\r\n" : "#f\r\n");
  } else {
    out_->append(value ? ":1\r\n" : ":0\r\n");
  }
}

void Reply::number(double value) {
  if (!resp3()) return bulk_number(value);
  char* const start = out_->reserve(base::kDoubleChars + 3);
  *start = ',';
  const std::size_t length = base::format_double(start + 1, value);
  std::memcpy(start + 1 + length, "\r\n", 2);
  out_->grow_by(length + 3);
}

void Reply::number_text(std::string_view digits) {
  if (!resp3()) return bulk(digits);
  out_->append(",");
  out_->append(digits);
  out_->append("\r\n");
}

void Reply::bulk_number(double value) {
  char text[base::kDoubleChars];
  bulk({text, base::format_double(text, value)});
}

void Reply::bulk(std::string_view bytes) {
  char* const start = out_->reserve(bytes.size() + kHeaderRoom + 2);
  char* p = base::copy_text(write_header(start, '$', static_cast<std::int64_t>(bytes.size())), bytes);
  *p++ = '\r';
  *p++ = '\n';
  out_->grow_by(static_cast<std::size_t>(p - start));
}

void Reply::bulk_integer(std::int64_t value) {
  char text[base::kIntegerChars];
  bulk({text, base::format_integer(text, value)});
}

void Reply::verbatim(std::string_view format, std::string_view text) {
  if (!resp3()) return bulk(text);
  header('=', text.size() + 4);
  out_->append(format);
  out_->append(':');
  out_->append(text);
  out_->append("\r\n");
}

void Reply::big_number(std::string_view digits) {
  if (!resp3()) return bulk(digits);
  out_->append('(');
  out_->append(digits);
  out_->append("\r\n");
}

void Reply::null() { out_->append(resp3() ? "_\r\n" : "$-1\r\n"); }

void Reply::null_array() { out_->append(resp3() ? "_\r\n" : "*-1\r\n"); }

}  // namespace fairlane::protocol
