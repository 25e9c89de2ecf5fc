// manage_todo_list: the steps that a model plans, for itself and for people who watch.
#pragma once

#include <memory>

#include "builtin/all.h"
#include "toolgate/tool.h"

namespace toolgate {

ToolData manage_todo_list_data();
std::shared_ptr<Tool> make_manage_todo_list(const BuiltinSurroundings& around);

}  // namespace toolgate
