// multi_replace_string_in_file: several replacements, all or none.
#pragma once

#include <memory>

#include "builtin/all.h"
#include "toolgate/tool.h"

namespace toolgate {

ToolData multi_replace_string_in_file_data();
std::shared_ptr<Tool> make_multi_replace_string_in_file(const BuiltinSurroundings& around);

}  // namespace toolgate
