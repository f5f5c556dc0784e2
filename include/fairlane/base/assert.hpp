#pragma once

namespace fairlane::base {

/// Prints what was expected and where, then aborts. Never returns.
[[noreturn]] void assertion_failed(const char* expectation, const char* file, int line) noexcept;

}  // namespace fairlane::base

/// Our own mistakes: checked in every build, aborts with what was expected. The client's mistakes are errors, not
/// asserts.
#define FAIRLANE_ASSERT(expectation)                     \
  (static_cast<bool>(expectation) ? static_cast<void>(0) \
                                  : ::fairlane::base::assertion_failed(#expectation, __FILE__, __LINE__))
