// Every endpoint of the route table, one .cpp each.
#pragma once

#include "gateway/request_context.h"

namespace toolgate {

Task<> chat_completions(RequestContext& context);
Task<> list_models(RequestContext& context);
Task<> show_model(RequestContext& context);
Task<> list_tools(RequestContext& context);
Task<> show_tool(RequestContext& context);
Task<> list_toolsets(RequestContext& context);
Task<> invoke_tool(RequestContext& context);
Task<> explain_call(RequestContext& context);
Task<> register_http_tool(RequestContext& context);
Task<> remove_http_tool(RequestContext& context);
Task<> list_invocations(RequestContext& context);
Task<> show_invocation(RequestContext& context);
Task<> confirm_invocation(RequestContext& context);
Task<> cancel_invocation(RequestContext& context);
Task<> resume_invocation(RequestContext& context);
Task<> read_result(RequestContext& context);
Task<> list_approvals(RequestContext& context);
Task<> revoke_approval(RequestContext& context);
Task<> reset_approvals(RequestContext& context);
Task<> list_edits(RequestContext& context);
Task<> show_edit(RequestContext& context);
Task<> undo_edit(RequestContext& context);
Task<> list_audit(RequestContext& context);
Task<> verify_audit(RequestContext& context);
Task<> follow_events(RequestContext& context);
Task<> show_context(RequestContext& context);
Task<> change_context(RequestContext& context);
Task<> normalize(RequestContext& context);
Task<> count_tokens_of(RequestContext& context);
Task<> show_health(RequestContext& context);
Task<> show_readiness(RequestContext& context);
Task<> show_metrics(RequestContext& context);
Task<> show_welcome(RequestContext& context);

}  // namespace toolgate
