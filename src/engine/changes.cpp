#include "fairlane/engine/changes.hpp"

namespace fairlane::engine {

void Changes::tell(const Change& change) {
  for (std::size_t i = 0; i < observers_.size(); ++i) {
    if ((interest_ >> i & 1U) != 0 && observers_[i] != nullptr) observers_[i]->on_change(change);
  }
}

}  // namespace fairlane::engine
