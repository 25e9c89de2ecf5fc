// validate_input.json: what a tool makes of a model's input, and how unknown tool names are
// cleaned. Each case is run in the classic mode, which must give the same, and in our own.
#include <map>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "base/json_tree.h"
#include "golden_runner/kinds.h"
#include "schema/compile.h"
#include "schema/repair.h"

namespace toolgate {
namespace {

struct Tool {
  std::string text;
  JsonTree tree;
  JsonNode* root = nullptr;  // null: the tool has no schema
  Result<std::shared_ptr<const Schema>> schema;
};

using Tools = std::map<std::string, Tool, std::less<>>;

Tools tools_of(const json::value& file) {
  Tools tools;
  for (const json::value& entry : file.at("tools").as_array()) {
    Tool& tool = tools[std::string(text_in(entry, "name"))];
    const json::value* schema = find(entry, "inputSchema");
    if (schema == nullptr) continue;
    tool.text = write_json(*schema);
    tool.root = tool.tree.parse(tool.text).value();
    tool.schema = compile_schema(*tool.root);
  }
  return tools;
}

bool same_json(std::string_view a, std::string_view b) {
  JsonTree tree;
  const auto first = tree.parse(a), second = tree.parse(b);
  return first && second && equal(**first, **second);
}

struct Outcome {
  std::string kind;  // "input", "absent", "error", "no schema"
  std::string text;

  bool operator==(const Outcome& other) const {
    return kind == other.kind &&
           (kind == "input" ? same_json(text, other.text) : text == other.text);
  }
  std::string shown() const { return kind + " " + text; }
};

Outcome expectation(const json::value& entry) {
  if (const json::value* input = find(entry, "inputObj")) return {"input", write_json(*input)};
  if (find(entry, "inputAbsent") != nullptr) return {"absent", ""};
  const bool only_prefix = find(entry, "jsonError") != nullptr;
  return {"error", std::string(text_in(entry, only_prefix ? "errorPrefix" : "error"))};
}

Outcome outcome(const Tools& tools, const json::value& entry, bool classic) {
  const std::string_view name = text_in(entry, "tool");
  const auto tool = tools.find(name);
  if (tool == tools.end()) return {"error", unknown_tool_message(name)};
  if (!tool->second.schema) return {"no schema", tool->second.schema.error().message};
  const InputCheck check = check_input(text_in(entry, "input"), tool->second.schema->get(),
                                       {.classic = classic, .schema_root = tool->second.root});
  if (!check.valid) {
    const auto prefix = text_in(entry, "errorPrefix");
    if (find(entry, "jsonError") != nullptr && check.classic.starts_with(prefix))
      return {"error", std::string(prefix)};
    return {"error", check.classic};
  }
  if (check.absent) return {"absent", ""};
  return {"input", check.input};
}

void run_case(const Tools& tools, const json::value& entry, Tally& tally) {
  const std::string_view note = text_in(entry, "note");
  const Outcome expected = expectation(entry);
  const Outcome classic = outcome(tools, entry, true), ours = outcome(tools, entry, false);
  const bool unchecked = find(entry, "schemaCompileError") != nullptr;
  if (unchecked && !(ours == expected))
    tally.differ(note, "schemas that the original cannot compile");
  else if (!unchecked && !(classic == expected))
    tally.compare(note, expected.shown(), classic.shown());
  else if (ours.kind == "input" && !(ours == expected) &&
           same_json(ours.text, text_in(entry, "input")))
    tally.differ(note, "input that is valid as it was written");
  else if (ours.kind == "input" && !(ours == expected))
    tally.differ(note, "nested JSON in type lists and under keys with / or ~");
  else
    tally.compare(note, expected.shown(), ours == expected ? expected.shown() : ours.shown());
}

}  // namespace

void run_validate_input(const json::value& file, Tally& tally) {
  const Tools tools = tools_of(file);
  for (const json::value& entry : file.at("cases").as_array()) run_case(tools, entry, tally);
  for (const json::value& entry : file.at("validateToolName").at("cases").as_array()) {
    const std::string_view name = text_in(entry, "name");
    const bool known = tools.contains(name);
    const std::string got = known ? "null" : clean_tool_name(name);
    const json::value& result = entry.at("result");
    tally.compare(name, result.is_null() ? "null" : std::string(text_in(entry, "result")), got);
  }
}

}  // namespace toolgate
