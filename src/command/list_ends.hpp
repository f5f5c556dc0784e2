#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "fairlane/command/args.hpp"
#include "fairlane/command/context.hpp"
#include "fairlane/data/list.hpp"
#include "fairlane/engine/edit.hpp"

/// What the list commands and those of them that wait have in common.
namespace fairlane::command {

enum class ListEnd : bool { left, right };

/// LEFT or RIGHT; a syntax error otherwise.
ListEnd list_end(Args& args) noexcept;

constexpr engine::Event push_event(ListEnd end) noexcept {
  return end == ListEnd::left ? engine::events::kLPush : engine::events::kRPush;
}
constexpr engine::Event pop_event(ListEnd end) noexcept {
  return end == ListEnd::left ? engine::events::kLPop : engine::events::kRPop;
}

/// Takes one element of a list that has any and answers it as a bulk string; ends the edit.
void pop_element(protocol::Reply& reply, engine::Edit<data::List>& list, ListEnd end);
/// The same for up to `count` elements, 1 or more, as an array.
void pop_elements(protocol::Reply& reply, engine::Edit<data::List>& list, ListEnd end, std::int64_t count);

struct ListMove {
  std::string_view source;
  std::string_view destination;
  ListEnd from;
  ListEnd to;
};

/// Moves one element out of `list`, the edit of the source, which has any; answers it and ends the edit. Fails when the
/// destination is no list.
Outcome move_element(Context& ctx, engine::Edit<data::List>& list, const ListMove& move);

/// The words of LMPOP and BLMPOP from the number of keys on.
struct ListPop {
  std::span<const std::string_view> keys;
  ListEnd end = ListEnd::left;
  std::int64_t count = 1;
};
ListPop parse_list_pop(Args& args) noexcept;

/// Answers the first key that has elements and up to `count` of them. `wait` when no key has any and nothing was
/// answered: what to do then is the caller's part.
Outcome pop_from_first(Context& ctx, const ListPop& pop);

}  // namespace fairlane::command
