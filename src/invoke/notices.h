// What a model is told where there is no result. For the tools_service*.cpp files.
#pragma once

#include <string>
#include <utility>

#include "invoke/tools_service.h"

namespace toolgate {

inline ToolResult notice(std::string text, bool is_error = false) {
  ToolResult result;
  result.content.push_back({.text = std::move(text)});
  result.is_error = is_error;
  return result;
}

inline ToolResult failure(const Error& error) {
  return notice(error.message, true);
}

inline InvokeEnding ending_of(const Decision& decision) {
  switch (decision.kind) {
    case DecisionKind::Skipped:
      return InvokeEnding::Skipped;
    case DecisionKind::Timeout:
      return InvokeEnding::TimedOut;
    default:
      return decision.by == "client" || decision.by == "caller" ? InvokeEnding::Cancelled
                                                                : InvokeEnding::Denied;
  }
}

}  // namespace toolgate
