#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fairlane/base/assert.hpp"
#include "fairlane/base/random.hpp"
#include "fairlane/protocol/request_parser.hpp"
#include "fuzz/targets.hpp"

namespace fairlane::fuzz {
namespace {

using protocol::Arguments;
using protocol::RequestLimits;
using protocol::RequestParser;

struct Outcome {
  std::vector<std::vector<std::string>> requests;
  std::string error;
  bool operator==(const Outcome&) const = default;
};

/// Reads a stream whose bytes arrive in pieces, as a connection does: what is unfinished is kept and offered again.
Outcome read_in_pieces(const std::string& bytes, std::uint64_t seed) {
  const RequestLimits limits{.max_bulk_length = 1 << 20, .max_inline_length = 1024, .max_arguments = 1 << 20};
  base::Random random(seed);
  RequestParser parser;
  Outcome outcome;
  std::string unread;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t piece = seed == 0 ? bytes.size() : 1 + random.below(16);
    unread += bytes.substr(at, piece);
    at += piece;
    for (;;) {
      // A fresh copy, so that a view kept across calls is found by the sanitizer.
      const std::string input = unread;
      Arguments arguments;
      const auto step = parser.next(input, limits, true, arguments);
      if (step == RequestParser::Step::incomplete) break;
      if (step == RequestParser::Step::broken) {
        outcome.error = parser.error();
        return outcome;
      }
      outcome.requests.emplace_back(arguments.begin(), arguments.end());
      unread.erase(0, parser.consumed());
    }
  }
  return outcome;
}

}  // namespace

void request_parser(std::span<const std::uint8_t> input) {
  if (input.size() < 2) return;
  const std::string bytes(input.begin() + 1, input.end());
  const Outcome whole = read_in_pieces(bytes, 0);
  const Outcome pieces = read_in_pieces(bytes, input[0] + 1U);
  // A line that is too long is noticed earlier or later, depending on the pieces; all else must be the same.
  if (whole.error.find("too big") != std::string::npos || pieces.error.find("too big") != std::string::npos) return;
  FAIRLANE_ASSERT(whole == pieces);
}

}  // namespace fairlane::fuzz
