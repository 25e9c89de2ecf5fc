// A request's own tools as the chosen model's family takes them. gateway/endpoints/chat calls it
// before the model is asked.
#pragma once

#include <string_view>

#include "schema/families.h"
#include "schema/normalized_tools.h"
#include "toolgate/cancel.h"
#include "toolgate/task.h"
#include "wire/openai_chat.h"
#include "wire/turn_report.h"

namespace toolgate {

// Sets `shaped` where a tool must change, and tells each change in `report`. A tool whose schema
// cannot be used fails the request, as OpenAI does; the error names the tool, the place and the
// reason.
Task<Result<void>> shape_tools(ChatRequest& request, SchemaChanges changes, NormalizedTools& cache,
                               TurnReport& report, const Cancel& cancel);

}  // namespace toolgate
