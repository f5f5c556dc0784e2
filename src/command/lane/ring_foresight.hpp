#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "fairlane/data/list.hpp"

namespace fairlane::command {

struct Queue;

/// What the next claims of a long ring will look for is asked for while those before them run, a step a claim: where
/// the lane's backlog stands, its key, the jobs in it, where the first one's row stands, its key, the row. Only hashes
/// are kept, so nothing has to be true: what has changed meanwhile was asked for in vain.
class RingForesight {
 public:
  /// The head of the ring has been served and has left its place. Does nothing while there are few keys.
  void step(Queue& queue, const data::List& ring);

 private:
  static constexpr std::size_t kAhead = 5;
  struct Next {
    std::uint64_t lane = 0;
    std::uint64_t backlog = 0;
    std::uint64_t row = 0;
  };
  Next& next(std::size_t claims) noexcept { return next_[(served_ + claims) % next_.size()]; }

  std::array<Next, 8> next_;
  std::size_t served_ = 0;
};

}  // namespace fairlane::command
