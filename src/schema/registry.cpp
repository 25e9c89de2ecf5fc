// See registry.h.
#include "schema/registry.h"

namespace toolgate {

Result<> SchemaRegistry::add(std::string_view uri, std::string_view text) {
  auto document = std::make_unique<Document>();
  document->text = text;
  auto root = document->tree.parse(document->text);
  if (!root) return std::unexpected(root.error());
  document->root = *root;
  documents_[std::string(uri)] = std::move(document);
  return {};
}

const JsonNode* SchemaRegistry::find(std::string_view uri) const {
  const auto found = documents_.find(uri);
  return found == documents_.end() ? nullptr : found->second->root;
}

}  // namespace toolgate
