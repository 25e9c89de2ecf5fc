// insert_edit_into_file: code with "...existing code..." markers for what stays.
#pragma once

#include <memory>

#include "builtin/all.h"
#include "toolgate/tool.h"

namespace toolgate {

ToolData insert_edit_into_file_data();
std::shared_ptr<Tool> make_insert_edit_into_file(const BuiltinSurroundings& around);

}  // namespace toolgate
