#include "net/body_buffer.h"

#include <cstring>

namespace toolgate {
namespace {

constexpr std::size_t kMostReadBlocks = 32;
constexpr std::size_t kSmallestKept = BodyBufferPool::kReadBlock;  // malloc keeps smaller ones
constexpr std::size_t kLargestKept = 1 << 20;
constexpr std::size_t kKeptBytes = 8 << 20;

}  // namespace

void BodyBuffer::reserve(std::size_t size) {
  if (begin_ + size <= capacity_) return;
  auto grown = std::make_unique_for_overwrite<char[]>(size);
  if (size_ > 0) std::memcpy(grown.get(), data(), size_);
  block_ = std::move(grown);
  begin_ = 0;
  capacity_ = size;
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
  if (buffer.capacity() == kReadBlock) {
    if (read_blocks_.size() < kMostReadBlocks) read_blocks_.push_back(std::move(buffer).release());
    return;
  }
  if (buffer.capacity() < kSmallestKept || buffer.capacity() > kLargestKept) return;
  if (kept_bytes_ + buffer.capacity() > kKeptBytes) return;
  kept_bytes_ += buffer.capacity();
  kept_.push_back(std::move(buffer));
}

std::unique_ptr<char[]> BodyBufferPool::take_read_block() {
  if (read_blocks_.empty()) return nullptr;
  auto block = std::move(read_blocks_.back());
  read_blocks_.pop_back();
  return block;
}

}  // namespace toolgate
