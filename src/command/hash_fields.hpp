#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "fairlane/command/context.hpp"

/// What commands for fields of hashes have in common.
namespace fairlane::command {

/// The value of a field, or that there is none.
inline void reply_field(protocol::Reply& reply, std::optional<std::string_view> value) {
  value ? reply.bulk(*value) : reply.null();
}

/// The fields behind the next words, FIELDS and how many follow up to the end of the request. None when that is not
/// what is there: the context then has the error, which is `bad_count` when the number is none.
std::optional<std::span<const std::string_view>> take_fields(
    Context& ctx, Args& args, std::string_view bad_count = "ERR Number of fields must be a positive integer");

/// An instant up to which fields are to live. One that has passed ends them at once.
class FieldEnd {
 public:
  FieldEnd(const Context& ctx, std::int64_t when) noexcept : when_(when), passed_(when <= ctx.now) {}

  std::int64_t when() const noexcept { return when_; }
  bool passed() const noexcept { return passed_; }
  /// The field is there.
  void apply(data::Hash& hash, std::string_view field) const {
    passed_ ? static_cast<void>(hash.erase(field)) : hash.set_deadline(field, when_);
  }
  /// What it means for the hash.
  engine::Event event() const noexcept { return passed_ ? engine::events::kHDel : engine::events::kHExpire; }

 private:
  std::int64_t when_;
  bool passed_;
};

}  // namespace fairlane::command
