#include "command/lane/answers.hpp"

namespace fairlane::command {

Outcome fail_step(Context& ctx, Step step) {
  switch (step) {
    case Step::full:
      return ctx.fail(lane_errors::kFull);
    case Step::stale:
      return ctx.fail(lane_errors::kStale);
    case Step::wrong_state:
      return ctx.fail(lane_errors::kNotHeld);
    case Step::locked:
      return ctx.fail(lane_errors::kLocked);
    default:
      return ctx.fail(errors::kWrongType);
  }
}

}  // namespace fairlane::command
