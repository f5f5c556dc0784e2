// bitmap.cpp - SETBIT, GETBIT, BITCOUNT, BITPOS, BITOP.
#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include "command/bits.hpp"
#include "command/groups.hpp"
#include "fairlane/command/context.hpp"
#include "fairlane/command/services.hpp"
#include "fairlane/command/settings.hpp"

namespace fairlane::command {
namespace {

constexpr std::string_view kBadBit = "ERR bit is not an integer or out of range";

std::uint64_t bit_offset(Context& ctx, Args& args) {
  const std::int64_t offset = args.integer(errors::kBadBitOffset);
  const auto longest = static_cast<std::int64_t>(ctx.services.settings.limits.max_bulk_length);
  if (args.ok() && (offset < 0 || (offset >> 3) >= longest)) args.fail(errors::kBadBitOffset);
  return static_cast<std::uint64_t>(offset);
}

Outcome setbit(Context& ctx, Args& args) {
  const std::string_view key = args.text();
  const std::uint64_t offset = bit_offset(ctx, args);
  const std::int64_t bit = args.integer_in(0, 1, kBadBit, kBadBit);
  if (!args.ok()) return ctx.fail(args.error());
  auto string = ctx.keys.edit_string(key);
  if (string.wrong_type()) return ctx.fail(errors::kWrongType);
  engine::Scratch scratch;
  const std::size_t size = string.size();
  const bool before = !string.absent() && bit_at(string.text(scratch), offset);
  const std::size_t needed = std::max(size, static_cast<std::size_t>(offset >> 3) + 1);
  if (needed != size || before != (bit == 1)) {
    char* bytes = string.resize(needed);
    auto value = static_cast<unsigned char>(bytes[offset >> 3]);
    const auto mask = static_cast<unsigned char>(0x80U >> (offset & 7U));
    value = static_cast<unsigned char>(bit == 1 ? value | mask : value & ~mask);
    bytes[offset >> 3] = static_cast<char>(value);
    string.commit(engine::events::kSetBit);
  }
  ctx.reply.integer(before ? 1 : 0);
  return Outcome::done;
}

Outcome getbit(Context& ctx, Args& args) {
  const std::string_view key = args.text();
  const std::uint64_t offset = bit_offset(ctx, args);
  if (!args.ok()) return ctx.fail(args.error());
  const auto string = ctx.keys.find_string(key);
  if (string.wrong_type()) return ctx.fail(errors::kWrongType);
  engine::Scratch scratch;
  ctx.reply.integer(!string.absent() && bit_at(string.text(scratch), offset) ? 1 : 0);
  return Outcome::done;
}

/// Bits from `first` to `last`, both included; none when they cross.
struct BitRange {
  std::int64_t first = 0;
  std::int64_t last = 0;
  bool empty() const noexcept { return first > last; }
};

/// "start end [BYTE | BIT]" as Redis reads it, in bits of a text of `bytes`.
BitRange read_range(Args& args, std::int64_t first, std::int64_t last, bool has_last, std::int64_t bytes) {
  bool in_bits = false;
  if (args.more()) {
    if (args.option("BIT")) {
      in_bits = true;
    } else if (!args.option("BYTE")) {
      args.fail(errors::kSyntax);
    }
  }
  const std::int64_t total = in_bits ? bytes * 8 : bytes;
  if (!has_last) last = total - 1;
  if (first < 0) first = std::max<std::int64_t>(first + total, 0);
  if (last < 0) last = std::max<std::int64_t>(last + total, 0);
  last = std::min(last, total - 1);
  if (first > last) return {0, -1};
  return in_bits ? BitRange{first, last} : BitRange{first * 8, last * 8 + 7};
}

std::int64_t count_bits(std::string_view text, BitRange range) noexcept {
  std::int64_t count = 0;
  std::int64_t at = range.first;
  for (; at <= range.last && (at & 7) != 0; ++at) count += bit_at(text, static_cast<std::uint64_t>(at)) ? 1 : 0;
  for (; at + 63 <= range.last; at += 64) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + (at >> 3), sizeof(word));
    count += std::popcount(word);
  }
  for (; at + 7 <= range.last; at += 8) count += std::popcount(byte_at(text, static_cast<std::uint64_t>(at >> 3)));
  for (; at <= range.last; ++at) count += bit_at(text, static_cast<std::uint64_t>(at)) ? 1 : 0;
  return count;
}

Outcome bitcount(Context& ctx, Args& args) {
  const auto string = ctx.keys.find_string(args.text());
  if (string.wrong_type()) return ctx.fail(errors::kWrongType);
  if (string.absent()) {
    ctx.reply.integer(0);
    return Outcome::done;
  }
  engine::Scratch scratch;
  const std::string_view text = string.text(scratch);
  const auto bytes = static_cast<std::int64_t>(text.size());
  BitRange range{0, bytes * 8 - 1};
  if (args.left() != 0) {
    if (args.left() != 2 && args.left() != 3) return ctx.fail(errors::kSyntax);
    const std::int64_t first = args.integer();
    const std::int64_t last = args.integer();
    if (!args.ok()) return ctx.fail(args.error());
    range = first < 0 && last < 0 && first > last ? BitRange{0, -1} : read_range(args, first, last, true, bytes);
    if (!args.ok()) return ctx.fail(args.error());
  }
  ctx.reply.integer(count_bits(text, range));
  return Outcome::done;
}

/// The first bit of the value in the range; -1 when there is none.
std::int64_t find_bit(std::string_view text, BitRange range, bool bit) noexcept {
  const unsigned skipped = bit ? 0x00U : 0xffU;
  for (std::int64_t at = range.first; at <= range.last;) {
    if ((at & 7) == 0 && at + 7 <= range.last && byte_at(text, static_cast<std::uint64_t>(at >> 3)) == skipped) {
      at += 8;
    } else if (bit_at(text, static_cast<std::uint64_t>(at)) == bit) {
      return at;
    } else {
      ++at;
    }
  }
  return -1;
}

Outcome bitpos(Context& ctx, Args& args) {
  const std::string_view key = args.text();
  const std::int64_t bit = args.integer();
  if (!args.ok()) return ctx.fail(args.error());
  if (bit != 0 && bit != 1) return ctx.fail("ERR The bit argument must be 1 or 0.");
  const auto string = ctx.keys.find_string(key);
  if (string.wrong_type()) return ctx.fail(errors::kWrongType);
  if (string.absent()) {
    ctx.reply.integer(bit == 1 ? -1 : 0);
    return Outcome::done;
  }
  engine::Scratch scratch;
  const std::string_view text = string.text(scratch);
  const auto bytes = static_cast<std::int64_t>(text.size());
  BitRange range{0, bytes * 8 - 1};
  bool has_last = false;
  if (args.left() > 3) return ctx.fail(errors::kSyntax);
  if (args.left() != 0) {
    const std::int64_t first = args.integer();
    has_last = args.left() != 0;
    const std::int64_t last = has_last ? args.integer() : -1;
    if (!args.ok()) return ctx.fail(args.error());
    range = read_range(args, first, last, has_last, bytes);
    if (!args.ok()) return ctx.fail(args.error());
  }
  std::int64_t found = range.empty() ? -1 : find_bit(text, range, bit == 1);
  // Without an end the text goes on with zeros.
  if (found < 0 && bit == 0 && !has_last && !range.empty()) found = bytes * 8;
  ctx.reply.integer(found);
  return Outcome::done;
}

enum class BitOperation : std::uint8_t { conjunction, disjunction, difference, negation };

char combined(BitOperation operation, std::span<const std::string> texts, std::size_t i) noexcept {
  unsigned value = byte_at(texts[0], i);
  if (operation == BitOperation::negation) return static_cast<char>(~value & 0xffU);
  for (std::size_t j = 1; j < texts.size(); ++j) {
    const unsigned other = byte_at(texts[j], i);
    value = operation == BitOperation::conjunction   ? value & other
            : operation == BitOperation::disjunction ? value | other
                                                     : value ^ other;
  }
  return static_cast<char>(value);
}

Outcome bitop(Context& ctx, Args& args) {
  BitOperation operation = BitOperation::negation;
  if (args.option("AND")) {
    operation = BitOperation::conjunction;
  } else if (args.option("OR")) {
    operation = BitOperation::disjunction;
  } else if (args.option("XOR")) {
    operation = BitOperation::difference;
  } else if (!args.option("NOT")) {
    return ctx.fail(errors::kSyntax);
  }
  const std::string_view target = args.text();
  if (operation == BitOperation::negation && args.left() != 1) {
    return ctx.fail("ERR BITOP NOT must be called with a single source key.");
  }
  std::vector<std::string> texts;
  std::size_t size = 0;
  for (const std::string_view key : args.rest()) {
    const auto string = ctx.keys.find_string(key);
    if (string.wrong_type()) return ctx.fail(errors::kWrongType);
    engine::Scratch scratch;
    texts.emplace_back(string.absent() ? std::string_view() : string.text(scratch));
    size = std::max(size, texts.back().size());
  }
  if (size == 0) {
    ctx.keys.erase(target);
  } else {
    std::string result(size, '\0');
    for (std::size_t i = 0; i < size; ++i) result[i] = combined(operation, texts, i);
    const bool created = ctx.keys.store_string(target, result, engine::Deadline::clear);
    ctx.keys.published(target, engine::events::kSet, created, created);
  }
  ctx.reply.integer(static_cast<std::int64_t>(size));
  return Outcome::done;
}

constexpr Keys kRead = key_at(1, Use::ro | Use::access);

constexpr Spec kSpecs[] = {
    {.syntax = "SETBIT key offset:integer value:integer",
     .handler = setbit,
     .flags = Flag::write | Flag::denyoom,
     .keys = key_at(1, Use::rw | Use::access | Use::update),
     .group = Group::bitmap,
     .docs = {.summary = "Sets a bit of a string, and returns what it was.", .complexity = "O(1)", .since = "2.2.0"}},
    {.syntax = "GETBIT key offset:integer",
     .handler = getbit,
     .flags = Flag::readonly | Flag::fast,
     .keys = kRead,
     .group = Group::bitmap,
     .docs = {.summary = "Returns a bit of a string.", .complexity = "O(1)", .since = "2.2.0"}},
    {.syntax = "BITCOUNT key [<start:integer end:integer [BYTE | BIT]>]",
     .handler = bitcount,
     .flags = Flag::readonly,
     .keys = kRead,
     .group = Group::bitmap,
     .docs = {.summary = "Counts the bits that are set.", .complexity = "O(N), N bytes", .since = "2.6.0"}},
    {.syntax = "BITPOS key bit:integer [<start:integer [<end:integer [BYTE | BIT]>]>]",
     .handler = bitpos,
     .flags = Flag::readonly,
     .keys = kRead,
     .group = Group::bitmap,
     .docs = {.summary = "Finds the first bit that is set, or is not.",
              .complexity = "O(N), N bytes",
              .since = "2.8.7"}},
    {.syntax = "BITOP operation destkey:key key [key ...]",
     .handler = bitop,
     .flags = Flag::write | Flag::denyoom,
     .keys = key_at(2, Use::ow | Use::update).and_(keys_from(3, Use::ro | Use::access)),
     .group = Group::bitmap,
     .docs = {.summary = "Combines strings bit by bit: AND, OR, XOR, NOT.",
              .complexity = "O(N), N bytes",
              .since = "2.6.0"}},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> bitmap_commands() { return kSpecs; }

}  // namespace fairlane::command
