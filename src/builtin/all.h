// The tools that Toolgate brings along. The gateway registers them when it starts; all.cpp is the
// list.
#pragma once

#include <vector>

#include "builtin/workbench.h"
#include "invoke/ledger.h"
#include "store/result_files.h"
#include "toolgate/registry.h"

namespace toolgate {

// What the tools work with. Outlives them.
struct BuiltinSurroundings {
  Ledger& ledger;
  const ResultFiles& results;
  Workbench& workbench;
};

// Before any other tool is there, so that their names are theirs; what runs them comes later.
// Without `for_workspace` only those are declared that the gateway itself needs.
Result<std::vector<Registration>> declare_builtin_tools(Registry& registry, bool for_workspace);
Result<std::vector<Registration>> implement_builtin_tools(Registry& registry, bool for_workspace,
                                                          const BuiltinSurroundings& around);

}  // namespace toolgate
