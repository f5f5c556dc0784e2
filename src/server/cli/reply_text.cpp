#include "server/cli/reply_text.hpp"

#include "server/words.hpp"

namespace fairlane::server::cli {
namespace {

std::string truth(const Reply& reply) { return reply.text == "t" ? "true" : "false"; }

std::string empty_text(char kind) {
  switch (kind) {
    case '%':
      return "(empty hash)\n";
    case '~':
      return "(empty set)\n";
    case '>':
      return "(empty push)\n";
    default:
      return "(empty array)\n";
  }
}

std::string for_people(const Reply& reply, const std::string& indent);

/// The elements under each other, numbered. `indent` is what stands before each but the first, whose line the caller
/// has begun.
std::string numbered(const Reply& reply, const std::string& indent) {
  const bool map = reply.kind == '%';
  const std::size_t step = map ? 2 : 1;
  const char sign = map ? '#' : reply.kind == '~' ? '~' : ')';
  const std::size_t width = std::to_string(reply.elements.size() / step).size();
  const std::string inner = indent + std::string(width + 2, ' ');
  std::string text;
  for (std::size_t i = 0; i < reply.elements.size(); i += step) {
    const std::string number = std::to_string(i / step + 1);
    if (i != 0) text += indent;
    text.append(width - number.size(), ' ').append(number).append(1, sign).append(1, ' ');
    text += for_people(reply.elements[i], inner);
    if (!map) continue;
    text.back() = ' ';
    const std::string value = for_people(reply.elements[i + 1], inner);
    const bool several_lines = value.find('\n') + 1 < value.size();
    text += several_lines ? "=> \n" + inner + value : "=> " + value;
  }
  return text;
}

std::string for_people(const Reply& reply, const std::string& indent) {
  switch (reply.kind) {
    case '-':
      return "(error) " + reply.text + "\n";
    case ':':
      return "(integer) " + reply.text + "\n";
    case ',':
      return "(double) " + reply.text + "\n";
    case '$':
      return in_quotes(reply.text) + "\n";
    case '_':
      return "(nil)\n";
    case '#':
      return "(" + truth(reply) + ")\n";
    case '*':
    case '%':
    case '~':
    case '>':
      return reply.elements.empty() ? empty_text(reply.kind) : numbered(reply, indent);
    default:
      return reply.text + "\n";
  }
}

std::string bare(const Reply& reply, const Options& options) {
  if (reply.kind == '-') return reply.text + "\n";
  if (reply.kind == '#') return "(" + truth(reply) + ")";
  if (reply.elements.empty()) return reply.text;
  std::string text;
  for (std::size_t i = 0; i < reply.elements.size(); ++i) {
    const bool value_of_map = reply.kind == '%' && i % 2 == 1;
    if (i != 0) text += value_of_map ? " " : options.element_end;
    text += bare(reply.elements[i], options);
  }
  return text;
}

std::string comma_separated(const Reply& reply) {
  switch (reply.kind) {
    case '-':
      return "ERROR," + in_quotes(reply.text);
    case ':':
    case ',':
      return reply.text;
    case '_':
      return "NULL";
    case '#':
      return truth(reply);
    case '*':
    case '%':
    case '~':
    case '>': {
      std::string text;
      for (const Reply& element : reply.elements) text += (text.empty() ? "" : ",") + comma_separated(element);
      return text;
    }
    default:
      return in_quotes(reply.text);
  }
}

}  // namespace

std::string reply_text(const Reply& reply, Layout layout, const Options& options) {
  switch (layout) {
    case Layout::people:
      return for_people(reply, "");
    case Layout::bare:
      return bare(reply, options) + options.reply_end;
    case Layout::page:
      return bare(reply, options);
    case Layout::comma_separated:
      return comma_separated(reply) + "\n";
  }
  return {};
}

}  // namespace fairlane::server::cli
