// The nodes of a tool's schema in the order in which the normaliser reports: parents first,
// children by keyword. Definitions and some rarer keywords are not visited, as in the original.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_tree.h"

namespace toolgate {

// The keywords whose schemas are visited, in visiting order.
enum class WalkedKeyword : std::uint8_t {
  Properties,
  Items,
  Dependencies,
  PatternProperties,
  AdditionalProperties,
  AnyOf,
  AllOf,
  OneOf,
  Not,
  If,
  Then,
  Else,
  Contains,
  None,  // of the root
};

struct SchemaNode {
  JsonNode* node = nullptr;
  std::uint32_t parent = 0;  // position in the list; the root is its own
  std::uint32_t index = 0;   // in a list of schemas
  WalkedKeyword keyword = WalkedKeyword::None;
  bool in_list = false;
  bool gone = false;             // dropped with a keyword above it
  bool items_in_any_of = false;  // its list of items now stands below "anyOf"
  std::string_view name;         // of a named schema
};

class SchemaNodes {
 public:
  void collect(JsonNode& root);
  void clear();  // keeps some memory
  std::vector<SchemaNode>& all() { return nodes_; }

  // The JSON pointer of a node, with long names shortened.
  std::string pointer(std::string_view root, const SchemaNode& node) const;

 private:
  void visit(JsonNode& node, SchemaNode place);

  std::vector<SchemaNode> nodes_;
};

}  // namespace toolgate
