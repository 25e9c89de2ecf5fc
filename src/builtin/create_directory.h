// create_directory: a new folder, and those above it.
#pragma once

#include <memory>

#include "builtin/all.h"
#include "toolgate/tool.h"

namespace toolgate {

ToolData create_directory_data();
std::shared_ptr<Tool> make_create_directory(const BuiltinSurroundings& around);

}  // namespace toolgate
