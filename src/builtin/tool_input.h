// The arguments of one call, as a tool reads them. The input is what the tool's schema allows:
// what must be there is there and has its type.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace toolgate {

class ToolInput {
 public:
  explicit ToolInput(std::string_view text) {
    if (auto parsed = parse_json(text)) value_ = std::move(*parsed);
  }

  const json::value* find(std::string_view name) const { return toolgate::find(value_, name); }

  std::string text(std::string_view name) const {
    const json::value* found = find(name);
    return found && found->is_string() ? std::string(found->get_string()) : std::string();
  }
  // A list of texts, if it is there.
  std::optional<std::vector<std::string>> texts(std::string_view name) const {
    const json::value* found = find(name);
    if (!found || !found->is_array()) return std::nullopt;
    std::vector<std::string> list;
    for (const json::value& item : found->get_array())
      if (item.is_string()) list.emplace_back(item.get_string());
    return list;
  }
  std::optional<double> number(std::string_view name) const {
    const json::value* found = find(name);
    if (!found || !found->is_number()) return std::nullopt;
    return found->to_number<double>();
  }
  bool flag(std::string_view name, bool otherwise = false) const {
    const json::value* found = find(name);
    return found && found->is_bool() ? found->get_bool() : otherwise;
  }

 private:
  json::value value_;
};

}  // namespace toolgate
