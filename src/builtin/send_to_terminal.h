// send_to_terminal: types into a command in the background.
#pragma once

#include <memory>

#include "builtin/all.h"
#include "toolgate/tool.h"

namespace toolgate {

ToolData send_to_terminal_data();
std::shared_ptr<Tool> make_send_to_terminal(const BuiltinSurroundings& around);

}  // namespace toolgate
