// list_code_usages: where a symbol is defined, used and implemented, from language servers.
#pragma once

#include <memory>

#include "builtin/all.h"
#include "toolgate/tool.h"

namespace toolgate {

ToolData list_code_usages_data();
std::shared_ptr<Tool> make_list_code_usages(const BuiltinSurroundings& around);

}  // namespace toolgate
