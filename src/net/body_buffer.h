// A request body: one block with room behind it for simdjson, and a few blocks kept for the next
// ones, so that big bodies do not cost a page fault per 4 KiB each time. One pool per loop.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

namespace toolgate {

class BodyBuffer {
 public:
  // Makes room for `size` bytes and keeps what is there.
  void reserve(std::size_t size);
  void resize(std::size_t size) { size_ = size; }  // within what was reserved
  char* data() { return block_.get(); }
  std::size_t size() const { return size_; }
  std::size_t capacity() const { return capacity_; }
  // kJsonPadding zero bytes behind it may be read.
  std::string_view padded_view();

 private:
  std::unique_ptr<char[]> block_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

class BodyBufferPool {
 public:
  BodyBuffer take();
  void give(BodyBuffer buffer);

 private:
  std::vector<BodyBuffer> kept_;
  std::size_t kept_bytes_ = 0;
};

}  // namespace toolgate
