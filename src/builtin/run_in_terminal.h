// run_in_terminal: a command line in a terminal of its own, waited for or left to go on.
#pragma once

#include <memory>

#include "builtin/all.h"
#include "toolgate/tool.h"

namespace toolgate {

ToolData run_in_terminal_data();
std::shared_ptr<Tool> make_run_in_terminal(const BuiltinSurroundings& around);

}  // namespace toolgate
