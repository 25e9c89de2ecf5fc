// What people are told about a filter: identifiers that are nothing, and a filter that leaves no
// tool. For selection.cpp.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "toolgate/selection.h"

namespace toolgate {

// Fills `unknown` and `warnings`. Names are suggested from the tools that are `available`.
void describe_unknown(std::span<const std::string_view> identifiers, const Catalog& catalog,
                      const std::vector<char>& available, Selection& selection);

std::unexpected<Error> no_tool_left(const ToolFilter& filter, const Selection& selection);

}  // namespace toolgate
