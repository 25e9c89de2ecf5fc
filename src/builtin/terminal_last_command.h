// terminal_last_command: the latest command, how it ended and what it showed.
#pragma once

#include <memory>

#include "builtin/all.h"
#include "toolgate/tool.h"

namespace toolgate {

ToolData terminal_last_command_data();
std::shared_ptr<Tool> make_terminal_last_command(const BuiltinSurroundings& around);

}  // namespace toolgate
