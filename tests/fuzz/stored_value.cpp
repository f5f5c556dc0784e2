#include <memory>
#include <string>
#include <string_view>

#include "fairlane/base/assert.hpp"
#include "fairlane/rdb/digest.hpp"
#include "fairlane/rdb/value.hpp"
#include "fuzz/targets.hpp"

namespace fairlane::fuzz {
namespace {

struct EntryDeleter {
  void operator()(engine::Entry* entry) const noexcept { engine::Entry::destroy(entry); }
};
using EntryPointer = std::unique_ptr<engine::Entry, EntryDeleter>;

EntryPointer read(std::string_view bytes) {
  rdb::Reader in(bytes);
  auto value = rdb::read_value(in, {});
  return EntryPointer(value ? rdb::make_entry("key", *value, false) : nullptr);
}

std::string written(const engine::Entry& entry) {
  rdb::Writer out({});
  rdb::write_value(out, entry);
  return out.take();
}

}  // namespace

void stored_value(std::span<const std::uint8_t> input) {
  const EntryPointer entry = read({reinterpret_cast<const char*>(input.data()), input.size()});
  if (entry == nullptr) return;
  const EntryPointer twin = read(written(*entry));
  FAIRLANE_ASSERT(twin != nullptr);
  FAIRLANE_ASSERT(rdb::digest_of(*twin) == rdb::digest_of(*entry));
}

}  // namespace fairlane::fuzz
