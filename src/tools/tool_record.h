// A registered tool and what is made of it once: its parsed `when`, its compiled schema, and per
// family of models the JSON that a request carries. Catalogues share it; any thread reads it.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/compile.h"
#include "schema/normalize.h"
#include "toolgate/catalog.h"
#include "tools/when.h"

namespace toolgate {

class ToolRecord {
 public:
  explicit ToolRecord(ToolData data);
  ~ToolRecord();
  ToolRecord(const ToolRecord&) = delete;
  ToolRecord& operator=(const ToolRecord&) = delete;

  const ToolData& data() const { return data_; }
  // Nothing: no condition, or one that cannot be parsed.
  const std::optional<WhenClause>& when() const { return when_; }
  const std::optional<WhenFault>& when_fault() const { return when_fault_; }

  // {"type":"function","function":{…}} as models with these changes take it, made on first use.
  const NormalizedTool& shaped(SchemaChanges changes) const;

  CheckedInput check_input(std::string_view input) const;

 private:
  struct Shaped {
    SchemaChanges changes;
    NormalizedTool tool;
    Shaped* next;
  };

  void compile_schema() const;

  const ToolData data_;
  std::optional<WhenClause> when_;
  std::optional<WhenFault> when_fault_;
  mutable std::atomic<Shaped*> shaped_{nullptr};  // a list that only grows, one per family
  mutable std::once_flag compiled_;
  mutable JsonTree schema_tree_;
  mutable const JsonNode* schema_root_ = nullptr;
  mutable std::shared_ptr<const Schema> schema_;
  mutable std::string schema_error_;
};

// The tool as a model is told about it, before a family's changes.
std::string function_json(const ToolDefinition& tool);
ToolDefinition definition_of(const ToolData& data);

}  // namespace toolgate
