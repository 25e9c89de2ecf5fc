// Shapes tools for a family of models: what a family refuses is taken out of the schema, every
// change is reported, and a tool that cannot be mended is named with the reason. The gateway calls
// it for each request's tools (through NormalizedTools), `toolgate normalize` for a file's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/json_tree.h"
#include "schema/check.h"
#include "schema/families.h"

namespace toolgate {

enum class NormalizeRule : std::uint8_t {
  RootObject,         // F1a
  RootProperties,     // F1b
  Description,        // F2
  ValidSchema,        // S1
  ArrayItems,         // S2
  DescriptionLength,  // S3
  Keywords,           // S4
  RootCombinators,    // S5
  Required,           // S6
  Tuples,             // S7
  Nullable,           // S8
};

// Names and paths of strangers stand in reports only up to a length: longer ones have "…" in the
// middle.
struct SchemaFix {
  NormalizeRule rule;
  std::string path;     // JSON pointer from the tool's root to what was changed
  std::string message;  // the original's words
};

// Why a tool cannot be used.
struct ToolFault {
  NormalizeRule rule = NormalizeRule::ValidSchema;
  std::string path;    // JSON pointer from the tool's root
  std::string cause;   // the original's words, several lines for a failed choice
  std::string reason;  // one sentence for people
  std::string advice;  // how to mend the tool
};

struct NormalizedTool {
  std::string name;  // for reports
  std::string text;  // the tool as JSON; empty when it has a fault
  std::vector<SchemaFix> fixes;
  std::vector<Repair>
      coerced;  // values of a wrong type, changed without a fix as the original does
  std::size_t fixes_left_out = 0;  // made, but not in the list: it has a limit
  std::size_t coerced_left_out = 0;
  std::optional<ToolFault> fault;

  bool changed() const {
    return !fixes.empty() || !coerced.empty() || fixes_left_out + coerced_left_out > 0;
  }
  std::size_t report_bytes() const;  // memory of everything but the text
  // The original's error for a tool with a fault.
  std::string classic_error() const;
};

struct NormalizeOptions {
  SchemaChanges changes = 0;  // Families::changes_for
  bool classic = false;       // with the original's accidents, to compare with it
  // How much of what was changed is told, fixes and coerced values together; the rest is counted.
  std::size_t max_told = 1000;
  std::size_t max_told_bytes = std::size_t{256} << 10;
};

// The changed copy, made in `tree`; null when `report.fault` is set. `report.text` stays empty.
// A tool whose `type` is there and not "function" is copied as it is.
JsonNode* normalize_tool(JsonTree& tree, const JsonNode& tool, const NormalizeOptions& options,
                         NormalizedTool& report);
// The same with the text instead of the tree.
NormalizedTool normalize_tool(const JsonNode& tool, const NormalizeOptions& options);
// The same from a text, which stands as it is where nothing was changed. The error says that it is
// not JSON.
Result<NormalizedTool> normalize_tool(std::string_view tool_text, const NormalizeOptions& options);

enum class BadTools : std::uint8_t {
  Quarantine,  // left out and named, the others go on
  Reject,      // the whole list fails with the original's error
};

inline constexpr std::uint32_t kMaxListedTools = 16384;

struct NormalizedList {
  bool absent = false;  // there was no list or an empty one: send none
  // In order, the quarantined ones among them (with a fault and without a text).
  std::vector<std::shared_ptr<const NormalizedTool>> tools;
  std::string error;  // of BadTools::Reject; `tools` then ends with the culprit

  std::string text() const;  // "[…]" of the tools without a fault
};

// `list` is null when the request has no such member. The error says that it is no list or holds
// over kMaxListedTools. All reports together are bounded as well: beyond some MiB, fixes are only
// counted and the texts of faults are short.
Result<NormalizedList> normalize_tools(const JsonNode* list, const NormalizeOptions& options,
                                       BadTools bad_tools = BadTools::Quarantine);

}  // namespace toolgate
