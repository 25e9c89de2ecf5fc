// A catalogue made in a few lines: tools and sets are added, build() gives what a registry would.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/catalog_build.h"
#include "tools/names.h"
#include "tools/tool_record.h"

namespace toolgate {

class CatalogFixture {
 public:
  // A built-in tool that prompts may name.
  static ToolData tool(std::string id) {
    ToolData data;
    data.reference_name = data.display_name = id;
    data.id = std::move(id);
    data.can_be_referenced_in_prompt = true;
    return data;
  }

  void add(ToolData data) {
    parts.tools.push_back({std::make_shared<const ToolRecord>(std::move(data)), nullptr});
  }
  void add(std::string id) { add(tool(std::move(id))); }

  // Members are tools' or sets' reference names.
  void add_set(std::string name, const std::vector<std::string>& members,
               ToolSource::Kind kind = ToolSource::Kind::Internal) {
    ToolSetData set;
    set.id = "id of " + name;
    set.reference_name = std::move(name);
    set.source.kind = kind;
    for (const auto& member : members)
      set.members.push_back({ToolSetMember::By::ReferenceName, member});
    add_set(std::move(set));
  }
  void add_set(ToolSetData set) {
    parts.sets.push_back(std::make_shared<const ToolSetData>(std::move(set)));
  }
  // As read from a file.
  void add_user_set(std::string file, std::string name, const std::vector<std::string>& members) {
    ToolSetData set;
    set.id = "user/" + file + "/" + name;
    set.reference_name = std::move(name);
    set.source.kind = ToolSource::Kind::User;
    set.source.id = std::move(file);
    set.needs_member = true;
    for (const auto& member : members) set.members.push_back({ToolSetMember::By::AnyName, member});
    add_set(std::move(set));
  }

  std::shared_ptr<const Catalog> build() const { return build_catalog(parts, 1); }

  CatalogParts parts;
};

inline std::vector<std::string> ids(const Catalog& catalog,
                                    const std::vector<std::uint32_t>& tools) {
  std::vector<std::string> result;
  for (const std::uint32_t tool : tools) result.push_back(catalog.tools[tool].data().id);
  return result;
}

inline std::optional<std::string> id(const Catalog& catalog, std::optional<CatalogItem> item) {
  if (!item) return std::nullopt;
  return item->is_set ? catalog.sets[item->index].data->id : catalog.tools[item->index].data().id;
}

}  // namespace toolgate
