#include "fairlane/engine/kept_hashes.hpp"

namespace fairlane::engine {

Entry* KeptHashes::live_part(Entry* entry, std::int64_t now) {
  auto& copy = copies_[entry];
  if (copy == nullptr) copy.reset(Entry::clone(entry, entry->key()));
  copy->value<data::Hash>().erase_due(now, SIZE_MAX);
  return copy.get();
}

}  // namespace fairlane::engine
