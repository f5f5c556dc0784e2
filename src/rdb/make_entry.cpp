#include <utility>

#include "fairlane/rdb/value.hpp"

namespace fairlane::rdb {
namespace {

engine::Entry* make(std::string_view key, std::string& text) { return engine::Entry::make_string(key, text, false); }

template <class T>
engine::Entry* make(std::string_view key, T& value) {
  engine::Entry* entry = engine::Entry::make(key, engine::type_of<T>);
  entry->value<T>() = std::move(value);
  return entry;
}

}  // namespace

engine::Entry* make_entry(std::string_view key, Value& value, bool with_deadline) {
  engine::Entry* entry = std::visit([key](auto& held) { return make(key, held); }, value);
  return engine::Entry::with_deadline(entry, with_deadline);
}

}  // namespace fairlane::rdb
