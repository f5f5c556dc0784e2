#pragma once

#include <string>
#include <utility>
#include <variant>

#include "fairlane/base/assert.hpp"

namespace fairlane::base {

/// A client's mistake in words. The text starts with its code ("ERR ...", "WRONGTYPE ...") and has no leading dash.
struct Error {
  std::string text;
};

/// A T or an Error.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return ok(); }
  T& value() noexcept {
    FAIRLANE_ASSERT(ok());
    return *std::get_if<0>(&state_);
  }
  const Error& error() const noexcept {
    FAIRLANE_ASSERT(!ok());
    return *std::get_if<1>(&state_);
  }

 private:
  std::variant<T, Error> state_;
};

}  // namespace fairlane::base
