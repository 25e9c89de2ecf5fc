// get_terminal_output: what a command in the background has shown so far.
#pragma once

#include <memory>

#include "builtin/all.h"
#include "toolgate/tool.h"

namespace toolgate {

ToolData get_terminal_output_data();
std::shared_ptr<Tool> make_get_terminal_output(const BuiltinSurroundings& around);

}  // namespace toolgate
