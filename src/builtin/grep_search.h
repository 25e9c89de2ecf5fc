// grep_search: lines that match a text or a pattern.
#pragma once

#include <memory>

#include "builtin/all.h"
#include "toolgate/tool.h"

namespace toolgate {

ToolData grep_search_data();
std::shared_ptr<Tool> make_grep_search(const BuiltinSurroundings& around);

}  // namespace toolgate
