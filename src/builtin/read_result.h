// read_result: a model reads on in a result that was too long for it. In no list; in auto mode it
// is offered once the conversation names a handle (agent/offer_tools).
#pragma once

#include <memory>
#include <string_view>

#include "builtin/all.h"
#include "toolgate/tool.h"

namespace toolgate {

ToolData read_result_data();
std::shared_ptr<Tool> make_read_result(const BuiltinSurroundings& around);

}  // namespace toolgate
