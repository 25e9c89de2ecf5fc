// The choice people made in a tool picker, as it is stored (chat/selectedTools), and what it means
// for the tools and sets that exist now.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "toolgate/catalog.h"
#include "tools/enablement.h"

namespace toolgate {

// Ids may belong to tools and sets that are not here now.
struct PickerState {
  using Entries = std::vector<std::pair<std::string, bool>>;
  Entries sets;
  Entries tools;
  std::string fault;  // why the stored text was not read; empty: it was
};

// Version 2, or the older lists of what is disabled. Bad data gives an empty state with a fault.
PickerState read_picker_state(std::string_view stored);
std::string write_picker_state(const PickerState& state);

// The state of every tool and set of the catalogue that a picker shows. What the state does not
// mention is on; members of a set that is on are on; of sets with the same member the last decides.
EnablementMap apply_picker_state(const Catalog& catalog, const PickerState& state,
                                 const ModelFacts* model = nullptr);

// What to store for such a choice.
PickerState picker_state_of(const Catalog& catalog, const EnablementMap& map);

}  // namespace toolgate
