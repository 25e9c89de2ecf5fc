// Names to indexes, built once: finds the property of an object's member, a keyword, a string of a
// long enum. A table of twice as many slots as names, probed in line; strangers choose the names,
// so their hashes are seeded.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/json_number.h"

namespace toolgate {

class KeyTable {
 public:
  static constexpr std::uint32_t kMissing = UINT32_MAX;

  // `count` names follow. Names must outlive the table.
  void reserve(std::size_t count) {
    seed_ = hash_seed();
    slots_.assign(std::bit_ceil(count * 2 + 1), Slot{});
  }
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

  std::uint64_t hash_of(std::string_view name) const { return hash_text(name, seed_); }

  std::uint64_t seed_ = 0;
  std::vector<Slot> slots_;
};

}  // namespace toolgate
