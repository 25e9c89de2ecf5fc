// read_project_structure: the tree of the workspace.
#pragma once

#include <memory>

#include "builtin/all.h"
#include "toolgate/tool.h"

namespace toolgate {

ToolData read_project_structure_data();
std::shared_ptr<Tool> make_read_project_structure(const BuiltinSurroundings& around);

}  // namespace toolgate
