#include "schema/schema_walk.h"

#include <array>
#include <iterator>

#include <fmt/format.h>

#include "schema/normalize_report.h"

namespace toolgate {
namespace {

using Kind = JsonNode::Kind;
using enum WalkedKeyword;

constexpr std::size_t kKeptNodes = 4096;  // of memory between calls
constexpr std::size_t kKeywords = static_cast<std::size_t>(None);
constexpr std::array<std::string_view, kKeywords> kNames{"properties",
                                                         "items",
                                                         "dependencies",
                                                         "patternProperties",
                                                         "additionalProperties",
                                                         "anyOf",
                                                         "allOf",
                                                         "oneOf",
                                                         "not",
                                                         "if",
                                                         "then",
                                                         "else",
                                                         "contains"};

WalkedKeyword keyword_named(std::string_view key) {
  switch (key.size()) {
    case 2:
      return key == "if" ? If : None;
    case 3:
      return key == "not" ? Not : None;
    case 4:
      return key == "then" ? Then : key == "else" ? Else : None;
    case 5:
      if (key == "items") return Items;
      return key == "anyOf" ? AnyOf : key == "allOf" ? AllOf : key == "oneOf" ? OneOf : None;
    case 8:
      return key == "contains" ? Contains : None;
    case 10:
      return key == "properties" ? Properties : None;
    case 12:
      return key == "dependencies" ? Dependencies : None;
    case 17:
      return key == "patternProperties" ? PatternProperties : None;
    case 20:
      return key == "additionalProperties" ? AdditionalProperties : None;
    default:
      return None;
  }
}

bool holds_named_schemas(WalkedKeyword keyword) {
  return keyword == Properties || keyword == Dependencies || keyword == PatternProperties;
}

}  // namespace

void SchemaNodes::collect(JsonNode& root) {
  clear();
  visit(root, {});
}

void SchemaNodes::clear() {
  if (nodes_.capacity() > kKeptNodes) nodes_ = {};
  nodes_.clear();
}

void SchemaNodes::visit(JsonNode& node, SchemaNode place) {
  if (!node.is(Kind::Object)) return;
  place.node = &node;
  const auto self = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back(place);
  std::array<JsonNode*, kKeywords> children{};
  bool has_children = false;
  for (JsonNode* member = node.first; member != nullptr; member = member->next) {
    const WalkedKeyword keyword = keyword_named(member->key);
    if (keyword == None) continue;
    children[static_cast<std::size_t>(keyword)] = member;
    has_children = true;
  }
  if (!has_children) return;
  for (std::size_t i = 0; i < kKeywords; ++i) {
    JsonNode* child = children[i];
    if (child == nullptr) continue;
    SchemaNode below;
    below.parent = self;
    below.keyword = static_cast<WalkedKeyword>(i);
    const bool named = holds_named_schemas(below.keyword);
    below.in_list = !named && child->is(Kind::Array);
    if (!named && !below.in_list) {
      visit(*child, below);
      continue;
    }
    for (JsonNode* each = child->first; each != nullptr; each = each->next, ++below.index) {
      below.name = each->key;
      visit(*each, below);
    }
  }
}

std::string SchemaNodes::pointer(std::string_view root, const SchemaNode& node) const {
  if (node.keyword == None) return std::string(root);
  std::string out = pointer(root, nodes_[node.parent]);
  out += '/';
  out += kNames[static_cast<std::size_t>(node.keyword)];
  if (node.keyword == Items && node.in_list && nodes_[node.parent].items_in_any_of) out += "/anyOf";
  if (node.in_list)
    fmt::format_to(std::back_inserter(out), "/{}", node.index);
  else if (holds_named_schemas(node.keyword))
    append_short_step(out, node.name);
  return out;
}

}  // namespace toolgate
