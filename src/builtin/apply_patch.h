// apply_patch: adds, deletes, changes and moves files as a patch says.
#pragma once

#include <memory>

#include "builtin/all.h"
#include "toolgate/tool.h"

namespace toolgate {

ToolData apply_patch_data();
std::shared_ptr<Tool> make_apply_patch(const BuiltinSurroundings& around);

}  // namespace toolgate
