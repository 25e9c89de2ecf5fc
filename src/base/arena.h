// Memory that is given back all at once: JSON trees and compiled schemas allocate thousands of
// small things that live and die together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace toolgate {

class Arena {
 public:
  Arena() = default;
  Arena(Arena&& other) noexcept;
  Arena& operator=(Arena&& other) noexcept;

  void* allocate(std::size_t size, std::size_t alignment) {
    const std::size_t skip = -reinterpret_cast<std::uintptr_t>(free_) & (alignment - 1);
    if (left_ < size + skip) return allocate_block(size, alignment);
    std::byte* place = free_ + skip;
    free_ = place + size;
    left_ -= size + skip;
    return place;
  }

  // For types that need no destructor.
  template <class T>
  T* make() {
    static_assert(std::is_trivially_destructible_v<T>);
    return new (allocate(sizeof(T), alignof(T))) T();
  }
  std::string_view keep(std::string_view text);

  void clear();  // keeps the largest block, so that reuse needs no new memory

 private:
  void* allocate_block(std::size_t size, std::size_t alignment);

  struct Block {
    std::unique_ptr<std::byte[]> bytes;
    std::size_t size = 0;
  };
  std::vector<Block> blocks_;
  std::byte* free_ = nullptr;
  std::size_t left_ = 0;
};

}  // namespace toolgate
