// What a caller is told of a call that came through the API: the answer of
// POST /v1/tools/{name}/invoke, also for `toolgate call --json` without a gateway.
#pragma once

#include <string>
#include <string_view>

#include "invoke/tools_service.h"

namespace toolgate {

// {id, name, state, ending, decision, post_decision?, content, error?, message?, metadata?,
// duration_ms}
std::string write_outcome(std::string_view tool_id, const InvokeOutcome& outcome);

}  // namespace toolgate
