#include "cli/input_help.h"

#include "cli/json_document.h"
#include "cli/sample_input.h"
#include "cli/table.h"
#include "cli/tool_list.h"

namespace toolgate {
namespace {

// As schema/repair.cpp begins what models are told.
constexpr std::string_view kBeginning = "ERROR: Your input to the tool was invalid";

// "string", "integer or null", "one of write, read", "list of strings"
std::string type_words(const JsonNode& schema) {
  if (const JsonNode* choices = schema.find("enum")) {
    std::string words;
    for (const JsonNode* each = choices->first; each; each = each->next) {
      words += words.empty() ? "" : ", ";
      words += each->is(JsonNode::Kind::String) ? std::string(each->text) : write_json(*each);
    }
    return "one of " + words;
  }
  const JsonNode* type = schema.find("type");
  if (!type) return "anything";
  if (type->is(JsonNode::Kind::String)) {
    const JsonNode* items = schema.find("items");
    const std::string of = items ? text_of(*items, "type") : "";
    if (type->text == "array") return of.empty() ? "list" : fmt::format("list of {}s", of);
    return std::string(type->text);
  }
  std::string words;
  for (const JsonNode* each = type->first; each; each = each->next)
    words.append(words.empty() ? "" : " or ").append(each->text);
  return words;
}

bool is_required(const JsonNode& schema, std::string_view name) {
  const JsonNode* required = schema.find("required");
  for (const JsonNode* each = required ? required->first : nullptr; each; each = each->next)
    if (each->text == name) return true;
  return false;
}

// For a shell, which ends a text in single quotes at the next of them.
std::string in_single_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

// The least input, with dots where it would be empty: that something belongs there is the point.
std::string example_for(const JsonNode& schema, std::string_view schema_text) {
  std::string json = sample_input(schema_text);
  for (std::size_t at = 0; (at = json.find(":\"\"", at)) != json.npos; ++at)
    json.insert(at + 2, "…");
  const JsonNode* properties = schema.find("properties");
  for (const JsonNode* each = properties ? properties->first : nullptr; each; each = each->next) {
    const JsonNode* items = each->find("items");
    const std::string empty = fmt::format("\"{}\":[]", each->key);
    const std::size_t at = json.find(empty);
    if (at != json.npos && items && text_of(*items, "type") == "string")
      json.insert(at + empty.size() - 1, "\"…\"");
  }
  return json;
}

void print_arguments(const JsonNode& schema, const Terminal& terminal) {
  Table table(terminal);
  const JsonNode* properties = schema.find("properties");
  for (const JsonNode* each = properties ? properties->first : nullptr; each; each = each->next)
    table.add({{tidy(each->key), Paint::Bold},
               {tidy(type_words(*each)), Paint::Cyan},
               {is_required(schema, each->key) ? "needed" : "", Paint::Yellow},
               {tidy(text_of(*each, "description")), Paint::Dim}});
  table.print();
}

}  // namespace

bool is_about_input(const Error& error) {
  return error.message.starts_with(kBeginning);
}

void explain_input(const Error& error, std::string_view name, const CatalogTool* tool,
                   const Terminal& terminal) {
  const std::string_view faults = std::string_view(error.message).substr(kBeginning.size());
  terminal.print(
      fmt::format("toolgate: {} does not take this input{}\n", tidy(name), visible(faults)));
  const auto schema = tool ? JsonDocument::parse(tool->data().input_schema)
                           : Result<JsonDocument>(fail(Errc::NotFound, "no tool"));
  if (!schema) return;
  const std::string& id = tool->data().id;
  terminal.print("\nIt takes\n");
  print_arguments(schema->root(), terminal);
  terminal.print(fmt::format(
      "\nfor example\n  toolgate call {} --input {}\n", tidy(id),
      visible(in_single_quotes(example_for(schema->root(), tool->data().input_schema)))));
}

}  // namespace toolgate
