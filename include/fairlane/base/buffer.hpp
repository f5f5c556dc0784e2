#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>
#include <utility>

namespace fairlane::base {

/// Bytes that grow at the end, in one piece. Growing moves them: any pointer into the buffer is good until the next
/// append.
class Buffer {
 public:
  Buffer() = default;
  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    if (this != &other) {
      std::free(data_);
      data_ = std::exchange(other.data_, nullptr);
      size_ = std::exchange(other.size_, 0);
      capacity_ = std::exchange(other.capacity_, 0);
    }
    return *this;
  }
  ~Buffer() { std::free(data_); }

  const char* data() const noexcept { return data_; }
  char* data() noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  std::size_t capacity() const noexcept { return capacity_; }
  bool empty() const noexcept { return size_ == 0; }
  std::string_view view() const noexcept { return {data_, size_}; }

  /// Room for `room` more bytes at the end; write there, then call grow_by().
  char* reserve(std::size_t room) {
    if (capacity_ - size_ < room) enlarge(room);
    return data_ + size_;
  }
  void grow_by(std::size_t written) noexcept { size_ += written; }
  void append(std::string_view bytes) {
    if (bytes.empty()) return;
    std::memcpy(reserve(bytes.size()), bytes.data(), bytes.size());
    size_ += bytes.size();
  }
  void append(char byte) {
    *reserve(1) = byte;
    ++size_;
  }

  /// Cuts the end off; `size` is at most size().
  void truncate(std::size_t size) noexcept { size_ = size; }
  void clear() noexcept { size_ = 0; }
  /// Drops the first `count` bytes and moves the rest to the front.
  void drop_front(std::size_t count) noexcept {
    size_ -= count;
    if (size_ != 0) std::memmove(data_, data_ + count, size_);
  }
  /// Puts bytes in at `offset`, moving what follows.
  void insert(std::size_t offset, std::string_view bytes) {
    reserve(bytes.size());
    std::memmove(data_ + offset + bytes.size(), data_ + offset, size_ - offset);
    std::memcpy(data_ + offset, bytes.data(), bytes.size());
    size_ += bytes.size();
  }
  /// Gives the memory back.
  void release() noexcept {
    std::free(std::exchange(data_, nullptr));
    size_ = capacity_ = 0;
  }

 private:
  [[gnu::noinline]] void enlarge(std::size_t room) {
    std::size_t wanted = capacity_ < 128 ? 256 : capacity_ * 2;
    if (wanted < size_ + room) wanted = size_ + room;
    auto* moved = static_cast<char*>(std::realloc(data_, wanted));
    if (moved == nullptr) throw std::bad_alloc();
    data_ = moved;
    capacity_ = wanted;
  }

  char* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace fairlane::base
