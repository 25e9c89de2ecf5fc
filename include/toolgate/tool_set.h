// A tool set: tools and other sets under one name. Registered with a Registry; the catalogue
// resolves the members' names anew whenever something changes, so that a member may come later.
// `id` and `reference_name` must be there.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "toolgate/tool.h"

namespace toolgate {

struct ToolSetMember {
  enum class By : std::uint8_t {
    ToolId,
    SetId,
    ReferenceName,  // a tool's reference name, else a set's: members in manifests
    AnyName,        // a full reference name or alias, else as above: members in people's files
  };
  By by = By::ToolId;
  std::string name;
};

struct ToolSetData {
  std::string id;
  std::string reference_name;  // what people write after '#'
  std::string description;
  std::string detail;
  std::string icon;
  ToolSource source;
  std::vector<std::string> legacy_full_names;
  std::vector<ToolSetMember> members;
  bool deprecated = false;
  bool hidden_in_picker = false;
  bool needs_member = false;  // with no member found the set is not made
  // Whether its name in CatalogSettings::allow lets its members in. Not for a set that a stranger
  // may have written, such as one in a workspace.
  bool is_trusted = true;
};

}  // namespace toolgate
