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
Task<> show_context(RequestContext& context);
Task<> change_context(RequestContext& context);
Task<> normalize(RequestContext& context);
Task<> count_tokens_of(RequestContext& context);
Task<> show_health(RequestContext& context);
Task<> show_readiness(RequestContext& context);
Task<> show_metrics(RequestContext& context);
Task<> show_welcome(RequestContext& context);

}  // namespace toolgate
