// geo_search.cpp - GEOSEARCH, GEOSEARCHSTORE and the older GEORADIUS commands: members near a place.
#include <algorithm>
#include <vector>

#include "command/geo.hpp"
#include "command/geo_words.hpp"
#include "command/groups.hpp"
#include "command/sort_first.hpp"
#include "fairlane/command/context.hpp"
#include "fairlane/command/services.hpp"
#include "fairlane/command/settings.hpp"

namespace fairlane::command {
namespace {

using data::SortedSet;

/// How a command is told where to search.
enum class Where : std::uint8_t { options, place, member };
/// What a command may do with the members it finds.
enum class May : std::uint8_t { answer, store, choose };

struct Form {
  Where where;
  May may;
};

enum class Order : std::uint8_t { none, nearest, farthest };

/// What the client asks for.
struct Query {
  geo::Area area;
  bool with_distance = false;
  bool with_hash = false;
  bool with_place = false;
  Order order = Order::none;
  std::int64_t count = 0;  // 0: all
  bool any = false;        // the first ones found, not the nearest
  std::optional<std::string_view> target = {};
  bool stores_distance = false;

  bool with_anything() const noexcept { return with_distance || with_hash || with_place; }
};

/// Reads the words of a request behind the key that is searched. `set` is null when there is no such key: nothing can
/// be found then, and members are not looked up.
class QueryReader {
 public:
  QueryReader(Form form, std::string_view name, const SortedSet* set, Args& args)
      : form_(form), name_(name), set_(set), args_(args) {}

  /// False when error() says what is wrong.
  bool read(Query& query) {
    if (form_.where == Where::place) {
      read_center(query);
      if (error_.empty()) read_circle(query);
    } else if (form_.where == Where::member) {
      read_member(query);
      if (set_ == nullptr) {
        args_.skip(2);
      } else if (error_.empty()) {
        read_circle(query);
      }
    }
    while (error_.empty() && args_.left() != 0) read_option(query);
    if (error_.empty()) check(query);
    return error_.empty();
  }
  const std::string& error() const noexcept { return error_; }

 private:
  void read_option(Query& query) {
    if (args_.option("WITHDIST")) {
      query.with_distance = true;
    } else if (args_.option("WITHHASH")) {
      query.with_hash = true;
    } else if (args_.option("WITHCOORD")) {
      query.with_place = true;
    } else if (args_.option("ANY")) {
      query.any = true;
    } else if (args_.option("ASC")) {
      query.order = Order::nearest;
    } else if (args_.option("DESC")) {
      query.order = Order::farthest;
    } else if (args_.option_with("COUNT", 1)) {
      query.count = args_.integer();
      if (args_.ok() && query.count <= 0) args_.fail("ERR COUNT must be > 0");
      if (!args_.ok()) error_ = args_.error();
    } else if (form_.where == Where::options ? !read_search_option(query) : !read_store_option(query)) {
      error_ = errors::kSyntax;
    }
  }

  bool read_store_option(Query& query) {
    if (form_.may != May::choose) return false;
    const bool distance = args_.option_with("STOREDIST", 1);
    if (!distance && !args_.option_with("STORE", 1)) return false;
    query.target = args_.text();
    query.stores_distance = distance;
    return true;
  }

  bool read_search_option(Query& query) {
    if (!from_place_ && args_.option_with("FROMMEMBER", 1)) {
      from_member_ = true;
      read_member(query);
    } else if (!from_member_ && args_.option_with("FROMLONLAT", 2)) {
      from_place_ = true;
      read_center(query);
    } else if (!by_box_ && args_.option_with("BYRADIUS", 2)) {
      by_radius_ = true;
      read_circle(query);
    } else if (!by_radius_ && args_.option_with("BYBOX", 3)) {
      by_box_ = true;
      read_box(query);
    } else if (form_.may == May::store && args_.option("STOREDIST")) {
      query.stores_distance = true;
    } else {
      return false;
    }
    return true;
  }

  void read_member(Query& query) {
    const std::string_view member = args_.text();
    if (set_ == nullptr) return;
    if (const auto score = set_->score(member)) {
      move_to(query, geo::place_of(*score));
    } else {
      error_ = "ERR could not decode requested zset member";
    }
  }
  void read_center(Query& query) {
    if (const auto place = geo::read_place(args_, error_)) move_to(query, *place);
  }
  void move_to(Query& query, const geo::Place& center) {
    center_ = center;
    query.area.move_to(center);
  }

  void read_circle(Query& query) {
    const double radius = args_.number("ERR need numeric radius");
    if (args_.ok() && radius < 0) args_.fail("ERR radius cannot be negative");
    const auto unit = read_unit();
    if (unit) set_area(query, geo::Area::circle(radius, *unit));
  }
  void read_box(Query& query) {
    const double width = args_.number("ERR need numeric width");
    const double height = args_.number("ERR need numeric height");
    if (args_.ok() && (width < 0 || height < 0)) args_.fail("ERR height or width cannot be negative");
    const auto unit = read_unit();
    if (unit) set_area(query, geo::Area::box(width, height, *unit));
  }
  std::optional<double> read_unit() {
    const auto unit = geo::metres_in(args_.text());
    if (!unit) args_.fail(geo::kBadUnit);
    if (args_.ok()) return unit;
    error_ = args_.error();
    return std::nullopt;
  }
  void set_area(Query& query, geo::Area area) {
    area.move_to(center_);
    query.area = area;
  }

  void check(const Query& query) {
    const bool stores = query.target || form_.may == May::store;
    if (stores && query.with_anything()) {
      error_ = form_.where == Where::options ? "ERR GEOSEARCHSTORE" : "ERR STORE option in GEORADIUS";
      error_ += " is not compatible with WITHDIST, WITHHASH and WITHCOORD options";
    } else if (form_.where == Where::options && !from_place_ && !from_member_) {
      error_ = "ERR exactly one of FROMMEMBER or FROMLONLAT can be specified for ";
      error_ += name_;
    } else if (form_.where == Where::options && !by_radius_ && !by_box_) {
      error_ = "ERR exactly one of BYRADIUS and BYBOX can be specified for ";
      error_ += name_;
    } else if (query.any && query.count == 0) {
      error_ = "ERR the ANY argument requires COUNT argument";
    }
  }

  Form form_;
  std::string_view name_;
  const SortedSet* set_;
  Args& args_;
  std::string error_;
  geo::Place center_;
  bool from_place_ = false;
  bool from_member_ = false;
  bool by_radius_ = false;
  bool by_box_ = false;
};

/// A member inside the area. Good until the set changes.
struct Match {
  std::string_view member;
  double score;
  geo::Place place;
  double distance;  // metres
};

/// Cell by cell of the map and, within a cell, by score. `most` 0 is all.
std::vector<Match> find_matches(const SortedSet& set, const geo::Area& area, std::size_t most) {
  std::vector<Match> matches;
  const auto enough = [&] { return most != 0 && matches.size() >= most; };
  for (const geo::ScoreRange& range : area.score_ranges()) {
    for (auto at = set.seek_score(range.low, false); at.valid() && !enough(); at.next()) {
      const auto [member, score] = at.item();
      if (score >= range.high) break;
      const geo::Place place = geo::place_of(score);
      if (const auto distance = area.distance_within(place)) matches.push_back({member, score, place, *distance});
    }
  }
  return matches;
}

/// Sorts by distance as many as are asked for; 0 is all.
void sort_matches(std::vector<Match>& matches, Order order, std::size_t count) {
  const double sign = order == Order::nearest ? 1 : -1;
  const auto compare = [sign](const Match& one, const Match& other) {
    const double difference = sign * (one.distance - other.distance);
    return difference < 0 ? -1 : difference > 0 ? 1 : 0;
  };
  if (count == 0 || count >= matches.size()) {
    std::stable_sort(matches.begin(), matches.end(),
                     [&](const Match& one, const Match& other) { return compare(one, other) < 0; });
  } else {
    FirstSorter<Match, decltype(compare)>(compare).sort(matches, count);
  }
}

/// In the order that is asked for, and as many.
std::vector<Match> answered_matches(const SortedSet& set, const Query& query) {
  const auto count = static_cast<std::size_t>(query.count);
  std::vector<Match> matches = find_matches(set, query.area, query.any ? count : 0);
  // Who wants some, and not any, wants the nearest.
  const Order order = query.order == Order::none && count != 0 && !query.any ? Order::nearest : query.order;
  if (order != Order::none) sort_matches(matches, order, count);
  if (count != 0 && matches.size() > count) matches.resize(count);
  return matches;
}

void answer(protocol::Reply& reply, const Query& query, const std::vector<Match>& matches) {
  const std::size_t extras =
      (query.with_distance ? 1U : 0U) + (query.with_hash ? 1U : 0U) + (query.with_place ? 1U : 0U);
  reply.array(matches.size());
  for (const Match& match : matches) {
    if (extras != 0) reply.array(1 + extras);
    reply.bulk(match.member);
    if (query.with_distance) geo::reply_distance(reply, match.distance / query.area.unit());
    if (query.with_hash) reply.integer(static_cast<std::int64_t>(match.score));
    if (query.with_place) geo::reply_place(reply, match.place);
  }
}

void store(Context& ctx, const Query& query, const std::vector<Match>& matches, engine::Event event) {
  SortedSet stored;
  for (const Match& match : matches) {
    const double score = query.stores_distance ? match.distance / query.area.unit() : match.score;
    stored.put(match.member, score, ctx.services.settings.sorted_set);
  }
  ctx.keys.store(*query.target, std::move(stored), event);
  ctx.reply.integer(static_cast<std::int64_t>(matches.size()));
}

Outcome search(Context& ctx, Args& args, Form form) {
  Query query;
  if (form.may == May::store) query.target = args.text();
  const auto set = ctx.keys.find<SortedSet>(args.text());
  if (set.wrong_type()) return ctx.fail(errors::kWrongType);
  QueryReader reader(form, ctx.request[0], set.absent() ? nullptr : &*set, args);
  if (!reader.read(query)) return ctx.fail(reader.error());
  const std::vector<Match> matches = set.absent() ? std::vector<Match>() : answered_matches(*set, query);
  if (query.target) {
    const bool searches = form.where == Where::options;
    store(ctx, query, matches, searches ? engine::events::kGeoSearchStore : engine::events::kGeoRadiusStore);
  } else {
    answer(ctx.reply, query, matches);
  }
  return Outcome::done;
}

Outcome geosearch(Context& ctx, Args& args) { return search(ctx, args, {Where::options, May::answer}); }
Outcome geosearchstore(Context& ctx, Args& args) { return search(ctx, args, {Where::options, May::store}); }
Outcome georadius(Context& ctx, Args& args) { return search(ctx, args, {Where::place, May::choose}); }
Outcome georadius_ro(Context& ctx, Args& args) { return search(ctx, args, {Where::place, May::answer}); }
Outcome georadiusbymember(Context& ctx, Args& args) { return search(ctx, args, {Where::member, May::choose}); }
Outcome georadiusbymember_ro(Context& ctx, Args& args) { return search(ctx, args, {Where::member, May::answer}); }

constexpr Keys key_behind(std::string_view word, std::int16_t from) {
  return {{KeySpec{.use = Use::ow | Use::update,
                   .begin = KeySpec::Begin::keyword,
                   .index = from,
                   .keyword = word,
                   .last = 0,
                   .step = 1,
                   .limit = 0}},
          1};
}

constexpr Keys kRead = key_at(1, Use::ro | Use::access);
constexpr std::string_view kComplexity = "O(N+log(M)), N members in the cells around the area, M in the sorted set";

constexpr Spec kSpecs[] = {
    {.syntax = "GEOSEARCH key <FROMMEMBER member | FROMLONLAT longitude:double latitude:double> "
               "<BYRADIUS radius:double <M | KM | FT | MI> | BYBOX width:double height:double <M | KM | FT | MI>> "
               "[ASC | DESC] [COUNT count:integer [ANY]] [WITHCOORD] [WITHDIST] [WITHHASH]",
     .handler = geosearch,
     .flags = Flag::readonly,
     .keys = kRead,
     .group = Group::geo,
     .docs = {.summary = "Returns the members in a circle or a box.", .complexity = kComplexity, .since = "6.2.0"},
     .arity = -7},
    {.syntax = "GEOSEARCHSTORE destination:key source:key "
               "<FROMMEMBER member | FROMLONLAT longitude:double latitude:double> "
               "<BYRADIUS radius:double <M | KM | FT | MI> | BYBOX width:double height:double <M | KM | FT | MI>> "
               "[ASC | DESC] [COUNT count:integer [ANY]] [STOREDIST]",
     .handler = geosearchstore,
     .flags = Flag::write | Flag::denyoom,
     .keys = key_at(1, Use::ow | Use::update).and_(key_at(2, Use::ro | Use::access)),
     .group = Group::geo,
     .docs = {.summary = "Stores the members in a circle or a box, as places or with their distances.",
              .complexity = kComplexity,
              .since = "6.2.0"},
     .arity = -8},
    {.syntax = "GEORADIUS key longitude:double latitude:double radius:double <M | KM | FT | MI> [WITHCOORD] [WITHDIST] "
               "[WITHHASH] [COUNT count:integer [ANY]] [ASC | DESC] [STORE key] [STOREDIST key]",
     .handler = georadius,
     .flags = Flag::write | Flag::denyoom | Flag::movablekeys,
     .keys = kRead.and_(key_behind("STORE", 6)).and_(key_behind("STOREDIST", 6)),
     .group = Group::geo,
     .docs = {.summary = "Returns or stores the members in a circle around a place.",
              .complexity = kComplexity,
              .since = "3.2.0",
              .deprecated_since = "6.2.0",
              .replaced_by = "`GEOSEARCH` and `GEOSEARCHSTORE` with the `BYRADIUS` argument"}},
    {.syntax = "GEORADIUS_RO key longitude:double latitude:double radius:double <M | KM | FT | MI> [WITHCOORD] "
               "[WITHDIST] [WITHHASH] [COUNT count:integer [ANY]] [ASC | DESC]",
     .handler = georadius_ro,
     .flags = Flag::readonly,
     .keys = kRead,
     .group = Group::geo,
     .docs = {.summary = "Returns the members in a circle around a place.",
              .complexity = kComplexity,
              .since = "3.2.10",
              .deprecated_since = "6.2.0",
              .replaced_by = "`GEOSEARCH` with the `BYRADIUS` argument"}},
    {.syntax = "GEORADIUSBYMEMBER key member radius:double <M | KM | FT | MI> [WITHCOORD] [WITHDIST] [WITHHASH] "
               "[COUNT count:integer [ANY]] [ASC | DESC] [STORE key] [STOREDIST key]",
     .handler = georadiusbymember,
     .flags = Flag::write | Flag::denyoom | Flag::movablekeys,
     .keys = kRead.and_(key_behind("STORE", 5)).and_(key_behind("STOREDIST", 5)),
     .group = Group::geo,
     .docs = {.summary = "Returns or stores the members in a circle around one of them.",
              .complexity = kComplexity,
              .since = "3.2.0",
              .deprecated_since = "6.2.0",
              .replaced_by = "`GEOSEARCH` and `GEOSEARCHSTORE` with the `BYRADIUS` and `FROMMEMBER` arguments"}},
    {.syntax = "GEORADIUSBYMEMBER_RO key member radius:double <M | KM | FT | MI> [WITHCOORD] [WITHDIST] [WITHHASH] "
               "[COUNT count:integer [ANY]] [ASC | DESC]",
     .handler = georadiusbymember_ro,
     .flags = Flag::readonly,
     .keys = kRead,
     .group = Group::geo,
     .docs = {.summary = "Returns the members in a circle around one of them.",
              .complexity = kComplexity,
              .since = "3.2.10",
              .deprecated_since = "6.2.0",
              .replaced_by = "`GEOSEARCH` with the `BYRADIUS` and `FROMMEMBER` arguments"}},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> geo_search_commands() { return kSpecs; }

}  // namespace fairlane::command
