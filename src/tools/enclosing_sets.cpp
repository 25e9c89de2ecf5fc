#include "tools/enclosing_sets.h"

#include <algorithm>

namespace toolgate {

EnclosingSets::EnclosingSets(const Catalog& catalog) : catalog_(catalog) {
  for (std::uint32_t i = 0; i < catalog.sets.size(); ++i)
    if (!catalog.sets[i].sets.empty()) walk(i);
}

void EnclosingSets::walk(std::uint32_t outer) {
  std::vector<std::uint32_t> open{outer};
  std::vector<char> seen(catalog_.sets.size());
  seen[outer] = 1;
  while (!open.empty()) {
    const CatalogSet& set = catalog_.sets[open.back()];
    open.pop_back();
    for (const std::uint32_t tool : set.tools) {
      auto& sets = nested_.try_emplace(tool, catalog_.tools[tool].sets).first->second;
      if (std::ranges::find(sets, outer) == sets.end()) sets.push_back(outer);
    }
    for (const std::uint32_t nested : set.sets)
      if (!seen[nested]) {
        seen[nested] = 1;
        open.push_back(nested);
      }
  }
}

std::vector<std::string> EnclosingSets::other_full_names(std::uint32_t index) const {
  std::vector<std::string> names;
  const CatalogTool& tool = catalog_.tools[index];
  for (const std::uint32_t set_index : of(index)) {
    const CatalogSet& set = catalog_.sets[set_index];
    if (set.full_reference_name.empty()) continue;
    const std::string& name = tool.data().name_for_people();
    // Compared in pieces: mostly there is nothing to make.
    const std::string& known = tool.full_reference_name;
    if (known.size() == set.reference_name.size() + 1 + name.size() &&
        known.starts_with(set.reference_name) && known.ends_with(name))
      continue;
    names.push_back(set.reference_name + "/" + name);
  }
  return names;
}

}  // namespace toolgate
