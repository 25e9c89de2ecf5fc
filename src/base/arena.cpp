// See arena.h. Blocks double in size, so a tree of any size takes few of them.
#include "base/arena.h"

#include <algorithm>
#include <cstring>

namespace toolgate {

namespace {
constexpr std::size_t kFirstBlock = 4096;
constexpr std::size_t kLargestStep = std::size_t{1} << 20;
// What a cleared arena keeps at most: one huge text must not hold its memory for good.
constexpr std::size_t kLargestKept = std::size_t{4} << 20;
}  // namespace

Arena::Arena(Arena&& other) noexcept
    : blocks_(std::move(other.blocks_)),
      free_(std::exchange(other.free_, nullptr)),
      left_(std::exchange(other.left_, 0)) {
  other.blocks_.clear();
}

Arena& Arena::operator=(Arena&& other) noexcept {
  if (this == &other) return *this;
  blocks_ = std::move(other.blocks_);
  other.blocks_.clear();
  free_ = std::exchange(other.free_, nullptr);
  left_ = std::exchange(other.left_, 0);
  return *this;
}

void* Arena::allocate_block(std::size_t size, std::size_t alignment) {
  const std::size_t doubled =
      blocks_.empty() ? kFirstBlock : std::min(blocks_.back().size * 2, kLargestStep);
  const std::size_t wanted = std::max(doubled, size + alignment);
  blocks_.push_back({std::make_unique_for_overwrite<std::byte[]>(wanted), wanted});
  free_ = blocks_.back().bytes.get();
  left_ = wanted;
  return allocate(size, alignment);
}

std::string_view Arena::keep(std::string_view text) {
  if (text.empty()) return {};
  auto* copy = static_cast<char*>(allocate(text.size(), 1));
  std::memcpy(copy, text.data(), text.size());
  return {copy, text.size()};
}

void Arena::clear() {
  std::erase_if(blocks_, [](const Block& block) { return block.size > kLargestKept; });
  const auto largest = std::ranges::max_element(blocks_, {}, &Block::size);
  if (largest == blocks_.end()) {
    free_ = nullptr;
    left_ = 0;
    return;
  }
  if (largest != blocks_.begin()) std::swap(*largest, blocks_.front());
  blocks_.resize(1);
  free_ = blocks_.front().bytes.get();
  left_ = blocks_.front().size;
}

}  // namespace toolgate
