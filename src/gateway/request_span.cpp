#include "gateway/request_span.h"

#include "base/ascii.h"

namespace toolgate {
namespace {

// Nothing where there is none, or more than one: whoever sent it is not to be believed.
std::optional<TraceContext> parent_of(const HttpHead& head) {
  const auto parent = head.find("traceparent");
  if (!parent || head.count("traceparent") != 1) return std::nullopt;
  auto context = parse_trace_parent(*parent);
  if (!context) return std::nullopt;
  std::string state;
  head.for_each([&](std::string_view name, std::string_view value) {
    if (!equal_ignoring_case(name, "tracestate")) return;
    if (!state.empty()) state += ',';
    state += value;
  });
  context->state = usable_trace_state(state);
  return context;
}

std::string_view without_port(std::string_view host) {
  const auto bracket = host.rfind(']');
  const auto colon = host.rfind(':');
  return colon != host.npos && (bracket == host.npos || colon > bracket) ? host.substr(0, colon)
                                                                         : host;
}

}  // namespace

Span begin_request_span(Tracer& tracer, const RequestContext& context, std::string_view route) {
  const HttpExchange& exchange = context.exchange;
  const HttpHead& head = exchange.head();
  const auto parent = parent_of(head);
  Span span(tracer, parent ? &*parent : nullptr, SpanKind::Server,
            fmt::format("{} {}", head.method(), route));
  if (!span) return span;
  span.text("http.request.method", head.method());
  span.text("http.route", route);
  span.text("url.path", exchange.path());
  span.text("url.scheme", "http");
  span.text("network.protocol.version", head.http_1_1 ? "1.1" : "1.0");
  span.text("server.address", without_port(head.find("host").value_or("")));
  span.text("toolgate.request.id", context.id);
  span.text("toolgate.caller", context.caller);
  return span;
}

void end_request_span(Span& span, int status) {
  span.number("http.response.status_code", status);
  if (status >= 500) span.fail(std::to_string(status));
}

}  // namespace toolgate
