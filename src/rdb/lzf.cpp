#include "rdb/lzf.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

namespace fairlane::rdb {
namespace {

constexpr std::size_t kMostPlain = 32;
constexpr std::size_t kLeastCopy = 3;
constexpr std::size_t kMostCopy = 264;
constexpr std::size_t kFarthest = 8192;
constexpr std::size_t kLongHead = 7;
/// The most that a byte can stand for: a copy of 264 takes three.
constexpr std::size_t kMostPerByte = kMostCopy / 3;

class Compressor {
 public:
  Compressor(std::string_view in, std::size_t most) : in_(in), most_(most), places_(std::make_unique<Places>()) {
    begin_plain();
  }

  std::string run() {
    while (at_ + 2 < in_.size()) {
      if (!(remember(at_) ? copy() : plain())) return {};
    }
    if (out_.size() + 3 > most_) return {};
    while (at_ < in_.size()) take_plain();
    end_plain();
    return std::move(out_);
  }

 private:
  /// By a hash of three bytes: one more than where they last were, 0 for nowhere.
  using Places = std::array<std::uint32_t, 1 << 16>;

  unsigned byte(std::size_t at) const noexcept { return static_cast<unsigned char>(in_[at]); }

  std::uint32_t& place_of(std::size_t at) noexcept {
    const std::uint32_t three = byte(at) << 16 | byte(at + 1) << 8 | byte(at + 2);
    return (*places_)[((three >> 8) - three * 5) % Places().size()];
  }

  /// Notes the three bytes at a place. True when they stood before, near enough; earlier_ says where.
  bool remember(std::size_t at) noexcept {
    std::uint32_t& place = place_of(at);
    earlier_ = place - std::size_t{1};
    const bool known = place > 1;  // the first byte of all is never copied from
    place = static_cast<std::uint32_t>(at + 1);
    return known && at - earlier_ <= kFarthest && in_.compare(earlier_, kLeastCopy, in_, at, kLeastCopy) == 0;
  }

  bool plain() {
    if (out_.size() >= most_) return false;
    take_plain();
    return true;
  }

  void take_plain() {
    out_ += in_[at_++];
    if (++plain_ == kMostPlain) {
      end_plain();
      begin_plain();
    }
  }

  /// The count of plain bytes stands before them.
  void begin_plain() {
    plain_ = 0;
    out_ += '\0';
  }
  void end_plain() {
    if (plain_ == 0) {
      out_.pop_back();
    } else {
      out_[out_.size() - plain_ - 1] = static_cast<char>(plain_ - 1);
    }
  }

  /// How many bytes at at_ are those at earlier_. A limit of 17 or 18 is overstepped by redis-server, up to 19.
  std::size_t copy_length() const noexcept {
    std::size_t limit = std::min(in_.size() - at_ - 2, kMostCopy);
    if (limit == 17 || limit == 18) limit = 19;
    std::size_t length = kLeastCopy;
    while (length < limit && in_[earlier_ + length] == in_[at_ + length]) ++length;
    return length;
  }

  bool copy() {
    if (out_.size() - (plain_ == 0 ? 1 : 0) + 4 >= most_) return false;
    end_plain();
    const std::size_t length = copy_length();
    const std::size_t distance = at_ - earlier_ - 1;
    const std::size_t head = std::min(length - 2, kLongHead);
    out_ += static_cast<char>(head << 5 | distance >> 8);
    if (head == kLongHead) out_ += static_cast<char>(length - 2 - kLongHead);
    out_ += static_cast<char>(distance & 0xffU);
    begin_plain();
    at_ += length;
    // Of the bytes copied only the last two are noted as beginnings.
    if (at_ + 2 < in_.size()) {
      remember(at_ - 2);
      remember(at_ - 1);
    }
    return true;
  }

  std::string_view in_;
  std::size_t most_;
  std::unique_ptr<Places> places_;
  std::string out_;
  std::size_t at_ = 0;
  std::size_t earlier_ = 0;
  std::size_t plain_ = 0;  // bytes behind the count that is still open
};

}  // namespace

std::string lzf_compress(std::string_view in, std::size_t most) { return Compressor(in, most).run(); }

std::optional<std::string> lzf_expand(std::string_view in, std::size_t size) {
  if (size / kMostPerByte > in.size()) return std::nullopt;
  std::string out;
  out.reserve(size);
  for (std::size_t at = 0; at < in.size();) {
    const auto control = static_cast<unsigned char>(in[at++]);
    if (control < kMostPlain) {
      const std::size_t count = std::size_t{control} + 1;
      if (in.size() - at < count || size - out.size() < count) return std::nullopt;
      out.append(in.substr(at, count));
      at += count;
      continue;
    }
    std::size_t count = control >> 5;
    if (count == kLongHead) {
      if (at == in.size()) return std::nullopt;
      count += static_cast<unsigned char>(in[at++]);
    }
    count += 2;
    if (at == in.size()) return std::nullopt;
    const std::size_t back = ((control & 0x1fU) << 8 | static_cast<unsigned char>(in[at++])) + std::size_t{1};
    if (back > out.size() || size - out.size() < count) return std::nullopt;
    // The copy may reach into itself.
    for (std::size_t from = out.size() - back; count > 0; --count) out += out[from++];
  }
  return out.size() == size ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace fairlane::rdb
