// hyperloglog.cpp - PFADD, PFCOUNT, PFMERGE, PFDEBUG, PFSELFTEST: sketches that count distinct elements.
#include <cmath>
#include <cstring>

#include "command/groups.hpp"
#include "fairlane/base/number.hpp"
#include "fairlane/base/random.hpp"
#include "fairlane/command/context.hpp"
#include "fairlane/command/services.hpp"
#include "fairlane/command/settings.hpp"
#include "fairlane/data/hyperloglog.hpp"

namespace fairlane::command {
namespace {

using data::HyperLogLog;
using data::HyperLogLogUnion;
using Form = HyperLogLog::Form;
using Raised = HyperLogLog::Raised;

constexpr std::string_view kNoSketch = "WRONGTYPE Key is not a valid HyperLogLog string value.";
constexpr std::string_view kCorrupt = "INVALIDOBJ Corrupted HLL object detected";

std::size_t sparse_limit(const Context& ctx) { return ctx.services.settings.sketch_sparse_bytes; }

/// Why a string that is there, found or to be edited, is no sketch; empty when it is one.
template <class String>
std::string_view objection(const String& string) {
  if (string.wrong_type()) return errors::kWrongType;
  engine::Scratch scratch;
  return HyperLogLog::recognizes(string.text(scratch)) ? std::string_view() : kNoSketch;
}

std::string_view bytes_of(const engine::EditString& string) {
  // A sketch is never kept as an integer, whose text would stand in the scratch.
  engine::Scratch scratch;
  return string.text(scratch);
}

/// The bytes of a sketch that is there, to be changed in place; the string counts as edited.
char* edited(engine::EditString& string) { return string.resize(string.size()); }

void put(engine::EditString& string, const HyperLogLog& sketch) {
  const std::string_view bytes = sketch.bytes();
  std::memcpy(string.resize(bytes.size()), bytes.data(), bytes.size());
}

Raised add_to_dense(engine::EditString& string, Args& args) {
  char* const bytes = edited(string);
  bool raised = false;
  while (args.more()) raised = HyperLogLog::raise_dense(bytes, HyperLogLog::Mark::of(args.text())) || raised;
  if (raised) HyperLogLog::forget_count(bytes);
  return raised ? Raised::yes : Raised::no;
}

Raised add_to_sparse(engine::EditString& string, Args& args, std::size_t limit) {
  const bool created = string.absent();
  HyperLogLog sketch = created ? HyperLogLog() : HyperLogLog(bytes_of(string));
  bool raised = created;
  bool corrupt = false;
  while (args.more() && !corrupt) {
    const Raised outcome = sketch.raise(HyperLogLog::Mark::of(args.text()), limit);
    raised = raised || outcome == Raised::yes;
    corrupt = outcome == Raised::corrupt;
  }
  if (raised) HyperLogLog::forget_count(sketch.data());
  put(string, sketch);
  return corrupt ? Raised::corrupt : raised ? Raised::yes : Raised::no;
}

Outcome pfadd(Context& ctx, Args& args) {
  auto string = ctx.keys.edit_string(args.text());
  bool dense = false;
  if (!string.absent()) {
    if (const std::string_view error = objection(string); !error.empty()) return ctx.fail(error);
    dense = HyperLogLog::form_of(bytes_of(string)) == Form::dense;
  }
  const Raised raised = dense ? add_to_dense(string, args) : add_to_sparse(string, args, sparse_limit(ctx));
  if (raised == Raised::corrupt) return ctx.fail(kCorrupt);
  if (raised == Raised::yes) string.commit(engine::events::kPfAdd);
  ctx.reply.integer(raised == Raised::yes ? 1 : 0);
  return Outcome::done;
}

/// The registers of several sketches together. Keys that are absent count for nothing.
class Gathered {
 public:
  /// Empty, or why the key is refused.
  std::string_view add(Context& ctx, std::string_view key) {
    const auto string = ctx.keys.find_string(key);
    if (string.absent()) return {};
    if (const std::string_view error = objection(string); !error.empty()) return error;
    engine::Scratch scratch;
    const std::string_view bytes = string.text(scratch);
    any_dense_ = any_dense_ || HyperLogLog::form_of(bytes) == Form::dense;
    return registers_.add(bytes) ? std::string_view() : kCorrupt;
  }
  bool any_dense() const noexcept { return any_dense_; }
  const HyperLogLogUnion& registers() const noexcept { return registers_; }

 private:
  HyperLogLogUnion registers_;
  bool any_dense_ = false;
};

/// Counts one sketch, and keeps the count in it for the next time.
Outcome count_one(Context& ctx, std::string_view key) {
  const auto found = ctx.keys.find_string(key);
  if (found.absent()) {
    ctx.reply.integer(0);
    return Outcome::done;
  }
  if (const std::string_view error = objection(found); !error.empty()) return ctx.fail(error);
  auto string = ctx.keys.edit_string(key);
  char* const bytes = edited(string);
  auto count = HyperLogLog::kept_count(bytes_of(string));
  if (!count) {
    count = HyperLogLog::count(bytes_of(string));
    if (!count) return ctx.fail(kCorrupt);
    HyperLogLog::keep_count(bytes, *count);
    string.commit(engine::events::kRecounted);
  }
  ctx.reply.integer(static_cast<std::int64_t>(*count));
  return Outcome::done;
}

Outcome pfcount(Context& ctx, Args& args) {
  if (args.left() == 1) return count_one(ctx, args.text());
  Gathered gathered;
  while (args.more()) {
    if (const std::string_view error = gathered.add(ctx, args.text()); !error.empty()) return ctx.fail(error);
  }
  ctx.reply.integer(static_cast<std::int64_t>(gathered.registers().count()));
  return Outcome::done;
}

Outcome pfmerge(Context& ctx, Args& args) {
  const std::string_view target = args.peek();
  Gathered gathered;
  while (args.more()) {
    if (const std::string_view error = gathered.add(ctx, args.text()); !error.empty()) return ctx.fail(error);
  }
  auto string = ctx.keys.edit_string(target);
  HyperLogLog sketch = string.absent() ? HyperLogLog() : HyperLogLog(bytes_of(string));
  if (gathered.any_dense() && !sketch.make_dense()) return ctx.fail(kCorrupt);
  for (std::uint32_t i = 0; i < HyperLogLog::kRegisters; ++i) {
    const std::uint8_t rank = gathered.registers()[i];
    if (rank != 0) sketch.raise({i, rank}, sparse_limit(ctx));
  }
  HyperLogLog::forget_count(sketch.data());
  put(string, sketch);
  string.commit(engine::events::kPfAdd);
  ctx.reply.ok();
  return Outcome::done;
}

/// Whether the sketch was sparse until now; nothing when it is corrupt. No change that anybody is told of.
std::optional<bool> make_dense(engine::EditString& string) {
  HyperLogLog sketch(bytes_of(string));
  const bool sparse = sketch.form() == Form::sparse;
  if (!sketch.make_dense()) return std::nullopt;
  if (sparse) put(string, sketch);
  return sparse;
}

Outcome get_registers(Context& ctx, engine::EditString& string) {
  if (!make_dense(string)) return ctx.fail(kCorrupt);
  ctx.reply.array(HyperLogLog::kRegisters);
  const std::string_view bytes = bytes_of(string);
  for (std::size_t i = 0; i < HyperLogLog::kRegisters; ++i) {
    ctx.reply.integer(HyperLogLog::dense_register(bytes, i));
  }
  return Outcome::done;
}

Outcome decode(Context& ctx, engine::EditString& string) {
  if (HyperLogLog::form_of(bytes_of(string)) != Form::sparse) return ctx.fail("ERR HLL encoding is not sparse");
  ctx.reply.bulk(HyperLogLog::describe_runs(bytes_of(string)));
  return Outcome::done;
}

Outcome encoding(Context& ctx, engine::EditString& string) {
  ctx.reply.simple(HyperLogLog::form_of(bytes_of(string)) == Form::dense ? "dense" : "sparse");
  return Outcome::done;
}

Outcome to_dense(Context& ctx, engine::EditString& string) {
  const auto converted = make_dense(string);
  if (!converted) return ctx.fail(kCorrupt);
  ctx.reply.integer(*converted ? 1 : 0);
  return Outcome::done;
}

Outcome pfdebug(Context& ctx, Args& args) {
  const std::string_view part = args.text();
  auto string = ctx.keys.edit_string(args.text());
  if (string.absent()) return ctx.fail("ERR The specified key does not exist");
  if (const std::string_view error = objection(string); !error.empty()) return ctx.fail(error);
  edited(string);
  const auto is = [part](std::string_view name) { return base::equal_ignoring_case(part, name); };
  if (is("GETREG")) return get_registers(ctx, string);
  if (is("DECODE")) return decode(ctx, string);
  if (is("ENCODING")) return encoding(ctx, string);
  if (is("TODENSE")) return to_dense(ctx, string);
  std::string text = "ERR Unknown PFDEBUG subcommand '";
  return ctx.fail(text.append(part.substr(0, part.find('\0'))).append("'"));
}

/// Both forms hold the same registers, and their count stays near the truth while a sketch fills.
Outcome pfselftest(Context& ctx, Args&) {
  constexpr std::uint64_t kElements = 200000;
  constexpr double kTolerance = 0.05;  // six standard errors
  base::Random random(kElements);
  HyperLogLog sparse;
  HyperLogLog dense;
  if (!dense.make_dense()) return ctx.fail("ERR TESTFAILED an empty sketch is corrupt");
  for (std::uint64_t added = 1; added <= kElements; ++added) {
    const auto mark = HyperLogLog::Mark::of(base::NumberText(random.next()));
    if (sparse.raise(mark, HyperLogLog::kDenseBytes) != dense.raise(mark, 0)) {
      return ctx.fail("ERR TESTFAILED the forms disagree about a register");
    }
    if ((added & (added - 1)) != 0) continue;
    const auto count = HyperLogLog::count(sparse.bytes());
    if (!count || count != HyperLogLog::count(dense.bytes())) {
      return ctx.fail("ERR TESTFAILED the forms disagree about the count");
    }
    const auto truth = static_cast<double>(added);
    if (std::abs(static_cast<double>(*count) - truth) > std::max(1.0, truth * kTolerance)) {
      return ctx.fail("ERR TESTFAILED the count is too far from the truth");
    }
  }
  ctx.reply.ok();
  return Outcome::done;
}

constexpr Spec kSpecs[] = {
    {.syntax = "PFADD key [element ...]",
     .handler = pfadd,
     .flags = Flag::write | Flag::denyoom | Flag::fast,
     .keys = key_at(1, Use::rw | Use::insert),
     .group = Group::hyperloglog,
     .docs = {.summary = "Adds elements to a sketch that counts distinct ones.",
              .complexity = "O(1) an element",
              .since = "2.8.9"}},
    {.syntax = "PFCOUNT key [key ...]",
     .handler = pfcount,
     .flags = Flag::readonly | Flag::may_replicate,
     .keys = keys_from(1, Use::rw | Use::access),
     .group = Group::hyperloglog,
     .docs = {.summary = "Estimates how many distinct elements one or several sketches have seen.",
              .complexity =
                  "O(1) for one key, mostly from a count that was kept; O(N) with a large constant for N keys",
              .since = "2.8.9"},
     .key_notes = "RW because it may change the internal representation of the key, and propagate to replicas"},
    {.syntax = "PFMERGE destkey:key [sourcekey:key [sourcekey:key ...]]",
     .handler = pfmerge,
     .flags = Flag::write | Flag::denyoom,
     .keys = key_at(1, Use::rw | Use::access | Use::insert).and_(keys_from(2, Use::ro | Use::access)),
     .group = Group::hyperloglog,
     .docs = {.summary = "Adds to a sketch what others have seen.",
              .complexity = "O(N) with a large constant, N sketches",
              .since = "2.8.9"}},
    {.syntax = "PFDEBUG subcommand key",
     .handler = pfdebug,
     .flags = Flag::write | Flag::denyoom | Flag::admin,
     .keys = key_at(2, Use::rw | Use::access),
     .group = Group::hyperloglog,
     .docs = {.summary = "Shows the registers of a sketch (GETREG), its runs (DECODE) or its form (ENCODING), or makes "
                         "it dense (TODENSE).",
              .complexity = "N/A",
              .since = "2.8.9",
              .for_system = true}},
    {.syntax = "PFSELFTEST",
     .handler = pfselftest,
     .flags = Flag::admin,
     .group = Group::hyperloglog,
     .docs = {.summary = "Tests the sketches that count distinct elements.",
              .complexity = "N/A",
              .since = "2.8.9",
              .for_system = true}},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> hyperloglog_commands() { return kSpecs; }

}  // namespace fairlane::command
