#include "command/encoding.hpp"

#include <cstdint>

namespace fairlane::command {
namespace {

/// Integers below it are one shared object in Redis, which counts as many references.
constexpr std::int64_t kSharedIntegers = 10000;
/// The longest string that Redis keeps in one piece with its header.
constexpr std::size_t kMaxEmbedded = 44;

std::string_view string_encoding(const engine::Entry& entry) noexcept {
  if (entry.edited()) return "raw";
  if (entry.is_integer()) return "int";
  return entry.text_size() <= kMaxEmbedded ? "embstr" : "raw";
}

std::string_view hash_encoding(const data::Hash& hash) noexcept {
  if (hash.is_table()) return "hashtable";
  return hash.timed() ? "listpackex" : "listpack";
}

}  // namespace

std::string_view encoding_of(const engine::Entry& entry) noexcept {
  switch (entry.type()) {
    case engine::Type::string:
      return string_encoding(entry);
    case engine::Type::list:
      return "quicklist";
    case engine::Type::set:
      return entry.value<data::Set>().is_intset() ? "intset" : "hashtable";
    case engine::Type::sorted_set:
      return entry.value<data::SortedSet>().large() ? "skiplist" : "listpack";
    case engine::Type::hash:
      return hash_encoding(entry.value<data::Hash>());
    default:
      return "stream";
  }
}

int reference_count(const engine::Entry& entry) noexcept {
  const bool shared = entry.type() == engine::Type::string && entry.is_integer() && !entry.edited() &&
                      entry.integer() >= 0 && entry.integer() < kSharedIntegers;
  return shared ? INT32_MAX : 1;
}

}  // namespace fairlane::command
