#include "toolgate/tool.h"

#include <algorithm>

namespace toolgate {
namespace {

bool matches(std::string_view wanted, std::string_view value) {
  return wanted.empty() || wanted == value;
}

bool matches(const ModelFacts& selector, const ModelFacts& model) {
  return matches(selector.vendor, model.vendor) && matches(selector.family, model.family) &&
         matches(selector.version, model.version) && matches(selector.id, model.id);
}

}  // namespace

std::string_view name_of(ToolSource::Kind kind) {
  switch (kind) {
    case ToolSource::Kind::Internal:
      return "internal";
    case ToolSource::Kind::Extension:
      return "extension";
    case ToolSource::Kind::Mcp:
      return "mcp";
    case ToolSource::Kind::User:
      return "user";
    case ToolSource::Kind::Http:
      return "http";
    case ToolSource::Kind::External:
      return "external";
  }
  return "";
}

std::string ToolSource::key() const {
  std::string result(name_of(kind));
  if (kind == Kind::Internal || kind == Kind::External) return result;
  result += ":" + id;
  if (kind == Kind::Mcp) result += ":" + server;
  return result;
}

bool is_for_model(const ToolData& tool, const ModelFacts* model) {
  if (model == nullptr || tool.models.empty()) return true;
  return std::ranges::any_of(tool.models,
                             [&](const ModelFacts& selector) { return matches(selector, *model); });
}

std::string Tool::streaming_message(const std::string&) {
  return {};
}

Task<Result<std::optional<PreparedCall>>> Tool::prepare(const ToolCall&, const Cancel&) {
  co_return std::nullopt;
}

Task<Result<std::optional<EditFilter>>> Tool::filter_edits(const std::string&, const Cancel&) {
  co_return std::nullopt;
}

Task<Result<std::optional<std::string>>> Tool::provide_input(const PromptContext&, const Cancel&) {
  co_return std::nullopt;
}

Task<Result<std::string>> Tool::resolve_input(std::string input, const PromptContext&, ContextMode,
                                              const Cancel&) {
  co_return std::move(input);
}

std::optional<ToolDefinition> Tool::alternative_definition(const ToolDefinition&,
                                                           const ModelFacts&) const {
  return std::nullopt;
}

}  // namespace toolgate
