#include "wire/otlp.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/json_object.h"
#include "base/version.h"

namespace toolgate {
namespace {

constexpr int kCumulative = 2;
constexpr int kError = 2;

void append_quoted(std::string& out, std::int64_t number) {
  out += '"';
  out += std::to_string(number);
  out += '"';
}

void append_real(std::string& out, double number) {
  append_json(out, json::value(number));
}

template <std::size_t Size>
std::string hex(const std::array<std::uint8_t, Size>& bytes) {
  std::string out;
  out.reserve(2 * Size);
  append_hex(out, bytes.data(), Size);
  return out;
}

struct ValueWriter {
  std::string& out;

  void operator()(const std::string& text) const {
    out += R"({"stringValue":)";
    append_json_string(out, text);
    out += '}';
  }
  void operator()(std::int64_t number) const {
    out += R"({"intValue":)";
    append_quoted(out, number);
    out += '}';
  }
  void operator()(double number) const {
    out += R"({"doubleValue":)";
    append_real(out, number);
    out += '}';
  }
  void operator()(bool truth) const {
    out += truth ? R"({"boolValue":true})" : R"({"boolValue":false})";
  }
  void operator()(const std::vector<std::string>& texts) const {
    out += R"({"arrayValue":{"values":[)";
    for (const std::string& text : texts) {
      if (&text != texts.data()) out += ',';
      (*this)(text);
    }
    out += "]}}";
  }
};

void append_attribute(std::string& out, std::string_view key, const AttributeValue& value) {
  if (out.back() == '}') out += ',';
  out += R"({"key":)";
  append_json_string(out, key);
  out += R"(,"value":)";
  std::visit(ValueWriter{out}, value);
  out += '}';
}

std::string write_events(const std::vector<SpanEvent>& events) {
  std::string out = "[";
  for (const SpanEvent& event : events) {
    if (out.back() == '}') out += ',';
    JsonObjectWriter object(out);
    object.text("timeUnixNano", std::to_string(event.time));
    object.text("name", event.name);
    object.end();
  }
  return out + ']';
}

// The flags of the trace, that bit 9 says something, and whether the parent is elsewhere.
std::int64_t flags_of(const SpanRecord& span) {
  return (span.context.sampled ? 1 : 0) | 0x100 | (span.parent_is_remote ? 0x200 : 0);
}

void append_span(std::string& out, const SpanRecord& span) {
  JsonObjectWriter object(out);
  object.text("traceId", hex(span.context.trace));
  object.text("spanId", hex(span.context.span));
  object.text_if_any("traceState", span.context.state);
  if (span.parent != SpanId{}) object.text("parentSpanId", hex(span.parent));
  object.number("flags", flags_of(span));
  object.text("name", span.name);
  object.number("kind", static_cast<int>(span.kind));
  object.text("startTimeUnixNano", std::to_string(span.begin));
  object.text("endTimeUnixNano", std::to_string(span.end));
  object.json("attributes", "[");
  for (const Attribute& attribute : span.attributes)
    append_attribute(out, attribute.key, attribute.value);
  out += ']';
  if (!span.events.empty()) object.json("events", write_events(span.events));
  if (span.failed) object.json("status", fmt::format(R"({{"code":{}}})", kError));
  object.end();
}

// {"<outer>":[{"resource":…,"<inner>":[{"scope":…,"<items>":[
std::string open_envelope(std::string_view outer, std::string_view inner, std::string_view items,
                          std::string_view resource) {
  return fmt::format(
      R"({{"{}":[{{"resource":{},"{}":[{{"scope":{{"name":"toolgate","version":"{}"}},"{}":[)",
      outer, resource, inner, kVersion, items);
}

constexpr std::string_view kCloseEnvelope = "]}]}]}";

std::string_view label_of(const HistogramSeries& series, std::string_view name) {
  for (const auto& [label, value] : series.labels)
    if (label == name) return value;
  return {};
}

bool is_finish_reason(std::string_view outcome) {
  constexpr std::array<std::string_view, 5> kReasons{"stop", "length", "tool_calls",
                                                     "content_filter", "function_call"};
  return std::ranges::find(kReasons, outcome) != kReasons.end();
}

std::string point_attributes(const HistogramSeries& series) {
  std::string out = "[";
  const auto add = [&out](std::string_view key, std::string_view value) {
    append_attribute(out, key, std::string(value));
  };
  add("gen_ai.operation.name", "chat");
  add("gen_ai.provider.name", label_of(series, "provider"));
  add("gen_ai.request.model", label_of(series, "model"));
  if (const auto direction = label_of(series, "direction"); !direction.empty())
    add("gen_ai.token.type", direction);
  if (const auto outcome = label_of(series, "outcome"); !outcome.empty()) {
    add("toolgate.outcome", outcome);
    if (!is_finish_reason(outcome)) add("error.type", outcome);
  }
  return out + ']';
}

void append_point(std::string& out, const HistogramSeries& series, std::int64_t begin,
                  std::int64_t now) {
  std::string counts = "[";
  for (const std::uint64_t count : series.counts) {
    if (counts.size() > 1) counts += ',';
    append_quoted(counts, static_cast<std::int64_t>(count));
  }
  std::string bounds = "[";
  for (const double bound : series.bounds) {
    if (bounds.size() > 1) bounds += ',';
    append_real(bounds, bound);
  }
  std::string sum;
  append_real(sum, series.sum);
  JsonObjectWriter object(out);
  object.json("attributes", point_attributes(series));
  object.text("startTimeUnixNano", std::to_string(begin));
  object.text("timeUnixNano", std::to_string(now));
  object.text("count", std::to_string(series.count));
  object.json("sum", sum);
  object.json("bucketCounts", counts + ']');
  object.json("explicitBounds", bounds + ']');
  object.end();
}

struct ExportedHistogram {
  std::string_view ours;
  std::string_view name;
  std::string_view unit;
  std::string_view description;
};

constexpr std::array kExported{
    ExportedHistogram{"round_seconds", "gen_ai.client.operation.duration", "s",
                      "Time that an operation of a model took"},
    ExportedHistogram{"round_tokens", "gen_ai.client.token.usage", "{token}",
                      "Tokens that an operation of a model used"},
};

}  // namespace

std::string write_resource(const std::vector<std::pair<std::string, std::string>>& attributes) {
  std::string out = R"({"attributes":[)";
  for (const auto& [key, value] : attributes) append_attribute(out, key, value);
  return out + "]}";
}

std::string write_traces(std::span<const SpanRecord> spans, std::string_view resource) {
  constexpr std::size_t kUsualBytes = 1'500;
  std::string out = open_envelope("resourceSpans", "scopeSpans", "spans", resource);
  out.reserve(out.size() + spans.size() * kUsualBytes);
  for (const SpanRecord& span : spans) {
    if (out.back() == '}') out += ',';
    append_span(out, span);
  }
  return out.append(kCloseEnvelope);
}

std::string write_metrics(std::span<const HistogramSeries> series, std::string_view resource,
                          std::int64_t begin, std::int64_t now) {
  std::string out = open_envelope("resourceMetrics", "scopeMetrics", "metrics", resource);
  for (const ExportedHistogram& histogram : kExported) {
    std::string points = "[";
    for (const HistogramSeries& one : series) {
      if (one.name != histogram.ours) continue;
      if (points.size() > 1) points += ',';
      append_point(points, one, begin, now);
    }
    if (points.size() == 1) continue;
    if (out.back() == '}') out += ',';
    JsonObjectWriter object(out);
    object.text("name", histogram.name);
    object.text("description", histogram.description);
    object.text("unit", histogram.unit);
    object.json("histogram", fmt::format(R"({{"dataPoints":{}],"aggregationTemporality":{}}})",
                                         points, kCumulative));
    object.end();
  }
  return out.append(kCloseEnvelope);
}

PartialSuccess read_export_answer(std::string_view body) {
  PartialSuccess partial;
  const auto answer = parse_json(body);
  const json::value* said = answer ? find(*answer, "partialSuccess") : nullptr;
  if (!said || !said->is_object()) return partial;
  for (const auto* key : {"rejectedSpans", "rejectedDataPoints"}) {
    const json::value* count = find(*said, key);
    if (count && count->is_int64()) partial.rejected = count->get_int64();
    if (count && count->is_string())
      std::from_chars(count->get_string().begin(), count->get_string().end(), partial.rejected);
  }
  if (const json::value* message = find(*said, "errorMessage"); message && message->is_string())
    partial.message = message->get_string();
  return partial;
}

}  // namespace toolgate
