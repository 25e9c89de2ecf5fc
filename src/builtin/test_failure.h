// test_failure: what failed in the latest run of tests.
#pragma once

#include <memory>

#include "builtin/all.h"
#include "toolgate/tool.h"

namespace toolgate {

ToolData test_failure_data();
std::shared_ptr<Tool> make_test_failure(const BuiltinSurroundings& around);

}  // namespace toolgate
