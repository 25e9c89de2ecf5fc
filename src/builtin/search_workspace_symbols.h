// search_workspace_symbols: the symbols of the workspace by name, from language servers.
#pragma once

#include <memory>

#include "builtin/all.h"
#include "toolgate/tool.h"

namespace toolgate {

ToolData search_workspace_symbols_data();
std::shared_ptr<Tool> make_search_workspace_symbols(const BuiltinSurroundings& around);

}  // namespace toolgate
