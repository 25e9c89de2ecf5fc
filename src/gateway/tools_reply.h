// The catalogue as JSON: GET /v1/tools, /v1/tools/{name} and /v1/toolsets, and the same objects for
// `toolgate tools --json`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/glob.h"
#include "schema/families.h"
#include "toolgate/catalog.h"

namespace toolgate {

struct ToolQuery {
  std::vector<std::string> tags;
  bool all_tags = false;     // of `tags`; else any
  std::optional<Glob> name;  // over the names that models call
  bool include_disabled = false;
};

// "tags=a,b&tags_match=all&name=get_*&include_disabled=true"
Result<ToolQuery> parse_tool_query(std::string_view query);

// "a, b" as two tags.
std::vector<std::string> split_tags(std::string_view text);

// Equal for queries that ask for the same.
std::string key_of(const ToolQuery& query);

// In catalogue order, private tools left out.
std::vector<const CatalogTool*> find_tools(const Catalog& catalog, const ToolQuery& query);

std::string write_tool_list(const Catalog& catalog, const ToolQuery& query);

// With a family also what its models get: `function`, `fixes`, and `fault` instead of both.
std::string write_tool(const Catalog& catalog, const CatalogTool& tool,
                       const std::optional<std::string>& family, const Families& families);

std::string write_toolsets(const Catalog& catalog);

// By id, else by reference name or full reference name. The error names the nearest.
Result<const CatalogTool*> find_tool_by_any_name(const Catalog& catalog, std::string_view name);

}  // namespace toolgate
