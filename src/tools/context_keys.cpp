// See context_keys.h.
#include "tools/context_keys.h"

#include <algorithm>

namespace toolgate {

void ContextKeys::set(std::string_view key, json::value value) {
  const std::uint32_t hash = hash_context_key(key);
  if (const auto known = find_slot(key, hash); known != kFree) {
    values_[slots_[known].index].second = std::move(value);
    return;
  }
  if (slots_.size() < 2 * (values_.size() + 1)) grow();
  occupy({hash, static_cast<std::uint32_t>(values_.size())});
  values_.emplace_back(key, std::move(value));
}

void ContextKeys::grow() {
  std::vector<Slot> old(std::max<std::size_t>(16, 2 * slots_.size()));
  old.swap(slots_);
  for (const Slot& slot : old)
    if (slot.index != kFree) occupy(slot);
}

void ContextKeys::occupy(const Slot& slot) {
  std::size_t at = slot.hash & mask();
  while (slots_[at].index != kFree) at = (at + 1) & mask();
  slots_[at] = slot;
}

void ContextKeys::remove(std::string_view key) {
  const std::size_t slot = find_slot(key, hash_context_key(key));
  if (slot == kFree) return;
  const std::uint32_t index = slots_[slot].index;
  vacate(slot);
  if (index + 1 < values_.size()) {
    const std::string& last = values_.back().first;
    slots_[find_slot(last, hash_context_key(last))].index = index;
    values_[index] = std::move(values_.back());
  }
  values_.pop_back();
}

// Slots behind it move up where that brings them nearer to where their hash wants them, so that no
// gap hides them.
void ContextKeys::vacate(std::size_t gap) {
  for (std::size_t at = (gap + 1) & mask(); slots_[at].index != kFree; at = (at + 1) & mask()) {
    const std::size_t home = slots_[at].hash & mask();
    if (((at - home) & mask()) < ((at - gap) & mask())) continue;
    slots_[gap] = slots_[at];
    gap = at;
  }
  slots_[gap] = {};
}

}  // namespace toolgate
