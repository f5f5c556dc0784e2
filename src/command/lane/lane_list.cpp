#include "command/lane/lane_list.hpp"

#include <algorithm>
#include <functional>
#include <vector>

#include "command/lane/inspect.hpp"
#include "command/lane/lane_facts.hpp"
#include "command/lane/lane_names.hpp"
#include "fairlane/base/text_match.hpp"

namespace fairlane::command {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

std::string cursor_behind(std::string_view name) {
  std::string cursor;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    cursor += kDigits[byte >> 4];
    cursor += kDigits[byte & 15];
  }
  return cursor;
}

/// What a lane's numbers are compared with.
struct Sums {
  double served = 0;
  double weight = 0;  ///< of the lanes in the ring
};

/// Whatever is told of one lane.
struct LaneLine {
  LaneFacts facts;
  std::int64_t weight = 1;
  bool weighted = false;
  std::int64_t age = -1;
  std::uint64_t served = 0;

  bool worth_telling() const noexcept {
    return facts.depth != 0 || facts.in_flight > 0 || facts.paused || weighted || facts.limit > 0 ||
           facts.bucket.limits();
  }
};

struct NamedLine {
  std::string name;
  LaneLine line;
};

Step read_sums(Queue& queue, Sums& sums) {
  sums.served = static_cast<double>(queue.state().served.total());
  const auto ring = queue.look<data::List>(queue.keys[QueueKey::ring]);
  if (ring.wrong_type()) return Step::wrong_type;
  Step step = Step::done;
  if (ring.absent()) return step;
  ring->for_each(0, ring->size(), [&](std::string_view lane) {
    std::int64_t weight = 1;
    if (read_weight(queue, lane, weight) != Step::done) step = Step::wrong_type;
    sums.weight += static_cast<double>(weight);
  });
  return step;
}

Step read_line(Queue& queue, std::string_view lane, LaneLine& line) {
  if (read_facts(queue, lane, line.facts) != Step::done || read_weight(queue, lane, line.weight) != Step::done) {
    return Step::wrong_type;
  }
  const auto weights = queue.look<data::Hash>(queue.keys[QueueKey::weights]);
  line.weighted = !weights.absent() && weights->find(lane).has_value();
  line.served = queue.state().served.of(lane);
  return read_age(queue, lane, line.age);
}

/// The first lanes that are worth telling, in order, and whether there are more behind them. A name may come several
/// times.
Step read_page(Queue& queue, std::vector<std::string> names, std::size_t most, std::vector<NamedLine>& lines,
               bool& more) {
  // A heap, the least name first: a page needs only the first few in order.
  std::make_heap(names.begin(), names.end(), std::greater<>());
  std::string last;
  while (!names.empty()) {
    std::pop_heap(names.begin(), names.end(), std::greater<>());
    std::string name = std::move(names.back());
    names.pop_back();
    if (name == last) continue;
    last = name;
    LaneLine line;
    if (read_line(queue, name, line) != Step::done) return Step::wrong_type;
    if (!line.worth_telling()) continue;
    more = lines.size() == most;
    if (more) break;
    lines.push_back({std::move(name), line});
  }
  return Step::done;
}

void write_rate(protocol::Reply& reply, const Rate& rate) {
  if (rate.jobs == 0) {
    reply.integer(0);
    return;
  }
  reply.array(2);
  reply.integer(rate.jobs);
  reply.integer(rate.per);
}

void write_line(protocol::Reply& reply, std::string_view lane, const LaneLine& line, const Sums& sums) {
  const LaneFacts& facts = line.facts;
  const auto weight = static_cast<double>(line.weight);
  const auto integer = [&](std::string_view name, std::int64_t value) {
    reply.bulk(name);
    reply.integer(value);
  };
  reply.map(11);
  reply.bulk("lane");
  reply.bulk(lane);
  integer("depth", static_cast<std::int64_t>(facts.depth));
  integer("active", std::max<std::int64_t>(facts.in_flight, 0));
  integer("weight", line.weight);
  integer("limit", std::max<std::int64_t>(facts.limit, 0));
  reply.bulk("rate");
  write_rate(reply, facts.bucket.rate);
  integer("paused", facts.paused ? 1 : 0);
  integer("age", line.age);
  integer("served", static_cast<std::int64_t>(line.served));
  reply.bulk("share");
  reply.number(sums.served > 0 ? static_cast<double>(line.served) / sums.served : 0);
  reply.bulk("entitled");
  // A lane that is missing in a ring which somebody else wrote has no part in the sum.
  reply.number(facts.serviceable() ? weight / std::max(sums.weight, weight) : 0);
}

}  // namespace

std::optional<std::string> parse_lane_cursor(std::string_view cursor) {
  std::string name;
  if (cursor == "0") return name;
  if (cursor.empty() || cursor.size() % 2 != 0) return std::nullopt;
  for (std::size_t i = 0; i < cursor.size(); i += 2) {
    const std::size_t high = kDigits.find(cursor[i]);
    const std::size_t low = kDigits.find(cursor[i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
    name += static_cast<char>(high << 4 | low);
  }
  return name;
}

Step write_lanes(Queue& queue, const LanePage& page, protocol::Reply& reply) {
  Sums sums;
  std::vector<std::string> names;
  const auto collect = [&](std::string_view lane) {
    if (lane > page.after && base::glob_match(page.match, lane)) names.emplace_back(lane);
  };
  if (read_sums(queue, sums) != Step::done || visit_lanes(queue, kNamedAtAll, collect) != Step::done) {
    return Step::wrong_type;
  }
  std::vector<NamedLine> lines;
  bool more = false;
  if (read_page(queue, std::move(names), page.most, lines, more) != Step::done) return Step::wrong_type;
  reply.array(2);
  reply.bulk(more ? cursor_behind(lines.back().name) : "0");
  reply.array(lines.size());
  for (const NamedLine& line : lines) write_line(reply, line.name, line.line, sums);
  return Step::done;
}

}  // namespace fairlane::command
