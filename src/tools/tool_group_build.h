// How the tree of groups is made: room is shared between sources, what is too large is split, and
// every group gets a name and a description. group_tools() calls it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tools/tool_groups.h"

namespace toolgate {

// A group before it has a name: tools or parts. With parts, `tools` are not looked at. One tool and
// no parts: just that tool.
struct GroupPart {
  std::string source;  // the label of where its tools come from; empty: from several
  std::string label;   // what its tools share; empty: only their source
  std::vector<std::uint32_t> tools;
  std::vector<GroupPart> parts;
  std::vector<std::string> source_labels;  // of a group of sources, in order

  bool is_single() const { return parts.empty() && tools.size() == 1; }
};

// The most tools that one group, opened level by level, can hold when that may add `budget`
// entries to those shown.
std::size_t group_capacity(std::size_t budget);

std::vector<GroupPart> plan_groups(std::span<const OfferedTool> tools,
                                   const GroupSettings& settings);

// Group 0 is the root.
std::vector<ToolGroup> build_groups(std::span<const OfferedTool> tools,
                                    const GroupSettings& settings);

}  // namespace toolgate
