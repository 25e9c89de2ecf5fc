// replace_string_in_file: one piece of a file for another.
#pragma once

#include <memory>

#include "builtin/all.h"
#include "toolgate/tool.h"

namespace toolgate {

ToolData replace_string_in_file_data();
std::shared_ptr<Tool> make_replace_string_in_file(const BuiltinSurroundings& around);

}  // namespace toolgate
