// A tool made from a plain function, for what answers at once. A tool that waits (for a socket, a
// timer, another tool) derives from Tool instead and co_awaits in invoke().
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "toolgate/tool.h"

namespace toolgate {

using ToolFunction = std::move_only_function<Result<ToolResult>(const ToolCall&, const Cancel&)>;

// invoke() calls `function` on the loop's thread, which serves nothing else meanwhile. An exception
// that leaves it becomes an Error. An empty function gives null: such a tool can be declared, but
// nothing runs it.
std::shared_ptr<Tool> make_function_tool(ToolFunction function);

// A result of one piece of text.
ToolResult text_result(std::string text);

}  // namespace toolgate
