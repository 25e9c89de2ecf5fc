// What a tool gave, made fit for a model: prompt-tsx rendered within the budget, text made valid,
// and what is too long kept in a file that can be read on, instead of being cut off unseen.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "tokens/encoding.h"
#include "toolgate/error.h"
#include "toolgate/tool.h"

namespace toolgate {

// Handles of long results begin like this, and the tool that reads on in them has this name.
inline constexpr std::string_view kResultScheme = "toolgate://results/";
inline constexpr std::string_view kReadResult = "read_result";

struct ResultLimits {
  std::size_t part_bytes = 256 << 10;  // toolgate.limits.resultBytes: then it is spilled
  std::size_t total_bytes = std::size_t{64}
                            << 20;  // toolgate.limits.resultTotalBytes: then it fails
  std::size_t parts = 1'000;        // toolgate.limits.resultParts
};

// Where long parts go. The handle is what a model or a person reads it by.
class ResultSpill {
 public:
  virtual ~ResultSpill() = default;
  virtual Result<std::string> keep(std::string_view invocation_id, std::size_t part,
                                   std::string_view bytes) = 0;
  // Of a result that nobody may see after all.
  virtual void forget(std::string_view invocation_id, std::size_t parts) = 0;
};

// Changes `result` in place. An error: it is over the limits and there is nowhere to put it. Text
// beyond the token budget is kept like that beyond the bytes; without `spill` it is cut.
Result<void> shape_result(ToolResult& result, const ResultLimits& limits, ResultSpill* spill,
                          std::string_view invocation_id, std::optional<std::size_t> token_budget,
                          Encoding encoding);

// {"content":[{"type":"text","text"} | {"type":"data","mimeType","data"}]}, as the API answers;
// only the parts for the model where `for_model` is set.
std::string write_content(const ToolResult& result, bool for_model);
bool is_for_model(const ToolContent& part);
std::size_t content_bytes(const ToolResult& result);

// VS Code's toolResultDetails: the input, indented, and each output as people look at it.
std::string write_details(const ToolResult& result, std::string_view input_json, bool is_error);
// Whether a result without details of its own gets them.
bool wants_details(const ToolResult& result, bool always_display);

}  // namespace toolgate
