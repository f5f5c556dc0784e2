#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "testkit/resp_value.hpp"
#include "testkit/wire_text.hpp"

namespace fairlane::testkit {

/// What a .wire file expects of one reply; the forms are listed in tests/wire/README.md.
class Pattern {
 public:
  /// Reads an expectation. Throws NotationError.
  static Pattern parse(std::string_view text, const Variables& variables);
  bool matches(const Value& value) const;

 private:
  enum class Form : std::uint8_t { anything, exact, near, prefix, regex, items };
  enum class Order : std::uint8_t { given, any, pairs_any };

  static Pattern whole_line(Kind kind, std::string_view text, const Variables& variables);
  static Pattern element(TextScanner& scanner);
  static std::optional<Pattern> constant(TextScanner& scanner);
  static Pattern integer(TextScanner& scanner);
  static Pattern number(TextScanner& scanner);
  static Pattern verbatim(TextScanner& scanner);
  static Pattern textual(Kind kind, TextScanner& scanner);
  static std::optional<Pattern> aggregate(TextScanner& scanner);
  static Pattern of(Form form, Kind kind, std::string text = {});
  static Pattern between(Kind kind, double low, double high);

  bool matches_items(const std::vector<Value>& got) const;
  std::size_t unit() const { return order_ == Order::pairs_any ? 2 : 1; }
  bool unit_matches(std::size_t wanted, const std::vector<Value>& got, std::size_t index) const;
  bool place(std::size_t wanted, const std::vector<Value>& got, std::vector<std::size_t>& owner,
             std::vector<bool>& tried) const;

  Form form_ = Form::anything;
  Kind kind_ = Kind::null;
  std::string text_;
  double low_ = 0;
  double high_ = 0;
  std::vector<Pattern> items_;
  Order order_ = Order::given;
  bool open_ended_ = false;
};

}  // namespace fairlane::testkit
