// bitfield.cpp - BITFIELD, BITFIELD_RO: integers of any width in the bits of a string.
#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "command/bits.hpp"
#include "command/groups.hpp"
#include "fairlane/base/number.hpp"
#include "fairlane/command/context.hpp"
#include "fairlane/command/services.hpp"
#include "fairlane/command/settings.hpp"

namespace fairlane::command {
namespace {

constexpr std::string_view kBadType =
    "ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported but i64 is.";

enum class Overflow : std::uint8_t { wrap, saturate, fail };

/// A result as 64 bits, negative ones extended, and whether it had to be made to fit.
struct Fitted {
  std::int64_t value;
  bool overflowed;
};

/// i1 to i64, u1 to u63.
class IntegerType {
 public:
  static std::optional<IntegerType> parse(std::string_view text) noexcept {
    // Only what comes before a NUL is read, as redis-server does.
    text = text.substr(0, text.find('\0'));
    if (text.empty() || (text.front() != 'i' && text.front() != 'u')) return std::nullopt;
    const bool with_sign = text.front() == 'i';
    const auto bits = base::parse_integer(text.substr(1));
    if (!bits || *bits < 1 || *bits > (with_sign ? 64 : 63)) return std::nullopt;
    return IntegerType(with_sign, static_cast<unsigned>(*bits));
  }

  unsigned bits() const noexcept { return bits_; }

  std::int64_t read(std::string_view text, std::uint64_t offset) const noexcept {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < bits_; ++i) value = value << 1 | (bit_at(text, offset + i) ? 1U : 0U);
    return extended(value);
  }
  void write(char* bytes, std::uint64_t offset, std::int64_t value) const noexcept {
    for (unsigned i = 0; i < bits_; ++i) {
      const std::uint64_t at = offset + i;
      const auto mask = static_cast<std::uint8_t>(0x80U >> (at & 7U));
      const bool set = (static_cast<std::uint64_t>(value) >> (bits_ - 1 - i) & 1U) != 0;
      const auto held = static_cast<std::uint8_t>(bytes[at >> 3]);
      bytes[at >> 3] = static_cast<char>(set ? held | mask : held & ~mask);
    }
  }

  /// value + increment in this type. An unsigned value is given by its 64 bits, so a negative one is too large.
  Fitted add(std::int64_t value, std::int64_t increment, Overflow overflow) const noexcept {
    const bool above = with_sign_ ? exceeds(value, increment) : exceeds_unsigned(value, increment);
    if (!above && !(with_sign_ ? undercuts(value, increment) : undercuts_unsigned(value, increment))) {
      return {value + increment, false};
    }
    if (overflow == Overflow::saturate) return {above ? most() : least(), true};
    return {extended(static_cast<std::uint64_t>(value) + static_cast<std::uint64_t>(increment)), true};
  }

 private:
  IntegerType(bool with_sign, unsigned bits) noexcept : with_sign_(with_sign), bits_(bits) {}

  std::int64_t most() const noexcept {
    const unsigned digits = with_sign_ ? bits_ - 1 : bits_;
    return static_cast<std::int64_t>((std::uint64_t{1} << digits) - 1);
  }
  std::int64_t least() const noexcept { return with_sign_ ? -most() - 1 : 0; }

  /// The lowest bits of a number as a value of the type.
  std::int64_t extended(std::uint64_t value) const noexcept {
    const unsigned unused = 64 - bits_;
    value <<= unused;
    return with_sign_ ? static_cast<std::int64_t>(value) >> unused : static_cast<std::int64_t>(value >> unused);
  }

  /// How far it is from one value to another, modulo 2^64: a far too small value is taken for one that is too large,
  /// which shows when it saturates. redis-server does the same.
  static std::int64_t room(std::int64_t from, std::int64_t to) noexcept {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from));
  }
  bool exceeds(std::int64_t value, std::int64_t increment) const noexcept {
    if (value > most()) return true;
    return increment > room(value, most()) && (bits_ < 64 || (value >= 0 && increment > 0));
  }
  bool undercuts(std::int64_t value, std::int64_t increment) const noexcept {
    if (value < least()) return true;
    return increment < room(value, least()) && (bits_ < 64 || (value < 0 && increment < 0));
  }
  bool exceeds_unsigned(std::int64_t value, std::int64_t increment) const noexcept {
    return value < 0 || value > most() || (increment > 0 && increment > most() - value);
  }
  static bool undercuts_unsigned(std::int64_t value, std::int64_t increment) noexcept { return increment < -value; }

  bool with_sign_;
  unsigned bits_;
};

/// One of the operations of a request.
struct Step {
  enum class Kind : std::uint8_t { get, set, increment };
  Kind kind;
  Overflow overflow;
  IntegerType type;
  std::uint64_t offset;
  std::int64_t operand;

  bool writes() const noexcept { return kind != Kind::get; }
  std::uint64_t last_bit() const noexcept { return offset + type.bits() - 1; }
};

std::optional<Overflow> parse_overflow(std::string_view name) noexcept {
  if (base::equal_ignoring_case(name, "WRAP")) return Overflow::wrap;
  if (base::equal_ignoring_case(name, "SAT")) return Overflow::saturate;
  if (base::equal_ignoring_case(name, "FAIL")) return Overflow::fail;
  return std::nullopt;
}

/// Reads the operations of a request one after another.
class StepReader {
 public:
  StepReader(const Context& ctx, Args& args) noexcept
      : longest_(ctx.services.settings.limits.max_bulk_length), args_(args) {}

  std::vector<Step> read_all() {
    std::vector<Step> steps;
    while (args_.more()) {
      if (args_.option_with("GET", 2)) {
        read(steps, Step::Kind::get);
      } else if (args_.option_with("SET", 3)) {
        read(steps, Step::Kind::set);
      } else if (args_.option_with("INCRBY", 3)) {
        read(steps, Step::Kind::increment);
      } else if (args_.option_with("OVERFLOW", 1)) {
        const auto overflow = parse_overflow(args_.text());
        if (!overflow) args_.fail("ERR Invalid OVERFLOW type specified");
        overflow_ = overflow.value_or(overflow_);
      } else {
        args_.fail(errors::kSyntax);
      }
    }
    return steps;
  }

 private:
  void read(std::vector<Step>& steps, Step::Kind kind) {
    const auto type = IntegerType::parse(args_.text());
    if (!type) return args_.fail(kBadType);
    const std::uint64_t offset = read_offset(*type);
    if (!args_.ok()) return;
    const std::int64_t operand = kind == Step::Kind::get ? 0 : args_.integer();
    steps.push_back({kind, overflow_, *type, offset, operand});
  }

  /// A number of bits, or behind # a number of such integers.
  std::uint64_t read_offset(const IntegerType& type) {
    std::string_view text = args_.text();
    const bool counts_integers = text.starts_with('#');
    if (counts_integers) text.remove_prefix(1);
    const auto number = base::parse_integer(text);
    const std::uint64_t unit = counts_integers ? type.bits() : 1;
    // Modulo 2^64: a product that is far too large may look like a place in the string to redis-server as well.
    const auto offset = static_cast<std::int64_t>(static_cast<std::uint64_t>(number.value_or(-1)) * unit);
    if (!number || offset < 0 || offset >> 3 >= longest_) args_.fail(errors::kBadBitOffset);
    return static_cast<std::uint64_t>(offset);
  }

  std::int64_t longest_;
  Args& args_;
  Overflow overflow_ = Overflow::wrap;
};

/// Nothing is written, so the string need not reach as far as it is read.
Outcome read_fields(Context& ctx, std::string_view key, const std::vector<Step>& steps) {
  const auto string = ctx.keys.find_string(key);
  if (string.wrong_type()) return ctx.fail(errors::kWrongType);
  engine::Scratch scratch;
  const std::string_view text = string.absent() ? std::string_view() : string.text(scratch);
  ctx.reply.array(steps.size());
  for (const Step& step : steps) ctx.reply.integer(step.type.read(text, step.offset));
  return Outcome::done;
}

/// Runs one operation on bytes that it lies within, and answers it. Returns whether a value was written: a new one, or
/// with `any` also the one that was there.
bool run_step(protocol::Reply& reply, const Step& step, char* bytes, std::size_t size, bool any) {
  const std::int64_t before = step.type.read({bytes, size}, step.offset);
  if (!step.writes()) {
    reply.integer(before);
    return false;
  }
  const bool sets = step.kind == Step::Kind::set;
  const Fitted after =
      sets ? step.type.add(step.operand, 0, step.overflow) : step.type.add(before, step.operand, step.overflow);
  if (after.overflowed && step.overflow == Overflow::fail) {
    reply.null();
    return false;
  }
  step.type.write(bytes, step.offset, after.value);
  reply.integer(sets ? before : after.value);
  return any || before != after.value;
}

Outcome write_fields(Context& ctx, std::string_view key, const std::vector<Step>& steps) {
  auto string = ctx.keys.edit_string(key);
  if (string.wrong_type()) return ctx.fail(errors::kWrongType);
  std::uint64_t last_bit = 0;
  for (const Step& step : steps) last_bit = step.writes() ? std::max(last_bit, step.last_bit()) : last_bit;
  const bool created = string.absent();
  const std::size_t size = std::max(string.size(), static_cast<std::size_t>(last_bit >> 3) + 1);
  const bool grows = size > string.size();
  char* const bytes = string.resize(size);
  bool changed = false;
  ctx.reply.array(steps.size());
  for (const Step& step : steps) changed = run_step(ctx.reply, step, bytes, size, grows) || changed;
  if (changed) {
    string.commit(engine::events::kSetBit);
  } else if (created) {
    // A string of zeros is there now, though every operation has failed.
    ctx.keys.notify(key, engine::events::kNew);
  }
  return Outcome::done;
}

Outcome run_steps(Context& ctx, Args& args, bool read_only) {
  const std::string_view key = args.text();
  const std::vector<Step> steps = StepReader(ctx, args).read_all();
  if (!args.ok()) return ctx.fail(args.error());
  const bool writes = std::any_of(steps.begin(), steps.end(), [](const Step& step) { return step.writes(); });
  if (!writes) return read_fields(ctx, key, steps);
  if (read_only) return ctx.fail("ERR BITFIELD_RO only supports the GET subcommand");
  return write_fields(ctx, key, steps);
}

Outcome bitfield(Context& ctx, Args& args) { return run_steps(ctx, args, false); }
Outcome bitfield_ro(Context& ctx, Args& args) { return run_steps(ctx, args, true); }

/// For COMMAND GETKEYSANDFLAGS: a request of nothing but GET reads; one that is wrong might write.
Use use_of_bitfield(std::span<const std::string_view> words) {
  Args args(words, std::min<std::size_t>(2, words.size()));
  while (args.left() != 0) {
    if (args.option_with("GET", 2)) {
      args.skip(2);
    } else if (args.option_with("OVERFLOW", 1)) {
      args.skip(1);
    } else {
      return Use::rw | Use::access | Use::update;
    }
  }
  return Use::ro | Use::access;
}

constexpr std::string_view kComplexity = "O(1) for each operation";

constexpr Spec kSpecs[] = {
    {.syntax = "BITFIELD key [GET encoding offset:integer | [OVERFLOW <WRAP | SAT | FAIL>] <SET encoding "
               "offset:integer value:integer | INCRBY encoding offset:integer increment:integer> ...]",
     .handler = bitfield,
     .flags = Flag::write | Flag::denyoom,
     .keys = key_at(1, Use::rw | Use::access | Use::update | Use::variable_flags),
     .group = Group::bitmap,
     .docs = {.summary = "Reads and writes integers of any width in a string, counts them up and down.",
              .complexity = kComplexity,
              .since = "3.2.0"},
     .find_use = use_of_bitfield,
     .key_notes = "This command allows both access and modification of the key"},
    {.syntax = "BITFIELD_RO key [GET encoding offset:integer [GET encoding offset:integer ...]]",
     .handler = bitfield_ro,
     .flags = Flag::readonly | Flag::fast,
     .keys = key_at(1, Use::ro | Use::access),
     .group = Group::bitmap,
     .docs = {.summary = "Reads integers of any width in a string.", .complexity = kComplexity, .since = "6.0.0"}},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> bitfield_commands() { return kSpecs; }

}  // namespace fairlane::command
