// lane_drills [ring | smooth] [SCALE]: how fair the lanes of a whole server are. Prints a table, and fails when a
// target is missed. A SCALE of 0.1 takes a tenth of the operations.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>
#include <vector>

#include "testkit/lane_drills.hpp"

namespace {

using fairlane::testkit::DrillRow;
using fairlane::testkit::DrillSizes;
using fairlane::testkit::LanePolicy;
using fairlane::testkit::Verdict;

const char* word(Verdict verdict) {
  if (verdict == Verdict::documented) return "documented";
  return verdict == Verdict::pass ? "pass" : "FAIL";
}

std::size_t scaled(std::size_t size, double scale) {
  return static_cast<std::size_t>(static_cast<double>(size) * scale);
}

/// Returns whether all targets were met.
bool print(LanePolicy policy, const DrillSizes& sizes) {
  bool met = true;
  for (const DrillRow& row : fairlane::testkit::lane_drills(policy, sizes)) {
    const std::string_view name = fairlane::testkit::policy_name(policy);
    std::printf("| %s | %.*s | %s | %s | %s |\n", row.drill.c_str(), static_cast<int>(name.size()), name.data(),
                row.target.c_str(), row.measured.c_str(), word(row.verdict));
    std::fflush(stdout);
    met = met && row.verdict != Verdict::fail;
  }
  return met;
}

int run(const std::vector<std::string_view>& words) {
  std::vector<LanePolicy> policies = {LanePolicy::ring, LanePolicy::smooth};
  DrillSizes sizes;
  for (const std::string_view word : words) {
    if (word == "ring" || word == "smooth") {
      policies = {word == "ring" ? LanePolicy::ring : LanePolicy::smooth};
      continue;
    }
    const double scale = std::strtod(word.data(), nullptr);
    if (!(scale >= 0.01 && scale <= 100)) {
      std::fputs("lane_drills [ring | smooth] [SCALE]\n", stderr);
      return 2;
    }
    for (std::size_t* size : {&sizes.share_picks, &sizes.picks, &sizes.flood, &sizes.operations}) {
      *size = scaled(*size, scale);
    }
  }
  std::puts("| drill | policy | target | measured | |\n|---|---|---|---|---|");
  bool met = true;
  for (const LanePolicy policy : policies) met = print(policy, sizes) && met;
  return met ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    return run({arguments + 1, arguments + count});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "lane_drills: %s\n", error.what());
    return 2;
  }
}
