// file_search: files whose paths match a glob.
#pragma once

#include <memory>

#include "builtin/all.h"
#include "toolgate/tool.h"

namespace toolgate {

ToolData file_search_data();
std::shared_ptr<Tool> make_file_search(const BuiltinSurroundings& around);

}  // namespace toolgate
