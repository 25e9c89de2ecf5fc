// POST /v1/tools/{name}/invoke and /explain, POST /v1/invocations/{id}/resume: calls that come
// through the API, with the same checks and questions as a model's.
#include "base/json_tree.h"
#include "gateway/body_reader.h"
#include "gateway/endpoints/endpoints.h"
#include "gateway/invoking.h"
#include "gateway/tools_reply.h"

namespace toolgate {
namespace {

Result<InvokeRequest::Confirm> confirm_named(std::string_view name) {
  if (name.empty() || name == "wait") return InvokeRequest::Confirm::Wait;
  if (name == "deny") return InvokeRequest::Confirm::Deny;
  if (name == "return") return InvokeRequest::Confirm::Return;
  return fail_at("confirmation", Errc::InvalidRequest,
                 "confirmation must be \"wait\", \"deny\" or \"return\", not \"{}\"", name);
}

std::string session_header(const RequestContext& context) {
  return std::string(context.exchange.head().find("x-toolgate-session").value_or(""));
}

Result<InvokeRequest> read_request(const RequestContext& context, const BodyReader& body,
                                   const CatalogTool& tool) {
  InvokeRequest request;
  request.tool_id = tool.data().id;
  request.request_id = context.id;
  request.caller = context.caller;
  request.workspace = context.invoking.workspace();
  request.arguments = body.json("input").value_or("{}");
  request.call_id = body.text("call_id");
  request.session_id = body.text("session_id");
  if (request.session_id.empty()) request.session_id = session_header(context);
  request.token_budget = body.integer("token_budget", 1, 10'000'000);
  const auto confirm = confirm_named(body.text("confirmation"));
  if (!confirm) return std::unexpected(confirm.error());
  request.confirm = *confirm;
  if (auto wrong = body.fault()) return std::unexpected(std::move(*wrong));
  return request;
}

// {id, name, state, decision, content, error?, duration_ms}: what the caller is told.
std::string write_outcome(const InvokeRequest& request, const InvokeOutcome& outcome) {
  std::string out = "{";
  const auto member = [&out](std::string_view key, std::string_view json) {
    if (out.size() > 1) out += ',';
    append_json_string(out, key);
    out += ':';
    out += json;
  };
  const auto text = [&](std::string_view key, std::string_view value) {
    std::string quoted;
    append_json_string(quoted, value);
    member(key, quoted);
  };
  if (outcome.call) text("id", outcome.call->id);
  text("name", outcome.call ? outcome.call->tool_id : request.tool_id);
  text("state", name_of(outcome.call ? outcome.call->state : InvocationState::Cancelled));
  text("ending", name_of(outcome.ending));
  member("decision",
         outcome.call && !outcome.call->decision.empty() ? outcome.call->decision : "null");
  if (outcome.call && !outcome.call->post_decision.empty())
    member("post_decision", outcome.call->post_decision);
  const std::string content = write_content(outcome.result, true);
  // The list within {"content":[…]…}.
  if (auto parsed = parse_json(content)) {
    member("content", write_json(parsed->at("content")));
    if (outcome.result.is_error && !outcome.result.content.empty())
      text("error", outcome.result.content.front().text);
  }
  if (!outcome.result.message.empty()) text("message", outcome.result.message);
  if (!outcome.result.metadata.empty()) member("metadata", outcome.result.metadata);
  const std::int64_t started = outcome.call ? outcome.call->created_at : 0;
  const std::int64_t ended = outcome.call ? outcome.call->ended_at : 0;
  member("duration_ms", std::to_string(ended > started ? ended - started : 0));
  return out + '}';
}

void note_call(RequestContext& context, const InvokeOutcome& outcome) {
  if (outcome.call)
    context.note +=
        fmt::format(" call={} state={}", outcome.call->id, name_of(outcome.call->state));
}

Task<> reply_outcome(RequestContext& context, const InvokeRequest& request,
                     const Result<InvokeOutcome>& outcome) {
  if (!outcome) {
    co_await reply_error(context, outcome.error());
    co_return;
  }
  note_call(context, *outcome);
  co_await reply_json(context, write_outcome(request, *outcome));
}

}  // namespace

Task<> invoke_tool(RequestContext& context) {
  const auto tool = find_tool_by_any_name(*context.catalog, context.parameter);
  if (!tool) {
    co_await reply_error(context, tool.error());
    co_return;
  }
  const auto body = co_await read_body_object(context);
  if (!body) {
    co_await reply_error(context, body.error());
    co_return;
  }
  const auto request = read_request(context, *body, **tool);
  if (!request) {
    co_await reply_error(context, request.error());
    co_return;
  }
  const auto outcome = co_await context.tools_service.invoke(
      *request, context.invoking.context(context.snapshot, context.catalog),
      context.exchange.cancel());
  co_await reply_outcome(context, *request, outcome);
}

Task<> explain_call(RequestContext& context) {
  const auto tool = find_tool_by_any_name(*context.catalog, context.parameter);
  if (!tool) {
    co_await reply_error(context, tool.error());
    co_return;
  }
  const auto body = co_await read_body_object(context);
  if (!body) {
    co_await reply_error(context, body.error());
    co_return;
  }
  const auto request = read_request(context, *body, **tool);
  if (!request) {
    co_await reply_error(context, request.error());
    co_return;
  }
  const auto verdict = co_await context.tools_service.explain(
      *request, context.invoking.context(context.snapshot, context.catalog),
      context.exchange.cancel());
  if (!verdict) {
    co_await reply_error(context, verdict.error());
    co_return;
  }
  co_await reply_json(context, write_explanation(request->tool_id, *verdict));
}

Task<> resume_invocation(RequestContext& context) {
  const auto row = co_await find_own_call(context);
  if (!row) {
    co_await reply_error(context, row.error());
    co_return;
  }
  const auto outcome = co_await context.tools_service.resume(
      (*row)->id, context.invoking.context(context.snapshot, context.catalog),
      context.exchange.cancel());
  co_await reply_outcome(context, InvokeRequest{}, outcome);
}

}  // namespace toolgate
