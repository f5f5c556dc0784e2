#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fairlane::data {

/// Counts distinct elements in 12 KB at most, with a standard error of 0.81 %. A sketch lives in the bytes of an
/// ordinary string, the very ones that redis-server writes:
///
///   "HYLL" | form (1) | unused (3) | count (8, little-endian; the highest bit set: out of date) | registers
///
/// There are 16384 registers of 6 bits. Each element marks one of them, which keeps the highest rank it has seen. The
/// dense form has them one after another, the lowest bits first. The sparse form has runs of equal registers:
/// 00nnnnnn are n+1 registers of 0, 01nnnnnn nnnnnnnn likewise, 1vvvvvnn are n+1 registers of v+1.
class HyperLogLog {
 public:
  static constexpr std::size_t kRegisters = 16384;
  static constexpr std::size_t kDenseBytes = 16 + kRegisters * 6 / 8;

  enum class Form : std::uint8_t { dense = 0, sparse = 1 };
  /// What became of a register; `corrupt` when the runs do not reach it, or do not fit the registers.
  enum class Raised : std::uint8_t { no, yes, corrupt };

  /// A register and the rank that an element gives it.
  struct Mark {
    std::uint32_t index;
    std::uint8_t rank;  ///< 1 to 51
    static Mark of(std::string_view element) noexcept;
  };

  /// Do the bytes look like a sketch? Judges by head and length; the runs may still be corrupt.
  static bool recognizes(std::string_view bytes) noexcept;

  // --- reading the bytes of a sketch that recognizes() accepts
  static Form form_of(std::string_view bytes) noexcept { return static_cast<Form>(bytes[4]); }
  /// The count that was kept, unless registers have changed since.
  static std::optional<std::uint64_t> kept_count(std::string_view bytes) noexcept;
  /// Estimates anew; nothing when the bytes are corrupt.
  static std::optional<std::uint64_t> count(std::string_view bytes);
  static std::uint8_t dense_register(std::string_view bytes, std::size_t index) noexcept;
  /// The runs of the sparse form for people: "Z:16383 v:2,1", zeros short and long, a value and how often.
  static std::string describe_runs(std::string_view bytes);

  // --- changing them in place
  static void keep_count(char* bytes, std::uint64_t count) noexcept;
  static void forget_count(char* bytes) noexcept;
  /// Raises a register of the dense form; false when it is as high already.
  static bool raise_dense(char* bytes, Mark mark) noexcept;

  // --- changing a sketch of one's own
  /// An empty one, sparse.
  HyperLogLog();
  explicit HyperLogLog(std::string_view bytes) : bytes_(bytes) {}

  std::string_view bytes() const noexcept { return bytes_; }
  char* data() noexcept { return bytes_.data(); }
  Form form() const noexcept { return form_of(bytes_); }
  /// Raises a register. A sparse sketch that would become longer than `sparse_limit` bytes, or that cannot hold the
  /// rank, becomes dense. Does not forget the count.
  Raised raise(Mark mark, std::size_t sparse_limit);
  /// False, and nothing changed, when the bytes are corrupt.
  [[nodiscard]] bool make_dense();

 private:
  Raised raise_sparse(Mark mark, std::size_t sparse_limit);
  Raised raise_as_dense(Mark mark);
  void join_runs(std::size_t from);

  std::string bytes_;
};

/// The union of several sketches: their registers, each the highest of all.
class HyperLogLogUnion {
 public:
  /// False when the bytes, which HyperLogLog recognizes, are corrupt.
  [[nodiscard]] bool add(std::string_view bytes);
  std::uint64_t count() const;
  std::uint8_t operator[](std::size_t index) const noexcept { return ranks_[index]; }

 private:
  std::array<std::uint8_t, HyperLogLog::kRegisters> ranks_{};
};

}  // namespace fairlane::data
