#include "invoke/tool_identity.h"

#include <map>

#include "base/json.h"
#include "invoke/canonical.h"

namespace toolgate {
namespace {

constexpr std::size_t kMostKept = 10'000;

ToolIdentity make_identity(std::string definition) {
  std::string hash = sha256_hex(definition);
  return {std::make_shared<const std::string>(std::move(definition)), std::move(hash)};
}

}  // namespace

std::string server_key_of(const ToolSource& source) {
  return source.kind == ToolSource::Kind::Mcp ? source.key() : std::string();
}

const ToolIdentity& ToolIdentities::of(const CatalogTool& tool) {
  Kept& kept = tools_[tool.record.get()];
  if (kept.record.lock() == tool.record) return kept.identity;
  if (tools_.size() > kMostKept) {
    tools_.clear();
    return of(tool);
  }
  kept = {tool.record, make_identity(definition_text(tool.data()))};
  return kept.identity;
}

const ToolIdentity& ToolIdentities::of_server(const Catalog& catalog,
                                              const std::string& server_key) {
  if (catalog.version != servers_version_) servers_.clear();
  servers_version_ = catalog.version;
  const auto found = servers_.find(server_key);
  if (found != servers_.end()) return found->second;
  std::map<std::string, std::string> definitions;
  for (const CatalogTool& tool : catalog.tools)
    if (server_key_of(tool.data().source) == server_key)
      definitions.emplace(tool.data().id, *of(tool).definition);
  std::string text = "{";
  for (const auto& [id, definition] : definitions) {
    if (text.size() > 1) text += ',';
    append_json_string(text, id);
    text += ':' + definition;
  }
  return servers_.emplace(server_key, make_identity(text + '}')).first->second;
}

}  // namespace toolgate
