#pragma once

#include <string_view>

#include "fairlane/engine/entry.hpp"

namespace fairlane::command {

/// What Redis would call the representation of a value.
std::string_view encoding_of(const engine::Entry& entry) noexcept;
/// How many references Redis would have to a value: small integers are shared.
int reference_count(const engine::Entry& entry) noexcept;

}  // namespace fairlane::command
