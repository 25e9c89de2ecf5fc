// read_file: lines of a text file, or a picture.
#pragma once

#include <memory>

#include "builtin/all.h"
#include "toolgate/tool.h"

namespace toolgate {

ToolData read_file_data();
std::shared_ptr<Tool> make_read_file(const BuiltinSurroundings& around);

}  // namespace toolgate
