// get_changed_files: what git says has changed.
#pragma once

#include <memory>

#include "builtin/all.h"
#include "toolgate/tool.h"

namespace toolgate {

ToolData get_changed_files_data();
std::shared_ptr<Tool> make_get_changed_files(const BuiltinSurroundings& around);

}  // namespace toolgate
