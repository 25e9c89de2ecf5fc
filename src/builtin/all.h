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

Result<std::vector<Registration>> add_builtin_tools(Registry& registry,
                                                    const BuiltinSurroundings& around);

}  // namespace toolgate
