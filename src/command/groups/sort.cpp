// sort.cpp - SORT and SORT_RO: elements of lists, sets and sorted sets in another order, or other values in theirs.
#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "command/acl/access.hpp"
#include "command/groups.hpp"
#include "command/sort_pattern.hpp"
#include "fairlane/command/context.hpp"

namespace fairlane::command {
namespace {

namespace events = engine::events;

enum class May : bool { read, store };

/// What the client asks for.
struct Query {
  bool descending = false;
  bool alpha = false;
  bool ordered = true;  // false: BY names a pattern without a star, and elements stay as they come
  std::optional<SortPattern> by;
  std::vector<SortPattern> gets;
  std::int64_t offset = 0;
  std::int64_t count = -1;  // negative: all
  std::optional<std::string_view> store;

  /// The user may be denied values of keys that the request does not name.
  template <class ReadsAll>
  bool parse(Args& args, May may, ReadsAll&& reads_all_keys) {
    while (args.more()) {
      if (args.option("ASC")) {
        descending = false;
      } else if (args.option("DESC")) {
        descending = true;
      } else if (args.option("ALPHA")) {
        alpha = true;
      } else if (args.option_with("LIMIT", 2)) {
        offset = args.integer();
        count = args.integer();
      } else if (may == May::store && args.option_with("STORE", 1)) {
        store = args.text();
      } else if (args.option_with("BY", 1)) {
        by.emplace(args.text());
        if (!by->has_star()) {
          ordered = false;
        } else if (!reads_all_keys()) {
          args.fail("ERR BY option of SORT denied due to insufficient ACL permissions.");
        }
      } else if (args.option_with("GET", 1)) {
        gets.emplace_back(args.text());
        if (!reads_all_keys()) args.fail("ERR GET option of SORT denied due to insufficient ACL permissions.");
      } else {
        args.fail(errors::kSyntax);
      }
    }
    return args.ok();
  }
};

/// What is to be sorted, and by what.
struct Item {
  std::string_view element;
  double score = 0;
  std::string weight = {};
  bool has_weight = false;
  std::size_t position = 0;
};

/// The places of a sequence that LIMIT leaves, from first up to but without last.
struct Window {
  std::size_t first;
  std::size_t last;

  Window(const Query& query, std::size_t size) noexcept {
    const auto length = static_cast<std::int64_t>(size);
    const std::int64_t start = std::clamp<std::int64_t>(query.offset, 0, length);
    const std::int64_t most = query.count < 0 ? length : std::min(query.count, length);
    first = static_cast<std::size_t>(start);
    last = static_cast<std::size_t>(std::min(start + most, length));
  }
  std::size_t size() const noexcept { return last - first; }
};

/// The elements of one key. Views of them are good as long as the key does not change.
class Source {
 public:
  explicit Source(const engine::Entry* entry) noexcept : entry_(entry) {}

  bool sortable() const noexcept { return entry_ == nullptr || count() != kNotSortable; }
  std::size_t size() const noexcept { return entry_ == nullptr ? 0 : count(); }
  bool is_set() const noexcept { return entry_ != nullptr && entry_->type() == engine::Type::set; }

  /// All elements as they come.
  std::vector<Item> all() {
    std::vector<Item> items;
    if (entry_ == nullptr) return items;
    items.reserve(size());
    const auto add = [&](std::string_view element) { items.push_back({.element = element, .position = items.size()}); };
    switch (entry_->type()) {
      case engine::Type::list:
        entry_->value<data::List>().for_each(0, items.capacity(), add);
        break;
      case engine::Type::set:
        each_of_set(add);
        break;
      default:
        for (auto at = entry_->value<data::SortedSet>().first(); at.valid(); at.next()) add(at.item().member);
    }
    return items;
  }

  /// Those in a window, as they come or from the end. A set has no order but its own.
  std::vector<Item> some(const Window& window, bool backward) {
    std::vector<Item> items;
    if (window.size() == 0) return items;
    const std::size_t start = backward ? size() - 1 - window.first : window.first;
    const auto walk = [&](auto cursor, auto&& element_of) {
      items.reserve(window.size());
      for (std::size_t left = window.size(); left > 0; --left) {
        items.push_back({.element = element_of(cursor)});
        backward ? cursor.prev() : cursor.next();
      }
    };
    if (entry_->type() == engine::Type::list) {
      walk(entry_->value<data::List>().cursor_at(static_cast<std::int64_t>(start)),
           [](const data::ListCursor& at) { return at.value(); });
    } else if (entry_->type() == engine::Type::sorted_set) {
      walk(entry_->value<data::SortedSet>().at_rank(start),
           [](const data::SortedSet::Cursor& at) { return at.item().member; });
    } else {
      items = all();
      items.erase(items.begin() + static_cast<std::ptrdiff_t>(window.last), items.end());
      items.erase(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(window.first));
    }
    return items;
  }

 private:
  static constexpr std::size_t kNotSortable = SIZE_MAX;

  std::size_t count() const noexcept {
    switch (entry_->type()) {
      case engine::Type::list:
        return entry_->value<data::List>().size();
      case engine::Type::set:
        return entry_->value<data::Set>().size();
      case engine::Type::sorted_set:
        return entry_->value<data::SortedSet>().size();
      default:
        return kNotSortable;
    }
  }

  template <class Add>
  void each_of_set(Add&& add) {
    const auto& set = entry_->value<data::Set>();
    if (!set.is_intset()) return set.for_each(add);
    // The texts of integers exist during a visit only.
    integers_.reserve(set.size() * base::kIntegerChars);
    set.for_each([&](std::string_view member) {
      const std::size_t start = integers_.size();
      integers_.append(member);
      add(std::string_view(integers_).substr(start));
    });
  }

  const engine::Entry* entry_;
  std::string integers_;
};

/// Negative, zero, positive. Texts that are only shown are compared up to their first NUL.
int compare_texts(std::string_view left, std::string_view right, bool whole) noexcept {
  if (whole) return left.compare(right);
  return left.substr(0, left.find('\0')).compare(right.substr(0, right.find('\0')));
}

int compare_weights(const Item& left, const Item& right, bool whole) noexcept {
  // What has no weight comes first.
  if (!left.has_weight || !right.has_weight)
    return static_cast<int>(left.has_weight) - static_cast<int>(right.has_weight);
  return compare_texts(left.weight, right.weight, whole);
}

int compare(const Item& left, const Item& right, const Query& query) noexcept {
  const bool whole = query.store.has_value();
  if (query.alpha) {
    return query.by ? compare_weights(left, right, whole) : compare_texts(left.element, right.element, whole);
  }
  if (left.score != right.score) return left.score < right.score ? -1 : 1;
  return left.element.compare(right.element);
}

/// Gives every item what it is sorted by; false when a number is needed and is none.
bool weigh(Context& ctx, Query& query, std::vector<Item>& items) {
  bool all_numbers = true;
  for (Item& item : items) {
    std::optional<std::string_view> text = item.element;
    if (query.by) text = query.by->find(ctx.keys, item.element);
    if (!text) continue;
    item.has_weight = true;
    if (query.alpha) {
      if (query.by) item.weight = *text;
      continue;
    }
    const auto score = parse_sort_score(*text);
    all_numbers = all_numbers && score;
    item.score = score.value_or(0);
  }
  return all_numbers;
}

/// Sorts as much as the window needs and cuts the rest off. Equals stay as they come.
void order(const Query& query, const Window& window, std::vector<Item>& items) {
  const auto before = [&](const Item& left, const Item& right) {
    const int order = compare(left, right, query);
    if (order == 0) return left.position < right.position;
    return query.descending ? order > 0 : order < 0;
  };
  const auto end = items.begin() + static_cast<std::ptrdiff_t>(window.last);
  if (end == items.end()) {
    std::sort(items.begin(), end, before);
  } else {
    std::partial_sort(items.begin(), end, items.end(), before);
  }
  items.erase(end, items.end());
  items.erase(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(window.first));
}

/// Hands out what is answered for every item: itself, or a value for every GET, none where there is none.
template <class Visit>
void each_value(Context& ctx, Query& query, const std::vector<Item>& items, Visit&& visit) {
  for (const Item& item : items) {
    if (query.gets.empty()) visit(std::optional(item.element));
    for (SortPattern& pattern : query.gets) visit(pattern.find(ctx.keys, item.element));
  }
}

void answer(Context& ctx, Query& query, const std::vector<Item>& items) {
  ctx.reply.array(items.size() * std::max<std::size_t>(query.gets.size(), 1));
  each_value(ctx, query, items,
             [&](std::optional<std::string_view> value) { value ? ctx.reply.bulk(*value) : ctx.reply.null(); });
}

void store(Context& ctx, Query& query, const std::vector<Item>& items) {
  data::List list;
  each_value(ctx, query, items, [&](std::optional<std::string_view> value) { list.push_back(value.value_or("")); });
  const auto size = static_cast<std::int64_t>(list.size());
  ctx.keys.store(*query.store, std::move(list), events::kSortStore);
  ctx.reply.integer(size);
}

Outcome sort_key(Context& ctx, Args& args, May may) {
  const std::string_view key = args.text();
  Query query;
  const auto reads_all = [&] { return reads_all_keys(ctx.session, ctx.command, ctx.request); };
  if (!query.parse(args, may, reads_all)) return ctx.fail(args.error());
  Source source(ctx.keys.find_entry(key));
  if (!source.sortable()) return ctx.fail(errors::kWrongType);
  if (!query.ordered && query.store && source.is_set()) {
    // A set has no order of its own that could be stored.
    query.ordered = query.alpha = true;
    query.by.reset();
  }
  const Window window(query, source.size());
  std::vector<Item> items;
  if (query.ordered) {
    items = source.all();
    if (!weigh(ctx, query, items)) return ctx.fail("ERR One or more scores can't be converted into double");
    order(query, window, items);
  } else {
    items = source.some(window, query.descending && !source.is_set());
  }
  query.store ? store(ctx, query, items) : answer(ctx, query, items);
  return Outcome::done;
}

Outcome sort(Context& ctx, Args& args) { return sort_key(ctx, args, May::store); }
Outcome sort_ro(Context& ctx, Args& args) { return sort_key(ctx, args, May::read); }

/// The key that is sorted and the one that STORE names last.
bool find_sort_keys(std::span<const std::string_view> words, std::array<std::uint32_t, 512>& positions,
                    std::size_t& count) {
  positions[count++] = 1;
  std::uint32_t stored = 0;
  Args args(words, 2);
  while (args.left() != 0) {
    if (args.option_with("STORE", 1)) {
      // Redis takes the word behind STORE for a key and, if it is one, for the next option as well.
      stored = static_cast<std::uint32_t>(args.position());
    } else if (args.option("LIMIT")) {
      args.skip(std::min<std::size_t>(args.left(), 2));
    } else if (args.option("BY") || args.option("GET")) {
      args.skip(std::min<std::size_t>(args.left(), 1));
    } else {
      args.skip(1);
    }
  }
  if (stored != 0) positions[count++] = stored;
  return true;
}

bool find_sort_ro_keys(std::span<const std::string_view>, std::array<std::uint32_t, 512>& positions,
                       std::size_t& count) {
  positions[count++] = 1;
  return true;
}

constexpr Keys unknown_keys(Use use) {
  return {{KeySpec{.use = use, .begin = KeySpec::Begin::unknown, .find = KeySpec::Find::unknown}}, 1};
}

constexpr std::string_view kComplexity =
    "O(N+M*log(M)) where N is the number of elements and M the number of those returned, O(N) where nothing is sorted.";

constexpr Spec kSpecs[] = {
    {.syntax = "SORT key [BY by-pattern:pattern] [LIMIT offset:integer count:integer] "
               "[GET get-pattern:pattern [GET get-pattern:pattern ...]] [ASC | DESC] [ALPHA] [STORE destination:key]",
     .handler = sort,
     .flags = Flag::write | Flag::denyoom | Flag::movablekeys,
     .keys = key_at(1, Use::ro | Use::access)
                 .and_(unknown_keys(Use::ro | Use::access))
                 .and_(unknown_keys(Use::ow | Use::update)),
     .docs = {.summary = "Sorts the elements of a list, a set or a sorted set, returns or stores them.",
              .complexity = kComplexity,
              .since = "1.0.0"},
     .categories = Category::set | Category::sortedset | Category::list | Category::dangerous,
     .find_keys = find_sort_keys,
     .key_notes = "\n"
                  "For the optional BY/GET keyword. It is marked 'unknown' because the key names derive from the "
                  "content of the key we sort\n"
                  "For the optional STORE keyword. It is marked 'unknown' because the keyword can appear anywhere in "
                  "the argument array"},
    {.syntax = "SORT_RO key [BY by-pattern:pattern] [LIMIT offset:integer count:integer] "
               "[GET get-pattern:pattern [GET get-pattern:pattern ...]] [ASC | DESC] [ALPHA]",
     .handler = sort_ro,
     .flags = Flag::readonly | Flag::movablekeys,
     .keys = key_at(1, Use::ro | Use::access).and_(unknown_keys(Use::ro | Use::access)),
     .docs = {.summary = "Sorts the elements of a list, a set or a sorted set and returns them.",
              .complexity = kComplexity,
              .since = "7.0.0"},
     .categories = Category::set | Category::sortedset | Category::list | Category::dangerous,
     .find_keys = find_sort_ro_keys,
     .key_notes = "\n"
                  "For the optional BY/GET keyword. It is marked 'unknown' because the key names derive from the "
                  "content of the key we sort"},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> sort_commands() { return kSpecs; }

}  // namespace fairlane::command
