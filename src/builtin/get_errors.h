// get_errors: what compilers and checkers say about files, from language servers.
#pragma once

#include <memory>

#include "builtin/all.h"
#include "toolgate/tool.h"

namespace toolgate {

ToolData get_errors_data();
std::shared_ptr<Tool> make_get_errors(const BuiltinSurroundings& around);

}  // namespace toolgate
