// create_file: a new file, with the folders that it needs.
#pragma once

#include <memory>

#include "builtin/all.h"
#include "toolgate/tool.h"

namespace toolgate {

ToolData create_file_data();
std::shared_ptr<Tool> make_create_file(const BuiltinSurroundings& around);

}  // namespace toolgate
