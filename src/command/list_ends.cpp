// list_ends.cpp - taking elements from the ends of lists and moving them from list to list.
#include "command/list_ends.hpp"

#include <algorithm>

namespace fairlane::command {
namespace {

void push(data::List& list, ListEnd end, std::string_view value) {
  if (end == ListEnd::left) {
    list.push_front(value);
  } else {
    list.push_back(value);
  }
}

void move_within(Context& ctx, engine::Edit<data::List>& list, const ListMove& move) {
  ctx.reply.bulk(move.from == ListEnd::left ? list->front() : list->back());
  if (move.from != move.to) {
    list->rotate(move.from == ListEnd::left ? data::Direction::forward : data::Direction::backward);
  }
  ctx.keys.published(move.destination, push_event(move.to));
  list.commit(pop_event(move.from));
}

}  // namespace

ListEnd list_end(Args& args) noexcept {
  if (args.option("LEFT")) return ListEnd::left;
  if (!args.option("RIGHT")) args.fail(errors::kSyntax);
  return ListEnd::right;
}

void pop_element(protocol::Reply& reply, engine::Edit<data::List>& list, ListEnd end) {
  const auto answer = [&](std::string_view value) { reply.bulk(value); };
  if (end == ListEnd::left) {
    list->pop_front(answer);
  } else {
    list->pop_back(answer);
  }
  list.commit(pop_event(end));
}

void pop_elements(protocol::Reply& reply, engine::Edit<data::List>& list, ListEnd end, std::int64_t count) {
  const std::size_t taken = std::min(static_cast<std::size_t>(count), list->size());
  const auto answer = [&](std::string_view value) { reply.bulk(value); };
  reply.array(taken);
  for (std::size_t i = 0; i < taken; ++i) {
    if (end == ListEnd::left) {
      list->pop_front(answer);
    } else {
      list->pop_back(answer);
    }
  }
  list.commit(pop_event(end));
}

Outcome move_element(Context& ctx, engine::Edit<data::List>& list, const ListMove& move) {
  if (move.source == move.destination) {
    move_within(ctx, list, move);
    return Outcome::done;
  }
  auto target = ctx.keys.upsert<data::List>(move.destination);
  if (target.wrong_type()) return ctx.fail(errors::kWrongType);
  const auto carry = [&](std::string_view value) {
    ctx.reply.bulk(value);
    push(*target, move.to, value);
  };
  if (move.from == ListEnd::left) {
    list->pop_front(carry);
  } else {
    list->pop_back(carry);
  }
  target.commit(push_event(move.to));
  list.commit(pop_event(move.from));
  return Outcome::done;
}

ListPop parse_list_pop(Args& args) noexcept {
  ListPop pop;
  const std::int64_t numkeys = args.integer_in(1, INT64_MAX, errors::kNumkeys, errors::kNumkeys);
  if (!args.ok()) return pop;
  if (static_cast<std::uint64_t>(numkeys) > args.left()) {
    args.fail(errors::kSyntax);
    return pop;
  }
  pop.keys = args.rest().first(static_cast<std::size_t>(numkeys));
  args.skip(pop.keys.size());
  pop.end = list_end(args);
  if (args.option_with("COUNT", 1)) {
    pop.count = args.integer_in(1, INT64_MAX, errors::kCountPositive, errors::kCountPositive);
  }
  if (args.more()) args.fail(errors::kSyntax);
  return pop;
}

Outcome pop_from_first(Context& ctx, const ListPop& pop) {
  for (const std::string_view key : pop.keys) {
    if (!ctx.considers(key)) continue;
    auto list = ctx.keys.edit<data::List>(key);
    if (list.wrong_type()) return ctx.fail(errors::kWrongType);
    if (list.absent()) continue;
    ctx.reply.array(2);
    ctx.reply.bulk(key);
    pop_elements(ctx.reply, list, pop.end, pop.count);
    return Outcome::done;
  }
  return Outcome::wait;
}

}  // namespace fairlane::command
