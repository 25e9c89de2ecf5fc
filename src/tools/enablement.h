// Which tools and sets a list of names switches on, and the names that describe such a choice:
// prompt files, agents' tool lists and the picker read and write it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "toolgate/catalog.h"
#include "tools/names.h"

namespace toolgate {

// On or off for tools and sets of one catalogue; what is absent was not asked about.
class EnablementMap {
 public:
  enum class State : std::uint8_t { Absent, Off, On };

  explicit EnablementMap(const Catalog& catalog)
      : tools_(catalog.tools.size(), State::Absent), sets_(catalog.sets.size(), State::Absent) {}

  // A second time changes the state but not the place in the order.
  void put(CatalogItem item, bool on);
  State at(CatalogItem item) const { return item.is_set ? sets_[item.index] : tools_[item.index]; }
  State tool(std::uint32_t index) const { return tools_[index]; }
  State set(std::uint32_t index) const { return sets_[index]; }

  // What is in the map, in the order it was put there.
  const std::vector<CatalogItem>& items() const { return items_; }
  std::size_t enabled_count() const;

  std::vector<std::string> unknown;  // names that stand for nothing

 private:
  std::vector<State> tools_;
  std::vector<State> sets_;
  std::vector<CatalogItem> items_;
};

struct EnablementOptions {
  const ModelFacts* model = nullptr;  // tools that are not for it are left out
  // As VS Code: of a tool in two sets only the name under the first one switches it on.
  bool classic = false;
};

// A set that is named is on with all its members. People's sets come last, on when all their
// members are.
EnablementMap enablement_from_names(const Catalog& catalog, std::span<const std::string> names,
                                    const EnablementOptions& options = {});

// The reverse: sets that are on by their full names, and the tools that are on without one.
std::vector<std::string> to_full_reference_names(const Catalog& catalog, const EnablementMap& map);

// For a new set made from a choice: a set counts only if no member was switched off, people's sets
// have their names here, and tools that cannot be named again are left out.
std::vector<std::string> selection_names(const Catalog& catalog, const EnablementMap& map);

}  // namespace toolgate
