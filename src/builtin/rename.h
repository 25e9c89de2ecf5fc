// rename: gives a symbol another name, wherever it is used.
#pragma once

#include <memory>

#include "builtin/all.h"
#include "toolgate/tool.h"

namespace toolgate {

ToolData rename_data();
std::shared_ptr<Tool> make_rename(const BuiltinSurroundings& around);

}  // namespace toolgate
