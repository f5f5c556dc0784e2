#include "command/script/library_dump.hpp"

#include "fairlane/command/errors.hpp"
#include "fairlane/rdb/payload.hpp"
#include "fairlane/rdb/reader.hpp"

namespace fairlane::command {
namespace {

constexpr unsigned char kLibrary = 245;       ///< a library follows
constexpr unsigned char kEarlyLibrary = 246;  ///< the form of release candidates

}  // namespace

std::string dump_libraries(std::span<const std::string_view> codes, const rdb::WriteRules& rules) {
  rdb::Writer out(rules);
  for (const std::string_view code : codes) {
    out.byte(kLibrary);
    out.text(code);
  }
  return rdb::seal(out.take());
}

std::string read_libraries(std::string_view payload, std::vector<std::string>& codes) {
  const auto body = rdb::open(payload);
  if (!body) return std::string(errors::kBadPayload);
  rdb::Reader in(*body);
  while (!in.at_end()) {
    const unsigned char kind = in.byte();
    if (kind == kEarlyLibrary) return "ERR Pre-GA function format not supported";
    if (kind != kLibrary) return "ERR given type is not a function";
    codes.emplace_back(in.text());
    if (!in.ok()) return "ERR Failed loading library code";
  }
  return {};
}

}  // namespace fairlane::command
