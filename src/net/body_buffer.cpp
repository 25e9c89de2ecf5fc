#include "net/body_buffer.h"

#include <cstring>

#include "wire/json_padding.h"

namespace toolgate {
namespace {

constexpr std::size_t kLargestKept = 1 << 20;
constexpr std::size_t kKeptBytes = 8 << 20;

}  // namespace

void BodyBuffer::reserve(std::size_t size) {
  if (size <= capacity_ && block_) return;
  auto grown = std::make_unique_for_overwrite<char[]>(size + kJsonPadding);
  if (size_ > 0) std::memcpy(grown.get(), block_.get(), size_);
  block_ = std::move(grown);
  capacity_ = size;
}

std::string_view BodyBuffer::padded_view() {
  reserve(size_);
  std::memset(block_.get() + size_, 0, kJsonPadding);
  return {block_.get(), size_};
}

BodyBuffer BodyBufferPool::take() {
  if (kept_.empty()) return {};
  BodyBuffer buffer = std::move(kept_.back());
  kept_.pop_back();
  kept_bytes_ -= buffer.capacity();
  buffer.resize(0);
  return buffer;
}

void BodyBufferPool::give(BodyBuffer buffer) {
  if (buffer.capacity() == 0 || buffer.capacity() > kLargestKept) return;
  if (kept_bytes_ + buffer.capacity() > kKeptBytes) return;
  kept_bytes_ += buffer.capacity();
  kept_.push_back(std::move(buffer));
}

}  // namespace toolgate
