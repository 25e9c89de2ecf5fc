#include "tools/tool_record.h"

#include "schema/repair.h"

namespace toolgate {
namespace {

NormalizedTool shape(const ToolData& data, SchemaChanges changes) {
  auto made = normalize_tool(function_json(definition_of(data)), {.changes = changes});
  if (made) return std::move(*made);
  NormalizedTool unusable;
  unusable.name = data.id;
  unusable.fault.emplace().reason = made.error().message;
  return unusable;
}

}  // namespace

ToolRecord::ToolRecord(ToolData data) : data_(std::move(data)) {
  if (data_.when.empty()) return;
  ParsedWhen parsed = parse_when(data_.when);
  if (const WhenFault* fault = parsed.first_fault()) when_fault_ = *fault;
  when_ = std::move(parsed.clause);
}

ToolRecord::~ToolRecord() {
  for (Shaped* entry = shaped_.load(); entry != nullptr;) {
    Shaped* const next = entry->next;
    delete entry;
    entry = next;
  }
}

const NormalizedTool& ToolRecord::shaped(SchemaChanges changes) const {
  const auto find = [changes](Shaped* entry, const Shaped* end) -> const NormalizedTool* {
    for (; entry != end; entry = entry->next)
      if (entry->changes == changes) return &entry->tool;
    return nullptr;
  };
  Shaped* first = shaped_.load(std::memory_order_acquire);
  if (const NormalizedTool* made = find(first, nullptr)) return *made;
  // Two threads may make it at once: one of them wins.
  auto mine = std::make_unique<Shaped>(changes, shape(data_, changes), first);
  while (!shaped_.compare_exchange_weak(mine->next, mine.get(), std::memory_order_acq_rel)) {
    if (const NormalizedTool* theirs = find(mine->next, first)) return *theirs;
    first = mine->next;
  }
  return mine.release()->tool;
}

void ToolRecord::compile_schema() const {
  if (data_.input_schema.empty()) return;
  auto root = schema_tree_.parse(data_.input_schema);
  auto compiled = root ? toolgate::compile_schema(**root) : std::unexpected(root.error());
  if (!compiled) {
    schema_error_ = compiled.error().message;
    return;
  }
  schema_root_ = *root;
  schema_ = std::move(*compiled);
}

CheckedInput ToolRecord::check_input(std::string_view input) const {
  std::call_once(compiled_, [this] { compile_schema(); });
  if (!schema_error_.empty())
    return {false,
            {},
            fmt::format("the schema of the tool '{}' cannot be used: {}", data_.id, schema_error_)};
  InputCheck check = toolgate::check_input(input, schema_.get(), {.schema_root = schema_root_});
  return {check.valid, std::move(check.input), std::move(check.message)};
}

ToolDefinition definition_of(const ToolData& data) {
  return {data.id, data.model_description, data.input_schema};
}

std::string function_json(const ToolDefinition& tool) {
  std::string out = R"({"type":"function","function":{"name":)";
  append_json_string(out, tool.name);
  out += R"(,"description":)";
  append_json_string(out, tool.description);
  if (!tool.input_schema.empty()) out += R"(,"parameters":)" + tool.input_schema;
  out += "}}";
  return out;
}

}  // namespace toolgate
