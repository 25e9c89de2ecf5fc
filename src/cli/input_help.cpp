#include "cli/input_help.h"

#include "cli/json_document.h"
#include "cli/sample_input.h"
#include "cli/table.h"
#include "cli/tool_list.h"

namespace toolgate {
namespace {

// As schema/repair.cpp begins what models are told.
constexpr std::string_view kBeginning = "ERROR: Your input to the tool was invalid";
constexpr int kMostDepth = 3;  // of arguments in arguments

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

// Members of members too: "replacements[].filePath".
void add_arguments(Table& table, const JsonNode& schema, const std::string& prefix, int depth) {
  const JsonNode* properties = schema.find("properties");
  for (const JsonNode* each = properties ? properties->first : nullptr; each; each = each->next) {
    const std::string name = prefix + tidy(each->key);
    table.add({{name, Paint::Bold},
               {tidy(type_words(*each)), Paint::Cyan},
               {is_required(schema, each->key) ? "needed" : "", Paint::Yellow},
               {tidy(text_of(*each, "description")), Paint::Dim}});
    if (depth == kMostDepth) continue;
    if (const JsonNode* items = each->find("items"))
      add_arguments(table, *items, name + "[].", depth + 1);
    else
      add_arguments(table, *each, name + ".", depth + 1);
  }
}

void print_arguments(const JsonNode& schema, const Terminal& terminal) {
  Table table(terminal);
  add_arguments(table, schema, {}, 0);
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
      visible(in_single_quotes(sample_input(tool->data().input_schema, SampleKind::Example)))));
}

}  // namespace toolgate
