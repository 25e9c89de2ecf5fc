// view_image: the picture in a file.
#pragma once

#include <memory>

#include "builtin/all.h"
#include "toolgate/tool.h"

namespace toolgate {

ToolData view_image_data();
std::shared_ptr<Tool> make_view_image(const BuiltinSurroundings& around);

}  // namespace toolgate
