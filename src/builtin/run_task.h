// run_task: runs a task of .vscode/tasks.json.
#pragma once

#include <memory>

#include "builtin/all.h"
#include "toolgate/tool.h"

namespace toolgate {

ToolData run_task_data();
std::shared_ptr<Tool> make_run_task(const BuiltinSurroundings& around);

}  // namespace toolgate
