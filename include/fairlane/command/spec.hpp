#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace fairlane::command {

class Args;
struct Context;

/// How a handler ended. `failed`: Context::fail() was given the error; `wait`: Context::wait() was given the keys.
enum class [[nodiscard]] Outcome : std::uint8_t{done, failed, wait};

using Handler = Outcome (*)(Context&, Args&);

/// What a command is and may do; COMMAND INFO shows those that Redis knows, under their names there.
enum class Flag : std::uint32_t {
  none = 0,
  write = 1U << 0,
  readonly = 1U << 1,
  denyoom = 1U << 2,  ///< may grow memory; no limit is enforced yet
  admin = 1U << 3,
  pubsub = 1U << 4,
  noscript = 1U << 5,
  blocking = 1U << 6,
  loading = 1U << 7,  ///< allowed while data is loaded
  stale = 1U << 8,
  skip_monitor = 1U << 9,
  skip_slowlog = 1U << 10,
  asking = 1U << 11,
  fast = 1U << 12,
  no_auth = 1U << 13,        ///< allowed before logging in
  may_replicate = 1U << 14,  ///< not shown: held back with the writing commands by CLIENT PAUSE; no read-only script's
  no_mandatory_keys = 1U << 15,
  no_async_loading = 1U << 16,
  no_multi = 1U << 17,
  movablekeys = 1U << 18,
  allow_busy = 1U << 19,
  /// Not shown: the words of the request are kept from MONITOR and the slow log.
  secret = 1U << 20,
  /// Not shown: allowed to a RESP2 client that is subscribed.
  when_subscribed = 1U << 21,
  /// Not shown: runs at once in an open transaction instead of being queued.
  not_queued = 1U << 22,
};

constexpr Flag operator|(Flag a, Flag b) noexcept {
  return static_cast<Flag>(static_cast<std::uint32_t>(a) | static_cast<std::uint32_t>(b));
}
constexpr bool has(Flag flags, Flag flag) noexcept {
  return (static_cast<std::uint32_t>(flags) & static_cast<std::uint32_t>(flag)) != 0;
}

/// The group of COMMAND DOCS; most also name an ACL category.
enum class Group : std::uint8_t {
  generic,
  string,
  list,
  set,
  sorted_set,
  hash,
  pubsub,
  transactions,
  connection,
  server,
  scripting,
  hyperloglog,
  cluster,
  geo,
  stream,
  bitmap,
  lane,
};

/// ACL categories beyond those that follow from flags and group.
enum class Category : std::uint32_t {
  none = 0,
  keyspace = 1U << 0,
  read = 1U << 1,
  write = 1U << 2,
  set = 1U << 3,
  sortedset = 1U << 4,
  list = 1U << 5,
  hash = 1U << 6,
  string = 1U << 7,
  bitmap = 1U << 8,
  hyperloglog = 1U << 9,
  geo = 1U << 10,
  stream = 1U << 11,
  pubsub = 1U << 12,
  admin = 1U << 13,
  fast = 1U << 14,
  slow = 1U << 15,
  blocking = 1U << 16,
  dangerous = 1U << 17,
  connection = 1U << 18,
  transaction = 1U << 19,
  scripting = 1U << 20,
  lane = 1U << 21,
};

constexpr Category operator|(Category a, Category b) noexcept {
  return static_cast<Category>(static_cast<std::uint32_t>(a) | static_cast<std::uint32_t>(b));
}
constexpr bool has(Category set, Category one) noexcept {
  return (static_cast<std::uint32_t>(set) & static_cast<std::uint32_t>(one)) != 0;
}

/// What a command does with the keys of one specification: the flags of COMMAND INFO's key specifications.
enum class Use : std::uint16_t {
  none = 0,
  ro = 1U << 0,  ///< reads the value
  rw = 1U << 1,  ///< reads and writes it
  ow = 1U << 2,  ///< overwrites it
  rm = 1U << 3,  ///< removes the key
  access = 1U << 4,
  update = 1U << 5,
  insert = 1U << 6,
  del = 1U << 7,
  not_key = 1U << 8,
  incomplete = 1U << 9,
  variable_flags = 1U << 10,
};
constexpr Use operator|(Use a, Use b) noexcept {
  return static_cast<Use>(static_cast<std::uint16_t>(a) | static_cast<std::uint16_t>(b));
}
constexpr bool has(Use set, Use one) noexcept {
  return (static_cast<std::uint16_t>(set) & static_cast<std::uint16_t>(one)) != 0;
}

/// Where keys stand in a request: where to begin, and how to go on from there. Positions count from the command's name,
/// which is 0 (a subcommand's name is 1).
struct KeySpec {
  enum class Begin : std::uint8_t { index, keyword, unknown };
  enum class Find : std::uint8_t { range, keynum, unknown };
  Use use = Use::none;
  Begin begin = Begin::index;
  std::int16_t index = 1;  ///< begin: the position; for a keyword: where to start looking (negative: from the end)
  std::string_view keyword = {};
  Find find = Find::range;
  std::int16_t last =
      0;  ///< range: last key relative to the first; negative: from the end. keynum: where the count stands
  std::int16_t step = 1;   ///< both: distance of two keys
  std::int16_t limit = 0;  ///< range with last -1: 2 = half of the rest, and so on. keynum: where the first key stands
};

/// Up to four specifications, in the order of COMMAND INFO.
struct Keys {
  std::array<KeySpec, 4> specs{};
  std::uint8_t count = 0;

  constexpr Keys and_(Keys more) const {
    Keys both = *this;
    for (std::uint8_t i = 0; i < more.count; ++i) both.specs[both.count++] = more.specs[i];
    return both;
  }
};

/// One key at a position.
constexpr Keys key_at(std::int16_t index, Use use) { return {{KeySpec{.use = use, .index = index}}, 1}; }
/// Keys from a position up to `last` relative to it (-1: to the end, -2: all but the last word), every `step` words.
constexpr Keys keys_from(std::int16_t index, Use use, std::int16_t last = -1, std::int16_t step = 1) {
  return {{KeySpec{.use = use, .index = index, .last = last, .step = step}}, 1};
}
/// A count at a position and as many keys behind it.
constexpr Keys keys_counted_at(std::int16_t index, Use use) {
  return {{KeySpec{.use = use, .index = index, .find = KeySpec::Find::keynum, .last = 0, .step = 1, .limit = 1}}, 1};
}

/// Which words of a request name channels that its user must be permitted to use.
struct Channels {
  std::uint8_t first = 0;  ///< its position; 0: none
  bool to_the_end = false;
  bool patterns = false;  ///< words are patterns of names
};

/// What COMMAND DOCS tells.
struct Docs {
  std::string_view summary;
  std::string_view complexity;
  std::string_view since;
  std::string_view deprecated_since = {};
  std::string_view replaced_by = {};
  bool for_system = false;  ///< nothing that applications call ("syscmd")
};

/// The whole declaration of a command. Arrays of these stand at the foot of the files that implement them.
struct Spec {
  /// Name and arguments: "SET key value [NX | XX] [EX seconds:integer | KEEPTTL]". A word is one argument, `[...]` is
  /// optional, `|` separates alternatives, `<...>` holds alternatives together, `...` behind a word or bracket repeats
  /// it; "key [key ...]" is one repeated argument. A subcommand's name is two words: "OBJECT ENCODING key". A type may
  /// follow a colon (key is a key; others: integer, double, string, pattern, unix-time); upper-case words are tokens.
  std::string_view syntax;
  Handler handler = nullptr;  ///< null for a container, whose subcommands are declared beside it
  Flag flags = Flag::none;
  Keys keys = {};
  Channels channels = {};
  Group group = Group::generic;
  Docs docs = {};
  Category categories = Category::none;  ///< beyond those that flags and group imply
  std::int16_t arity = 0;      ///< number of words with the name, negative: at least so many. 0: from the syntax
  std::string_view tips = {};  ///< blank-separated, as COMMAND TIPS names them
  /// The keys of a request where the specifications do not suffice (then flagged movablekeys); appends positions.
  using KeyFinder = bool (*)(std::span<const std::string_view> words, std::array<std::uint32_t, 512>& positions,
                             std::size_t& count);
  KeyFinder find_keys = nullptr;
  /// Where a key's use depends on the request (Use::variable_flags): what this one does with it.
  using UseFinder = Use (*)(std::span<const std::string_view> words);
  UseFinder find_use = nullptr;
  /// Which words of a request flagged secret nobody may read; null: all behind the name. Bit i stands for word i.
  using SecretFinder = std::uint64_t (*)(std::span<const std::string_view> words);
  SecretFinder find_secrets = nullptr;
  /// Remarks on the key specifications, a line each, as Redis words them in COMMAND INFO.
  std::string_view key_notes = {};
};

/// Number of words of a name ("SET": 1, "OBJECT ENCODING": 2): the leading words of all upper case before an argument.
/// A container's own declaration is its bare name.
constexpr std::size_t name_words(const Spec& spec) {
  // A name is followed by an argument in lower case, a bracket or the end; only declared subcommands have two words.
  const std::string_view syntax = spec.syntax;
  const std::size_t blank = syntax.find(' ');
  if (blank == std::string_view::npos || blank + 1 >= syntax.size()) return 1;
  const char c = syntax[blank + 1];
  return (c >= 'A' && c <= 'Z') ? 2 : 1;
}

/// Reads a syntax line byte by byte and counts the words that no request may lack.
class ArityReader {
 public:
  constexpr void read(char c) {
    if (depth_ == 0 && (c == '<' || c == '>')) return group(c);
    // Of a group's alternatives the first counts.
    if (in_group_ && behind_first_) return;
    switch (c) {
      case '[':
      case ']':
        return bracket(c);
      case '|':
        return bar();
      case ' ':
        in_word_ = false;
        return;
      default:
        return letter();
    }
  }
  constexpr void read_dots() { open_ended_ = true; }
  constexpr std::int16_t arity() const { return open_ended_ ? static_cast<std::int16_t>(-words_) : words_; }

 private:
  constexpr void group(char c) {
    in_group_ = c == '<';
    behind_first_ = in_word_ = false;
  }
  constexpr void bracket(char c) {
    depth_ += c == '[' ? 1 : -1;
    open_ended_ = true;
    in_word_ = false;
  }
  constexpr void bar() {
    behind_first_ = in_group_ && depth_ == 0;
    alternative_ = !in_group_;
    in_word_ = false;
  }
  constexpr void letter() {
    if (in_word_) return;
    in_word_ = true;
    if (depth_ == 0 && !alternative_) ++words_;
    alternative_ = false;
  }

  std::int16_t words_ = 0;
  int depth_ = 0;  // of brackets
  bool open_ended_ = false;
  bool in_word_ = false;
  bool alternative_ = false;   // the next word replaces the one before the bar
  bool in_group_ = false;      // between < and >
  bool behind_first_ = false;  // and behind its first bar
};

/// The arity that a syntax line implies.
constexpr std::int16_t arity_of(std::string_view syntax) {
  ArityReader reader;
  for (std::size_t i = 0; i < syntax.size(); ++i) {
    // A single dot is part of a name.
    if (syntax.substr(i, 3) == "...") {
      reader.read_dots();
      i += 2;
    } else {
      reader.read(syntax[i]);
    }
  }
  return reader.arity();
}

constexpr std::int16_t arity_of(const Spec& spec) { return spec.arity != 0 ? spec.arity : arity_of(spec.syntax); }

/// Not so: a key that a reading command changes, or one that a request need not reach. A reading command may keep
/// something beside the data that it reads, which is Use::rw without update, insert or del.
constexpr bool well_formed_key(const Spec& spec, const KeySpec& key) {
  const bool alters = has(key.use, Use::update) || has(key.use, Use::insert) || has(key.use, Use::del);
  const bool changes = (has(key.use, Use::rw) && alters) || has(key.use, Use::ow) || has(key.use, Use::rm);
  if (changes && has(spec.flags, Flag::readonly)) return false;
  const std::int16_t arity = arity_of(spec);
  const bool may_be_none = arity < 0 && key.find == KeySpec::Find::range && key.last < 0 && key.index == -arity;
  const bool within = may_be_none || key.begin != KeySpec::Begin::index || key.index < (arity < 0 ? -arity : arity);
  return within || has(spec.flags, Flag::no_mandatory_keys) || has(key.use, Use::not_key);
}

/// Contradictions that must not compile: no summary, a reading command that changes keys, keys beyond the arity,
/// neither a handler nor a container.
consteval bool well_formed(std::span<const Spec> specs) {
  for (const Spec& spec : specs) {
    if (spec.syntax.empty() || spec.docs.summary.empty() || spec.docs.since.empty()) return false;
    if (has(spec.flags, Flag::write) && has(spec.flags, Flag::readonly)) return false;
    for (std::uint8_t i = 0; i < spec.keys.count; ++i) {
      if (!well_formed_key(spec, spec.keys.specs[i])) return false;
    }
  }
  return true;
}

}  // namespace fairlane::command
