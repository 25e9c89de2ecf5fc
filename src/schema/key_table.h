// Names to indexes, built once: finds the property of an object's member, a keyword, a string of a
// long enum. A table of twice as many slots as names, probed in line.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace toolgate {

class KeyTable {
 public:
  static constexpr std::uint32_t kMissing = UINT32_MAX;

  // `count` names follow. Names must outlive the table.
  void reserve(std::size_t count) { slots_.assign(std::bit_ceil(count * 2 + 1), Slot{}); }
  // The first of equal names stays.
  void add(std::string_view name, std::uint32_t index) {
    const std::uint64_t hash = hash_of(name);
    for (std::uint64_t i = hash & mask();; i = (i + 1) & mask()) {
      Slot& slot = slots_[i];
      if (slot.index == kMissing) {
        slot = {name, index};
        return;
      }
      if (slot.name == name) return;
    }
  }
  std::uint32_t find(std::string_view name) const {
    if (slots_.empty()) return kMissing;
    for (std::uint64_t i = hash_of(name) & mask();; i = (i + 1) & mask()) {
      const Slot& slot = slots_[i];
      if (slot.index == kMissing || slot.name == name) return slot.index;
    }
  }
  bool empty() const { return slots_.empty(); }

 private:
  struct Slot {
    std::string_view name;
    std::uint32_t index = kMissing;
  };

  std::uint64_t mask() const { return slots_.size() - 1; }

  // Every byte counts: the names come from strangers.
  static std::uint64_t hash_of(std::string_view name) {
    std::uint64_t hash = name.size() * 0x9E3779B97F4A7C15U;
    const char* at = name.data();
    std::size_t left = name.size();
    for (; left >= 8; at += 8, left -= 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, at, 8);
      hash = mix(hash ^ word);
    }
    std::uint64_t word = 0;
    if (left >= 4) {
      std::uint32_t low = 0;
      std::uint32_t high = 0;
      std::memcpy(&low, at, 4);
      std::memcpy(&high, at + left - 4, 4);
      word = low | std::uint64_t{high} << 32U;
    } else {
      for (std::size_t i = 0; i < left; ++i) {
        word |= std::uint64_t{static_cast<unsigned char>(at[i])} << (8 * i);
      }
    }
    return mix(hash ^ word);
  }
  static std::uint64_t mix(std::uint64_t word) {
    word *= 0x9E3779B97F4A7C15U;
    return word ^ word >> 29U;
  }

  std::vector<Slot> slots_;
};

}  // namespace toolgate
