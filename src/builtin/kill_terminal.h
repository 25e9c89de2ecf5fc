// kill_terminal: ends a command in the background with all it started.
#pragma once

#include <memory>

#include "builtin/all.h"
#include "toolgate/tool.h"

namespace toolgate {

ToolData kill_terminal_data();
std::shared_ptr<Tool> make_kill_terminal(const BuiltinSurroundings& around);

}  // namespace toolgate
