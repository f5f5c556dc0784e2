#pragma once

#include <string>
#include <string_view>

#include "command/introspection.hpp"
#include "fairlane/protocol/reply.hpp"

/// Commands in the shapes of COMMAND INFO and COMMAND DOCS.
namespace fairlane::command {

/// The names of a set's members, as a set of simple strings.
template <class Set>
void reply_names(protocol::Reply& reply, std::span<const Named<Set>> names, Set set, std::string_view prefix = {}) {
  const auto place = reply.open();
  std::string text;
  const std::size_t count = for_each_name(names, set, [&](std::string_view name) {
    text.assign(prefix).append(name);
    reply.simple(text);
  });
  reply.close_set(place, count);
}

/// The ten fields of COMMAND INFO.
void reply_info(protocol::Reply& reply, const Command& command);
/// The name and its documentation: one pair of the map of COMMAND DOCS.
void reply_docs(protocol::Reply& reply, const Command& command);

}  // namespace fairlane::command
