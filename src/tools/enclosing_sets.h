// The sets a tool is in, directly or through nested sets: below each of them it has a full name.
// For rules, filters and references.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "toolgate/catalog.h"

namespace toolgate {

class EnclosingSets {
 public:
  explicit EnclosingSets(const Catalog& catalog);

  // Of the tool with this index; the direct ones first.
  std::span<const std::uint32_t> of(std::uint32_t tool) const {
    const auto found = nested_.find(tool);
    return found == nested_.end() ? catalog_.tools[tool].sets : found->second;
  }

  // The full names below its sets that are not its full_reference_name. People's own sets lend
  // none.
  std::vector<std::string> other_full_names(std::uint32_t tool) const;

 private:
  void walk(std::uint32_t outer);

  const Catalog& catalog_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> nested_;  // only where they matter
};

}  // namespace toolgate
