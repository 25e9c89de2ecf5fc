// The values that `when` clauses read: what the workspace, the settings (config.*) and the API say.
// The registry keeps them; a clause is evaluated against one such map.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/json.h"

namespace toolgate {

class ContextKeys {
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  using Values = std::unordered_map<std::string, json::value, Hash, std::equal_to<>>;

 public:
  const Values& values() const { return values_; }
  // Null: no such key.
  const json::value* find(std::string_view key) const {
    const auto found = values_.find(key);
    return found == values_.end() ? nullptr : &found->second;
  }
  void set(std::string_view key, json::value value) {
    values_.insert_or_assign(std::string(key), std::move(value));
  }
  void remove(std::string_view key) {
    if (const auto found = values_.find(key); found != values_.end()) values_.erase(found);
  }

 private:
  Values values_;
};

}  // namespace toolgate
