#pragma once

#include "fairlane/base/sha1.hpp"
#include "fairlane/engine/entry.hpp"
#include "fairlane/engine/keyspace.hpp"

/// Digests of data, equal where redis-server's are: the same data gives the same digest whatever keeps it. They are
/// what DEBUG DIGEST and DEBUG DIGEST-VALUE answer, and nothing that nobody could forge.
namespace fairlane::rdb {

/// Of a value and whether it has a deadline, but not of its key.
base::Sha1Digest digest_of(const engine::Entry& entry);

/// Of all databases that hold keys. O(everything).
base::Sha1Digest digest_of(const engine::Keyspace& keyspace);

}  // namespace fairlane::rdb
