// The values that `when` clauses read: what the workspace, the settings (config.*) and the API say.
// The registry keeps them; a clause is evaluated against one such map.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/json_number.h"

namespace toolgate {

// Clauses are parsed once and look the same keys up for every catalogue: they keep the hashes.
inline std::uint32_t hash_context_key(std::string_view key) {
  return static_cast<std::uint32_t>(hash_text(key, hash_seed()));
}

class ContextKeys {
  using Values = std::vector<std::pair<std::string, json::value>>;

 public:
  const Values& values() const { return values_; }  // in no order
  // Null: no such key. What it returns is good until keys change.
  const json::value* find(std::string_view key) const { return find(key, hash_context_key(key)); }
  const json::value* find(std::string_view key, std::uint32_t hash) const {
    const std::size_t slot = find_slot(key, hash);
    return slot == kFree ? nullptr : &values_[slots_[slot].index].second;
  }
  void set(std::string_view key, json::value value);
  void remove(std::string_view key);

 private:
  static constexpr std::uint32_t kFree = UINT32_MAX;
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t index = kFree;  // in values_
  };

  std::size_t mask() const { return slots_.size() - 1; }
  std::size_t find_slot(std::string_view key, std::uint32_t hash) const {
    if (slots_.empty()) return kFree;
    for (std::size_t at = hash & mask(); slots_[at].index != kFree; at = (at + 1) & mask())
      if (slots_[at].hash == hash && values_[slots_[at].index].first == key) return at;
    return kFree;
  }
  void occupy(const Slot& slot);
  void vacate(std::size_t gap);
  void grow();

  Values values_;
  std::vector<Slot> slots_;  // twice as many as values or more, probed in line
};

}  // namespace toolgate
