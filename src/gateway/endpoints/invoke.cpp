// POST /v1/tools/{name}/invoke and /explain, POST /v1/invocations/{id}/resume: calls that come
// through the API, with the same checks and questions as a model's.
#include "base/json_tree.h"
#include "gateway/body_reader.h"
#include "gateway/endpoints/endpoints.h"
#include "gateway/invoke_reply.h"
#include "gateway/invoking.h"
#include "gateway/tools_reply.h"

namespace toolgate {
namespace {

constexpr std::size_t kMostIdBytes = 256;

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
  body.only({"input", "call_id", "session_id", "token_budget", "confirmation"});
  InvokeRequest request;
  request.tool_id = tool.data().id;
  request.request_id = context.id;
  request.caller = context.caller;
  request.workspace = context.invoking.workspace();
  request.arguments = body.json("input").value_or("{}");
  const std::size_t most = context.snapshot->settings.limits.argument_bytes;
  if (request.arguments.size() > most)
    return fail_at("input", Errc::TooLarge,
                   "the input has {} bytes, and toolgate.limits.argumentBytes is {}",
                   request.arguments.size(), most);
  request.call_id = body.text("call_id");
  request.session_id = body.text("session_id");
  if (request.session_id.empty()) request.session_id = session_header(context);
  for (const auto& [name, text] :
       {std::pair{"session_id", &request.session_id}, std::pair{"call_id", &request.call_id}})
    if (text->size() > kMostIdBytes)
      return fail_at(name, Errc::InvalidRequest, "{} may have {} bytes", name, kMostIdBytes);
  request.token_budget = body.integer("token_budget", 1, 10'000'000);
  const auto confirm = confirm_named(body.text("confirmation"));
  if (!confirm) return std::unexpected(confirm.error());
  request.confirm = *confirm;
  if (auto wrong = body.fault()) return std::unexpected(std::move(*wrong));
  return request;
}

// The call that the route and the body ask for.
Task<Result<InvokeRequest>> read_call(RequestContext& context) {
  const auto tool = find_tool_by_any_name(*context.catalog, context.parameter);
  if (!tool) co_return std::unexpected(tool.error());
  const auto body = co_await read_body_object(context);
  if (!body) co_return std::unexpected(body.error());
  co_return read_request(context, *body, **tool);
}

InvokeContext call_context(const RequestContext& context) {
  InvokeContext made = context.invoking.context(context.snapshot, context.catalog);
  made.span = &context.span;
  return made;
}

void note_call(RequestContext& context, const InvokeOutcome& outcome) {
  if (outcome.call)
    context.note +=
        fmt::format(" call={} state={}", outcome.call->id, name_of(outcome.call->state));
}

Task<> reply_outcome(RequestContext& context, std::string_view tool_id,
                     const Result<InvokeOutcome>& outcome) {
  if (!outcome) {
    co_await reply_error(context, outcome.error());
    co_return;
  }
  note_call(context, *outcome);
  co_await reply_json(context, write_outcome(tool_id, *outcome));
}

}  // namespace

Task<> invoke_tool(RequestContext& context) {
  const auto request = co_await read_call(context);
  if (!request) {
    co_await reply_error(context, request.error());
    co_return;
  }
  auto outcome = co_await context.tools_service.invoke(*request, call_context(context),
                                                       context.exchange.cancel());
  // What is wrong with an input is told with its values.
  if (!outcome)
    outcome.error().message =
        context.redaction.hide(std::move(outcome.error().message), request->arguments);
  co_await reply_outcome(context, request->tool_id, outcome);
}

Task<> explain_call(RequestContext& context) {
  const auto request = co_await read_call(context);
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
  const auto outcome = co_await context.tools_service.resume((*row)->id, call_context(context),
                                                             context.exchange.cancel());
  co_await reply_outcome(context, (*row)->tool_id, outcome);
}

}  // namespace toolgate
