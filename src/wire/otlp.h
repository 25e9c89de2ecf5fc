// OTLP/JSON: what a collector of OpenTelemetry is sent over HTTP, and what it answers. Protobuf's
// JSON mapping with OTLP's exceptions: ids are hexadecimal, enums are numbers, 64-bit integers are
// strings. Pure. net/otlp_exporter sends it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/metrics.h"
#include "base/span.h"

namespace toolgate {

// Who the data comes from, as JSON: {"attributes":[…]}.
std::string write_resource(const std::vector<std::pair<std::string, std::string>>& attributes);

// The body of a request to …/v1/traces.
std::string write_traces(std::span<const SpanRecord> spans, std::string_view resource);

// The body of a request to …/v1/metrics: gen_ai.client.operation.duration and .token.usage, from
// the histograms of rounds. Times are nanoseconds since 1970; counts are those since `begin`.
std::string write_metrics(std::span<const HistogramSeries> series, std::string_view resource,
                          std::int64_t begin, std::int64_t now);

// What a collector took only a part of.
struct PartialSuccess {
  std::int64_t rejected = 0;
  std::string message = {};
};

// Of an answer with status 200; nothing rejected when it says nothing or cannot be read.
PartialSuccess read_export_answer(std::string_view body);

}  // namespace toolgate
