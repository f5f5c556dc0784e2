#include "fairlane/engine/keyspace.hpp"

namespace fairlane::engine {

Keyspace::Keyspace(std::size_t databases) {
  databases_.reserve(databases);
  for (std::size_t i = 0; i < databases; ++i) {
    databases_.push_back(std::make_unique<Database>(shared_, static_cast<DbIndex>(i)));
  }
}

std::optional<std::int64_t> Keyspace::nearest_deadline() const noexcept {
  std::optional<std::int64_t> nearest;
  for (const auto& database : databases_) {
    const auto deadline = database->nearest_deadline();
    if (deadline && (!nearest || *deadline < *nearest)) nearest = deadline;
  }
  return nearest;
}

std::size_t Keyspace::expire_due(std::size_t most) {
  std::size_t count = 0;
  for (const auto& database : databases_) {
    if (count < most) count += database->expire_due(most - count);
  }
  return count;
}

std::size_t Keyspace::keys() const noexcept {
  std::size_t count = 0;
  for (const auto& database : databases_) count += database->size();
  return count;
}

}  // namespace fairlane::engine
