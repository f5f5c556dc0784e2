#pragma once

#include <cstddef>
#include <string>

#include "fairlane/engine/database.hpp"
#include "unit/command/lane_model.hpp"

namespace fairlane::command::lane_model {

/// What differs between a queue's keys and the model of it, as text; empty when nothing does. The keys are looked at
/// where they lie: no command runs. Adds to `keys` how many the queue has, so that whoever knows the size of the
/// database knows that there is nothing else.
std::string difference(engine::Database& database, const std::string& queue, const Model& model, std::size_t& keys);

}  // namespace fairlane::command::lane_model
