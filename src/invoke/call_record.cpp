#include "invoke/call_record.h"

namespace toolgate {
namespace {

constexpr std::size_t kMostContentBytes = 4 << 10;
// Longer results are not looked through for secrets, and not told.
constexpr std::size_t kMostReadBytes = 64 << 10;

// A word for what came of a call.
std::string_view outcome_word(const Error* failure, const InvokeOutcome& outcome) {
  if (failure) return error_info(failure->code).name;
  if (outcome.ending == InvokeEnding::Result && outcome.result.is_error) return "tool_error";
  return name_of(outcome.ending);
}

// A call that someone goes on without, or keeps the result of, did what it should.
bool is_failure(const Error* failure, const InvokeOutcome& outcome) {
  if (failure) return true;
  switch (outcome.ending) {
    case InvokeEnding::Result:
      return outcome.result.is_error;
    case InvokeEnding::Skipped:
    case InvokeEnding::Withheld:
    case InvokeEnding::Returned:
      return false;
    default:
      return true;
  }
}

std::string_view type_of(const ToolSource& source) {
  return source.kind == ToolSource::Kind::Extension ? "extension" : "function";
}

}  // namespace

CallRecord::CallRecord(const InvokeSurroundings& around, const InvokeContext& context,
                       const InvokeRequest& request)
    : around_(around), tool_id_(request.tool_id) {
  const CatalogTool* tool = context.catalog->find_tool(tool_id_);
  is_known_ = tool != nullptr;
  if (!context.span) return;
  span_ = Span::child_of(context.span, SpanKind::Internal, "execute_tool", tool_id_);
  begin(tool, request.session_id, request.call_id);
}

CallRecord::CallRecord(const InvokeSurroundings& around, const InvokeContext& context,
                       const InvocationRow& row)
    : around_(around), tool_id_(row.tool_id), is_known_(true) {
  if (!context.span) return;
  span_ = Span::child_of(context.span, SpanKind::Internal, "execute_tool", tool_id_);
  begin(context.catalog->find_tool(tool_id_), row.session_id, row.call_id);
}

void CallRecord::begin(const CatalogTool* tool, std::string_view session_id,
                       std::string_view call_id) {
  if (!span_) return;
  has_call_id_ = !call_id.empty();
  span_.text("gen_ai.tool.call.id", call_id);
  span_.text("gen_ai.operation.name", "execute_tool");
  span_.text("gen_ai.tool.name", tool_id_);
  span_.text("gen_ai.conversation.id", session_id);
  if (!tool) return;
  span_.text("gen_ai.tool.type", type_of(tool->data().source));
  span_.text("gen_ai.tool.description", tool->data().model_description);
  span_.text("toolgate.tool.source", name_of(tool->data().source.kind));
}

void CallRecord::end(const Error* failure, const InvokeOutcome& outcome,
                     std::chrono::nanoseconds waited) {
  const std::string_view word = outcome_word(failure, outcome);
  const double wait_seconds = std::chrono::duration<double>(waited).count();
  if (around_.metrics) {
    const auto time = std::chrono::steady_clock::now() - began_ - waited;
    around_.metrics->call_done(is_known_ ? std::string_view(tool_id_) : "unknown", word,
                               std::chrono::duration<double>(time).count());
    if (waited.count() > 0) around_.metrics->person_waited(wait_seconds);
  }
  if (!span_) return;
  span_.text("toolgate.outcome", word);
  if (is_failure(failure, outcome)) span_.fail(word);
  if (waited.count() > 0) span_.real("toolgate.wait_seconds", wait_seconds);
  if (outcome.call) describe(outcome);
}

void CallRecord::describe(const InvokeOutcome& outcome) {
  const InvocationRow& row = *outcome.call;
  if (!has_call_id_) span_.text("gen_ai.tool.call.id", row.call_id);
  span_.text("toolgate.invocation.id", row.id);
  span_.text("toolgate.invocation.state", name_of(row.state));
  if (const auto decision = parse_decision(row.decision)) {
    span_.text("toolgate.decision", name_of(decision->kind));
    span_.text("toolgate.decision.by", decision->by);
  }
  if (around_.redaction && span_.keeps_content()) add_content(outcome);
}

void CallRecord::add_content(const InvokeOutcome& outcome) {
  const Redaction& redaction = *around_.redaction;
  const std::string& arguments = outcome.call->arguments;
  if (arguments.size() <= kMostReadBytes)
    span_.text("gen_ai.tool.call.arguments", redaction.redact_line(arguments), kMostContentBytes);
  if (content_bytes(outcome.result) > kMostReadBytes) return;
  // Tools repeat what they got.
  span_.text("gen_ai.tool.call.result",
             redaction.hide(redaction.redact_line(write_content(outcome.result, true)), arguments),
             kMostContentBytes);
}

}  // namespace toolgate
