#include "testkit/wire_pattern.hpp"

#include <regex.h>

#include <cstdlib>
#include <limits>

namespace fairlane::testkit {
namespace {

constexpr std::size_t kNobody = std::numeric_limits<std::size_t>::max();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }
bool is_word(char byte) {
  return is_digit(byte) || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_' || byte == '-';
}
bool is_integer_byte(char byte) { return is_digit(byte) || byte == '-'; }
bool ends_number(char byte) { return byte == ' ' || byte == ']' || byte == '\n' || byte == '\t'; }

std::optional<double> to_number(const std::string& text) {
  if (text.empty()) return std::nullopt;
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (end != text.c_str() + text.size()) return std::nullopt;
  return number;
}

double need_number(const std::string& text) {
  const auto number = to_number(text);
  if (!number) throw NotationError("not a number: " + text);
  return *number;
}

bool fits_whole(const std::string& pattern, const std::string& text) {
  regex_t compiled;
  const std::string whole = "^(" + pattern + ")$";
  if (::regcomp(&compiled, whole.c_str(), REG_EXTENDED) != 0) throw NotationError("bad pattern /" + pattern + '/');
  regmatch_t range{0, static_cast<regoff_t>(text.size())};
  const bool fits = ::regexec(&compiled, text.c_str(), 1, &range, REG_STARTEND) == 0 && range.rm_so == 0 &&
                    range.rm_eo == static_cast<regoff_t>(text.size());
  ::regfree(&compiled);
  return fits;
}

}  // namespace

Pattern Pattern::of(Form form, Kind kind, std::string text) {
  Pattern pattern;
  pattern.form_ = form;
  pattern.kind_ = kind;
  pattern.text_ = std::move(text);
  return pattern;
}

Pattern Pattern::between(Kind kind, double low, double high) {
  Pattern pattern = of(Form::near, kind);
  pattern.low_ = low;
  pattern.high_ = high;
  return pattern;
}

Pattern Pattern::parse(std::string_view text, const Variables& variables) {
  const bool quoted = text.size() > 1 && (text[1] == '"' || text[1] == '/');
  if (!text.empty() && !quoted && text.front() == '+') return whole_line(Kind::simple, text.substr(1), variables);
  if (!text.empty() && !quoted && text.front() == '-') return whole_line(Kind::error, text.substr(1), variables);
  TextScanner scanner(text, variables);
  Pattern pattern = element(scanner);
  if (scanner.more()) throw NotationError("left over: " + std::string(scanner.rest()));
  return pattern;
}

Pattern Pattern::whole_line(Kind kind, std::string_view text, const Variables& variables) {
  std::string body = variables.fill(text);
  if (body.size() < 3 || body.compare(body.size() - 3, 3, "...") != 0) return of(Form::exact, kind, std::move(body));
  body.resize(body.size() - 3);
  return of(Form::prefix, kind, std::move(body));
}

Pattern Pattern::element(TextScanner& scanner) {
  scanner.more();
  if (scanner.take("?")) return {};
  if (auto pattern = constant(scanner)) return *pattern;
  if (auto pattern = aggregate(scanner)) return *pattern;
  if (scanner.take(":")) return integer(scanner);
  if (scanner.take(",")) return number(scanner);
  if (scanner.take("=")) return verbatim(scanner);
  if (scanner.take("(")) return of(Form::exact, Kind::big_number, std::string(scanner.run(is_integer_byte)));
  if (scanner.take("+")) return textual(Kind::simple, scanner);
  if (scanner.take("-")) return textual(Kind::error, scanner);
  if (scanner.take("!")) return textual(Kind::blob_error, scanner);
  return textual(Kind::bulk, scanner);
}

std::optional<Pattern> Pattern::constant(TextScanner& scanner) {
  if (scanner.take("$-1")) return of(Form::exact, Kind::null_bulk);
  if (scanner.take("*-1")) return of(Form::exact, Kind::null_array);
  if (scanner.take("#t")) return of(Form::exact, Kind::boolean, "t");
  if (scanner.take("#f")) return of(Form::exact, Kind::boolean, "f");
  if (scanner.take("_")) return of(Form::exact, Kind::null);
  return std::nullopt;
}

Pattern Pattern::integer(TextScanner& scanner) {
  if (scanner.take("?")) return between(Kind::integer, -kInfinity, kInfinity);
  if (scanner.starts_with("${")) {
    const std::string filled = scanner.variables().fill(scanner.run([](char byte) { return byte != '}'; }));
    scanner.skip(1);
    return of(Form::exact, Kind::integer, scanner.variables().fill(filled + '}'));
  }
  std::string low(scanner.run(is_integer_byte));
  if (!scanner.take("..")) return of(Form::exact, Kind::integer, std::move(low));
  return between(Kind::integer, need_number(low), need_number(std::string(scanner.run(is_integer_byte))));
}

Pattern Pattern::number(TextScanner& scanner) {
  if (scanner.take("?")) return between(Kind::number, -kInfinity, kInfinity);
  const std::string text(scanner.run([](char byte) { return !ends_number(byte); }));
  const auto tolerance_at = text.find("+-");
  if (tolerance_at == std::string::npos) return of(Form::exact, Kind::number, text);
  const double centre = need_number(text.substr(0, tolerance_at));
  const double tolerance = need_number(text.substr(tolerance_at + 2));
  return between(Kind::number, centre - tolerance, centre + tolerance);
}

Pattern Pattern::verbatim(TextScanner& scanner) {
  const std::string format(scanner.rest().substr(0, 4));
  scanner.skip(format.size());
  Pattern pattern = textual(Kind::verbatim, scanner);
  pattern.text_ = format + pattern.text_;
  return pattern;
}

Pattern Pattern::textual(Kind kind, TextScanner& scanner) {
  if (scanner.starts_with("/")) return of(Form::regex, kind, scanner.pattern());
  if (!scanner.starts_with("\"")) {
    const std::string_view word = kind == Kind::bulk ? std::string_view() : scanner.run(is_word);
    if (word.empty()) throw NotationError("cannot read the value at: " + std::string(scanner.rest().substr(0, 30)));
    return of(Form::exact, kind, std::string(word));
  }
  std::string text = scanner.quoted();
  if (scanner.take("...")) return of(Form::prefix, kind, std::move(text));
  if (!scanner.take("+-")) return of(Form::exact, kind, std::move(text));
  const double centre = need_number(text);
  const double tolerance = need_number(std::string(scanner.run([](char byte) { return !ends_number(byte); })));
  return between(kind, centre - tolerance, centre + tolerance);
}

std::optional<Pattern> Pattern::aggregate(TextScanner& scanner) {
  Pattern pattern = of(Form::items, Kind::array);
  if (scanner.take("unordered")) {
    pattern.order_ = Order::any;
  } else if (scanner.take("pairs")) {
    pattern.order_ = Order::pairs_any;
  } else if (scanner.take("~")) {
    pattern.kind_ = Kind::set;
    pattern.order_ = Order::any;
  } else if (scanner.take("%")) {
    pattern.kind_ = Kind::map;
    pattern.order_ = Order::pairs_any;
  } else if (scanner.take(">")) {
    pattern.kind_ = Kind::push;
  } else if (!scanner.starts_with("[")) {
    return std::nullopt;
  }
  scanner.more();
  if (!scanner.take("[")) throw NotationError("a bracket is wanted");
  while (!scanner.take("]")) {
    if (!scanner.more()) throw NotationError("unclosed bracket");
    if (scanner.take("]")) break;
    if (scanner.take("...")) {
      pattern.open_ended_ = true;
    } else {
      pattern.items_.push_back(element(scanner));
    }
  }
  if (pattern.items_.size() % pattern.unit() != 0) throw NotationError("an odd number of elements in pairs");
  return pattern;
}

bool Pattern::matches(const Value& value) const {
  if (form_ == Form::anything) return value.kind != Kind::malformed;
  if (value.kind != kind_) return false;
  const std::string text =
      kind_ == Kind::verbatim && form_ != Form::exact && value.text.size() > 4 ? value.text.substr(4) : value.text;
  switch (form_) {
    case Form::exact:
      return text == text_;
    case Form::prefix:
      return text.compare(0, text_.size(), text_) == 0;
    case Form::regex: {
      if (kind_ != Kind::verbatim) return fits_whole(text_, text);
      return value.text.compare(0, 4, text_, 0, 4) == 0 && fits_whole(text_.substr(4), text);
    }
    case Form::near: {
      const auto number = to_number(text);
      return number && *number >= low_ && *number <= high_;
    }
    case Form::items:
      return matches_items(value.items);
    case Form::anything:
      break;
  }
  return true;
}

bool Pattern::unit_matches(std::size_t wanted, const std::vector<Value>& got, std::size_t index) const {
  for (std::size_t part = 0; part < unit(); ++part) {
    if (!items_[wanted * unit() + part].matches(got[index * unit() + part])) return false;
  }
  return true;
}

// Finds a partner for one wanted unit, moving the partners of others aside where that is needed (augmenting paths): a
// loose pattern must not take the only element that a strict one fits.
bool Pattern::place(std::size_t wanted, const std::vector<Value>& got, std::vector<std::size_t>& owner,
                    std::vector<bool>& tried) const {
  for (std::size_t index = 0; index < owner.size(); ++index) {
    if (tried[index] || !unit_matches(wanted, got, index)) continue;
    tried[index] = true;
    if (owner[index] == kNobody || place(owner[index], got, owner, tried)) {
      owner[index] = wanted;
      return true;
    }
  }
  return false;
}

bool Pattern::matches_items(const std::vector<Value>& got) const {
  if (got.size() < items_.size() || got.size() % unit() != 0) return false;
  if (got.size() > items_.size() && !open_ended_) return false;
  const std::size_t count = items_.size() / unit();
  if (order_ == Order::given) {
    for (std::size_t i = 0; i < count; ++i) {
      if (!items_[i].matches(got[i])) return false;
    }
    return true;
  }
  std::vector<std::size_t> owner(got.size() / unit(), kNobody);
  for (std::size_t wanted = 0; wanted < count; ++wanted) {
    std::vector<bool> tried(owner.size(), false);
    if (!place(wanted, got, owner, tried)) return false;
  }
  return true;
}

}  // namespace fairlane::testkit
