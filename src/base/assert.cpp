#include "fairlane/base/assert.hpp"

#include <cstdio>
#include <cstdlib>

namespace fairlane::base {

void assertion_failed(const char* expectation, const char* file, int line) noexcept {
  std::fprintf(stderr, "%s:%d: expected %s\n", file, line, expectation);
  std::abort();
}

}  // namespace fairlane::base
