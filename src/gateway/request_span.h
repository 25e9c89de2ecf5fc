// The span of a request that came in, with the names of OpenTelemetry's HTTP conventions. dispatch
// begins and ends it; endpoints hang theirs below it.
#pragma once

#include <string_view>

#include "base/span.h"
#include "gateway/request_context.h"

namespace toolgate {

// Below the span that the request's traceparent names, if it has one. `route` is a pattern.
Span begin_request_span(Tracer& tracer, const RequestContext& context, std::string_view route);
void end_request_span(Span& span, int status);

}  // namespace toolgate
