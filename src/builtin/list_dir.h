// list_dir: the names in one folder.
#pragma once

#include <memory>

#include "builtin/all.h"
#include "toolgate/tool.h"

namespace toolgate {

ToolData list_dir_data();
std::shared_ptr<Tool> make_list_dir(const BuiltinSurroundings& around);

}  // namespace toolgate
