// A request body in one block, and a few blocks kept for the next ones, so that big bodies do not
// cost a page fault per 4 KiB each time. One pool per loop.
#pragma once

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace toolgate {

class BodyBuffer {
 public:
  BodyBuffer() = default;
  BodyBuffer(BodyBuffer&& other) noexcept { *this = std::move(other); }
  BodyBuffer& operator=(BodyBuffer&& other) noexcept {
    block_ = std::move(other.block_);
    begin_ = std::exchange(other.begin_, 0);
    size_ = std::exchange(other.size_, 0);
    capacity_ = std::exchange(other.capacity_, 0);
    return *this;
  }
  // A block in which `size` bytes from `begin` on are the body.
  BodyBuffer(std::unique_ptr<char[]> block, std::size_t capacity, std::size_t begin,
             std::size_t size)
      : block_(std::move(block)), begin_(begin), size_(size), capacity_(capacity) {}

  // Makes room for `size` bytes and keeps what is there.
  void reserve(std::size_t size);
  void resize(std::size_t size) { size_ = size; }  // within what was reserved
  char* data() { return block_.get() + begin_; }
  std::size_t size() const { return size_; }
  std::size_t capacity() const { return capacity_; }
  std::string_view view() const { return {block_.get() + begin_, size_}; }
  std::unique_ptr<char[]> release() && { return std::move(block_); }

 private:
  std::unique_ptr<char[]> block_;
  std::size_t begin_ = 0;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;  // from the beginning of the block
};

class BodyBufferPool {
 public:
  // What a connection reads into. A body that fits in one is passed on with the block.
  static constexpr std::size_t kReadBlock = 64 << 10;

  BodyBuffer take();
  void give(BodyBuffer buffer);
  // Of kReadBlock bytes; null when none is kept.
  std::unique_ptr<char[]> take_read_block();

 private:
  std::vector<BodyBuffer> kept_;
  std::size_t kept_bytes_ = 0;
  std::vector<std::unique_ptr<char[]>> read_blocks_;
};

}  // namespace toolgate
