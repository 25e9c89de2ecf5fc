// A catalogue put together by hand, for tests of what reads one.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "toolgate/catalog.h"
#include "tools/tool_record.h"

namespace toolgate {

class HandMadeCatalog {
 public:
  std::uint32_t add_tool(ToolData data) {
    CatalogTool tool;
    tool.record = std::make_shared<ToolRecord>(std::move(data));
    tool.full_reference_name = tool.data().name_for_people();
    catalog_.tools.push_back(std::move(tool));
    return static_cast<std::uint32_t>(catalog_.tools.size() - 1);
  }

  std::uint32_t add_tool(std::string_view id, std::string_view reference_name = {}) {
    ToolData data;
    data.id = id;
    data.reference_name = reference_name;
    data.display_name = "The " + std::string(id);
    return add_tool(std::move(data));
  }

  // Its full name is its reference name, behind which an MCP server has "/*".
  std::uint32_t add_set(std::string_view id, std::string_view reference_name,
                        std::initializer_list<std::uint32_t> tools,
                        std::initializer_list<std::uint32_t> sets = {},
                        ToolSource::Kind kind = ToolSource::Kind::Internal) {
    const auto index = static_cast<std::uint32_t>(catalog_.sets.size());
    ToolSetData data;
    data.id = id;
    data.reference_name = reference_name;
    data.source.kind = kind;
    CatalogSet set;
    set.data = std::make_shared<ToolSetData>(std::move(data));
    set.reference_name = reference_name;
    set.full_reference_name = reference_name;
    if (kind == ToolSource::Kind::Mcp) set.full_reference_name += "/*";
    set.sets = sets;
    catalog_.sets.push_back(std::move(set));
    for (const std::uint32_t tool : tools) join(index, tool);
    return index;
  }

  void join(std::uint32_t set_index, std::uint32_t tool_index) {
    CatalogSet& set = catalog_.sets.at(set_index);
    CatalogTool& tool = catalog_.tools.at(tool_index);
    if (tool.sets.empty())
      tool.full_reference_name = set.reference_name + "/" + tool.data().name_for_people();
    set.tools.push_back(tool_index);
    tool.sets.push_back(set_index);
  }

  CatalogTool& tool(std::uint32_t index) { return catalog_.tools.at(index); }
  CatalogSet& set(std::uint32_t index) { return catalog_.sets.at(index); }

  // To be asked for when everything is in it.
  Catalog& catalog() {
    catalog_.index();
    return catalog_;
  }

 private:
  Catalog catalog_;
};

}  // namespace toolgate
