#include "schema/classic_words.h"

#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "schema/schema_pointer.h"

namespace toolgate {
namespace {

using Kind = JsonNode::Kind;

constexpr std::size_t kMaxItems = 1000;  // beyond that the fault's own wording stands

// The types that the schema's `items` asks for; 0 when it asks for none.
TypeSet item_types(const Fault& fault, const JsonNode& schema_root) {
  const std::string_view path = fault.schema_path;
  const JsonNode* schema = find_in_schema(schema_root, path.substr(0, path.rfind('/')));
  const JsonNode* items = schema == nullptr ? nullptr : schema->find("items");
  const JsonNode* type = items == nullptr ? nullptr : items->find("type");
  if (type == nullptr) return 0;
  if (type->is(Kind::String)) return type_named(type->text);
  TypeSet types = 0;
  for (const JsonNode* each = type->first; each != nullptr; each = each->next)
    types |= type_named(each->text);
  return types;
}

// Of scalars the original remembers where it saw each one, from the last to the first.
std::string repeated_scalar(const Fault& fault, TypeSet types) {
  std::vector<const JsonNode*> items;
  items.reserve(fault.node->size);
  for (const JsonNode* item = fault.node->first; item != nullptr; item = item->next)
    items.push_back(item);
  for (std::size_t i = items.size(); i-- > 0;) {
    if ((types_of(*items[i]) & types) == 0) continue;
    for (std::size_t later = i + 1; later < items.size(); ++later)
      if (equal(*items[i], *items[later]))
        return fmt::format("must NOT have duplicate items (items ## {} and {} are identical)",
                           later, i);
  }
  return fault.message;
}

}  // namespace

std::string classic_words(const Fault& fault, const JsonNode* schema_root) {
  if (fault.keyword != "uniqueItems" || schema_root == nullptr || fault.node == nullptr)
    return fault.message;
  const TypeSet types = item_types(fault, *schema_root);
  if (types == 0 || (types & (kObjectType | kArrayType)) != 0 || fault.node->size > kMaxItems)
    return fault.message;
  return repeated_scalar(fault, types);
}

}  // namespace toolgate
