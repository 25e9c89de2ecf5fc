// Spans and histograms as OTLP/JSON: protobuf's names, ids in hexadecimal, long integers as
// strings.
#include "wire/otlp.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace toolgate {
namespace {

json::value parsed(const std::string& text) {
  auto value = parse_json(text);
  EXPECT_TRUE(value) << text;
  return value ? std::move(*value) : json::value();
}

SpanRecord usual_span() {
  SpanRecord span;
  span.context = *parse_trace_parent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
  span.kind = SpanKind::Client;
  span.name = "chat m";
  span.begin = 1'700'000'000'123'456'789;
  span.end = 1'700'000'000'223'456'789;
  return span;
}

std::string written(const SpanRecord& span) {
  const auto body = parsed(write_traces({&span, 1}, "{}"));
  return write_json(body.at("resourceSpans").at(0).at("scopeSpans").at(0).at("spans").at(0));
}

TEST(Otlp, ABatchNamesItsResourceAndScope) {
  const std::vector<SpanRecord> spans{usual_span(), usual_span()};
  const auto body = parsed(write_traces(spans, write_resource({{"service.name", "a \"b\""}})));
  const auto& resource = body.at("resourceSpans").at(0);
  EXPECT_EQ(write_json(resource.at("resource")),
            R"({"attributes":[{"key":"service.name","value":{"stringValue":"a \"b\""}}]})");
  EXPECT_EQ(resource.at("scopeSpans").at(0).at("scope").at("name").as_string(), "toolgate");
  EXPECT_EQ(resource.at("scopeSpans").at(0).at("spans").as_array().size(), 2u);
}

TEST(Otlp, ASpanHasItsIdsTimesAndKind) {
  EXPECT_EQ(written(usual_span()),
            R"({"traceId":"4bf92f3577b34da6a3ce929d0e0e4736","spanId":"00f067aa0ba902b7",)"
            R"("flags":257,"name":"chat m","kind":3,"startTimeUnixNano":"1700000000123456789",)"
            R"("endTimeUnixNano":"1700000000223456789","attributes":[]})");
}

TEST(Otlp, AttributesHaveTheTypesOfTheirValues) {
  SpanRecord span = usual_span();
  span.attributes = {{"s", std::string("x\n")},
                     {"i", std::int64_t{9'007'199'254'740'993}},
                     {"d", 0.7},
                     {"b", true},
                     {"l", std::vector<std::string>{"stop", "length"}}};
  EXPECT_EQ(
      write_json(parsed(written(span)).at("attributes")),
      R"([{"key":"s","value":{"stringValue":"x\n"}},)"
      R"({"key":"i","value":{"intValue":"9007199254740993"}},)"
      R"({"key":"d","value":{"doubleValue":0.7}},{"key":"b","value":{"boolValue":true}},)"
      R"({"key":"l","value":{"arrayValue":{"values":[{"stringValue":"stop"},{"stringValue":"length"}]}}}])");
}

TEST(Otlp, ParentStateEventsAndFailureAreToldWhereThereAreAny) {
  SpanRecord span = usual_span();
  span.parent = {0, 1, 2, 3, 4, 5, 6, 0xff};
  span.parent_is_remote = true;
  span.context.state = "a=1";
  span.events = {{"first", 5}, {"second", 6}};
  span.failed = true;
  const auto body = parsed(written(span));
  EXPECT_EQ(body.at("parentSpanId").as_string(), "00010203040506ff");
  EXPECT_EQ(body.at("traceState").as_string(), "a=1");
  EXPECT_EQ(body.at("flags").as_int64(), 0x301);
  EXPECT_EQ(write_json(body.at("events")),
            R"([{"timeUnixNano":"5","name":"first"},{"timeUnixNano":"6","name":"second"}])");
  EXPECT_EQ(write_json(body.at("status")), R"({"code":2})");
}

TEST(Otlp, RoundsAreTheHistogramsOfTheConventions) {
  Metrics metrics;
  metrics.round_done(
      {.model = "m", .provider = "openai", .outcome = "stop", .seconds = 0.015, .input_tokens = 9});
  metrics.round_done({.model = "m", .provider = "openai", .outcome = "429", .seconds = 100});
  const auto body = parsed(write_metrics(metrics.round_histograms(), "{}", 1, 2));
  const auto& list = body.at("resourceMetrics").at(0).at("scopeMetrics").at(0).at("metrics");
  ASSERT_EQ(list.as_array().size(), 2u);
  const auto& duration = list.at(0);
  EXPECT_EQ(duration.at("name").as_string(), "gen_ai.client.operation.duration");
  EXPECT_EQ(duration.at("unit").as_string(), "s");
  EXPECT_EQ(duration.at("histogram").at("aggregationTemporality").as_int64(), 2);
  ASSERT_EQ(duration.at("histogram").at("dataPoints").as_array().size(), 2u);
  for (const auto& point : duration.at("histogram").at("dataPoints").as_array()) {
    const std::string text = write_json(point);
    const bool failed = text.contains(R"("error.type")");
    EXPECT_EQ(point.at("count").as_string(), "1");
    EXPECT_EQ(point.at("startTimeUnixNano").as_string(), "1");
    EXPECT_EQ(point.at("timeUnixNano").as_string(), "2");
    EXPECT_EQ(point.at("explicitBounds").as_array().size(), 14u);
    ASSERT_EQ(point.at("bucketCounts").as_array().size(), 15u);
    EXPECT_EQ(point.at("bucketCounts").at(failed ? 14 : 1).as_string(), "1") << text;
    EXPECT_TRUE(text.contains(R"({"key":"gen_ai.request.model","value":{"stringValue":"m"}})"));
  }
  const auto& usage = list.at(1);
  EXPECT_EQ(usage.at("name").as_string(), "gen_ai.client.token.usage");
  const auto& point = usage.at("histogram").at("dataPoints").at(0);
  EXPECT_EQ(point.at("sum").as_double(), 9);
  EXPECT_TRUE(
      write_json(point).contains(R"({"key":"gen_ai.token.type","value":{"stringValue":"input"}})"));
}

TEST(Otlp, AnAnswerSaysWhatWasNotTaken) {
  EXPECT_EQ(read_export_answer("{}").rejected, 0);
  EXPECT_EQ(read_export_answer("").rejected, 0);
  EXPECT_EQ(read_export_answer("<html>").rejected, 0);
  const auto partial =
      read_export_answer(R"({"partialSuccess":{"rejectedSpans":"3","errorMessage":"too old"}})");
  EXPECT_EQ(partial.rejected, 3);
  EXPECT_EQ(partial.message, "too old");
  EXPECT_EQ(read_export_answer(R"({"partialSuccess":{"rejectedSpans":4}})").rejected, 4);
}

}  // namespace
}  // namespace toolgate
