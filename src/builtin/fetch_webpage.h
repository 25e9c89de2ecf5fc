// fetch_webpage: pages from the web as readable text.
#pragma once

#include <memory>

#include "builtin/all.h"
#include "toolgate/tool.h"

namespace toolgate {

ToolData fetch_webpage_data();
std::shared_ptr<Tool> make_fetch_webpage(const BuiltinSurroundings& around);

}  // namespace toolgate
