// get_task_output: what the latest run of a task has shown.
#pragma once

#include <memory>

#include "builtin/all.h"
#include "toolgate/tool.h"

namespace toolgate {

ToolData get_task_output_data();
std::shared_ptr<Tool> make_get_task_output(const BuiltinSurroundings& around);

}  // namespace toolgate
