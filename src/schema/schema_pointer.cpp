#include "schema/schema_pointer.h"

#include <charconv>
#include <cstddef>
#include <system_error>

namespace toolgate {
namespace {

const JsonNode* item_named(const JsonNode& list, std::string_view name) {
  std::size_t index = 0;
  const auto [end, fault] = std::from_chars(name.data(), name.data() + name.size(), index);
  if (fault != std::errc{} || end != name.data() + name.size() || index >= list.size)
    return nullptr;
  const JsonNode* item = list.first;
  for (; index > 0; --index) item = item->next;
  return item;
}

}  // namespace

const JsonNode* find_in_schema(const JsonNode& schema_root, std::string_view pointer) {
  if (!pointer.starts_with('#')) return nullptr;
  pointer.remove_prefix(1);
  const JsonNode* at = &schema_root;
  while (!pointer.empty() && at != nullptr) {
    if (pointer.front() != '/') return nullptr;
    pointer.remove_prefix(1);
    const std::string_view step = pointer.substr(0, pointer.find('/'));
    pointer.remove_prefix(step.size());
    const std::string name = unescape_pointer_step(step);
    at = at->is(JsonNode::Kind::Array) ? item_named(*at, name) : at->find(name);
  }
  return at;
}

}  // namespace toolgate
