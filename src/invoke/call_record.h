// What is told of one call of a tool: the span `execute_tool`, and the numbers of /metrics. Made
// when the call is asked for and ended with its outcome; tools_service has one per call.
#pragma once

#include <chrono>
#include <string>

#include "base/span.h"
#include "invoke/tools_service.h"

namespace toolgate {

class CallRecord {
 public:
  CallRecord(const InvokeSurroundings& around, const InvokeContext& context,
             const InvokeRequest& request);
  // Of a call that was approved earlier.
  CallRecord(const InvokeSurroundings& around, const InvokeContext& context,
             const InvocationRow& row);

  // For the requests that the tool makes; null: nobody traces.
  const TraceContext* context() const { return span_.context(); }

  // There is a `failure` where there was no call at all. `waited` is for a person.
  void end(const Error* failure, const InvokeOutcome& outcome, std::chrono::nanoseconds waited);

 private:
  void begin(const CatalogTool* tool, std::string_view session_id, std::string_view call_id);
  void describe(const InvokeOutcome& outcome);
  void add_content(const InvokeOutcome& outcome);

  const InvokeSurroundings& around_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::string tool_id_;
  bool is_known_;
  bool has_call_id_ = false;
  Span span_;
};

}  // namespace toolgate
