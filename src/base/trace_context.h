// W3C Trace Context: which trace a request belongs to and below which span, as it travels in the
// headers `traceparent` and `tracestate`. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace toolgate {

using TraceId = std::array<std::uint8_t, 16>;
using SpanId = std::array<std::uint8_t, 8>;

struct TraceContext {
  TraceId trace = {};
  SpanId span = {};
  bool sampled = false;
  std::string state = {};  // tracestate, passed on as it came
};

// Nothing for a value that is malformed: it is as if there were none.
std::optional<TraceContext> parse_trace_parent(std::string_view value);
std::string write_trace_parent(const TraceContext& context);

// What of a tracestate, its header fields joined by commas, may be passed on: all of it, its
// beginning where it is too long, nothing where it is malformed.
std::string usable_trace_state(std::string_view joined);

// Header lines for a request that this context is the parent of, each with its line end.
std::string write_trace_headers(const TraceContext& context);

TraceId make_trace_id();
SpanId make_span_id();

// Lower-case hexadecimal digits.
void append_hex(std::string& out, const std::uint8_t* bytes, std::size_t count);

}  // namespace toolgate
