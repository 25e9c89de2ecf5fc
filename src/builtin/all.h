// The tools that Toolgate brings along. The gateway registers them when it starts; all.cpp is the
// list.
#pragma once

#include <vector>

#include "invoke/ledger.h"
#include "store/result_files.h"
#include "toolgate/registry.h"

namespace toolgate {

// What the tools work with. Outlives them.
struct BuiltinSurroundings {
  Ledger& ledger;
  const ResultFiles& results;
};

// Before any other tool is there, so that their names are theirs; what runs them comes later.
Result<std::vector<Registration>> declare_builtin_tools(Registry& registry);
Result<std::vector<Registration>> implement_builtin_tools(Registry& registry,
                                                          const BuiltinSurroundings& around);

}  // namespace toolgate
