// What /metrics shows.
#include "base/metrics.h"

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/core.h>
#include <gtest/gtest.h>

namespace toolgate {
namespace {

bool has_line(const Metrics& metrics, std::string_view line) {
  std::istringstream text(metrics.text());
  for (std::string read; std::getline(text, read);)
    if (read == line) return true;
  return false;
}

TEST(Metrics, CountsRequestsByRouteAndStatus) {
  Metrics metrics;
  metrics.request_done("/v1/models", 200, 0.003, 10, 100);
  metrics.request_done("/v1/models", 200, 0.2, 5, 50);
  metrics.request_done("/v1/models", 401, 0.001, 0, 1);
  metrics.request_done("none", 404, 0.001, 0, 0);
  EXPECT_TRUE(has_line(metrics, R"(toolgate_requests_total{route="/v1/models",status="200"} 2)"))
      << metrics.text();
  EXPECT_TRUE(has_line(metrics, R"(toolgate_requests_total{route="/v1/models",status="401"} 1)"));
  EXPECT_TRUE(has_line(metrics, R"(toolgate_requests_total{route="none",status="404"} 1)"));
  EXPECT_TRUE(has_line(metrics, R"(toolgate_bytes_total{direction="in"} 15)"));
  EXPECT_TRUE(has_line(metrics, R"(toolgate_bytes_total{direction="out"} 151)"));
}

TEST(Metrics, TimesFallIntoBuckets) {
  Metrics metrics;
  metrics.request_done("/r", 200, 0.003, 0, 0);
  metrics.request_done("/r", 200, 0.2, 0, 0);
  metrics.request_done("/r", 500, 1000, 0, 0);
  const auto bucket = [&](std::string_view bound, int count) {
    return has_line(metrics, "toolgate_request_seconds_bucket{route=\"/r\",le=\"" +
                                 std::string(bound) + "\"} " + std::to_string(count));
  };
  EXPECT_TRUE(bucket("0.005", 1)) << metrics.text();
  EXPECT_TRUE(bucket("0.1", 1));
  EXPECT_TRUE(bucket("0.25", 2));
  EXPECT_TRUE(bucket("300", 2));
  EXPECT_TRUE(bucket("+Inf", 3));
  EXPECT_TRUE(has_line(metrics, R"(toolgate_request_seconds_count{route="/r"} 3)"));
}

TEST(Metrics, CountsUpstreamAnswersByModel) {
  Metrics metrics;
  metrics.upstream_answered("gpt", 200, 0.5);
  metrics.upstream_answered("gpt", 0, 0.5);
  EXPECT_TRUE(has_line(metrics, R"(toolgate_upstream_answers_total{model="gpt",status="200"} 1)"))
      << metrics.text();
  EXPECT_TRUE(has_line(metrics, R"(toolgate_upstream_answers_total{model="gpt",status="0"} 1)"));
  EXPECT_TRUE(has_line(metrics, R"(toolgate_upstream_seconds_count{model="gpt"} 2)"));
}

TEST(Metrics, CountsRoundsAndTheTokensThatAreKnown) {
  Metrics metrics;
  RoundNumbers round{.model = "gpt", .provider = "openai", .outcome = "stop", .seconds = 0.5};
  metrics.round_done(round);
  round.input_tokens = 20;
  round.output_tokens = 3;
  metrics.round_done(round);
  metrics.round_done({.model = "gpt", .provider = "openai", .outcome = "429", .seconds = 1});
  const auto has = [&](std::string_view line) { return has_line(metrics, line); };
  EXPECT_TRUE(
      has(R"(toolgate_round_seconds_count{model="gpt",outcome="stop",provider="openai"} 2)"))
      << metrics.text();
  EXPECT_TRUE(
      has(R"(toolgate_round_seconds_count{model="gpt",outcome="429",provider="openai"} 1)"));
  EXPECT_TRUE(
      has(R"(toolgate_round_tokens_sum{direction="input",model="gpt",provider="openai"} 20)"));
  EXPECT_TRUE(
      has(R"(toolgate_round_tokens_count{direction="output",model="gpt",provider="openai"} 1)"));
}

TEST(Metrics, OnlyTheFirstToolsHaveSeriesOfTheirOwn) {
  Metrics metrics;
  for (int i = 0; i < 3'000; ++i) metrics.call_done(fmt::format("tool_{}", i), "result", 0.1);
  metrics.call_done("tool_5", "denied", 0.1);
  const auto has = [&](std::string_view line) { return has_line(metrics, line); };
  EXPECT_TRUE(has(R"(toolgate_tool_calls_total{outcome="result",tool="tool_5"} 1)"));
  EXPECT_TRUE(has(R"(toolgate_tool_calls_total{outcome="denied",tool="tool_5"} 1)"));
  EXPECT_TRUE(has(R"(toolgate_tool_seconds_count{tool="tool_5"} 2)"));
  EXPECT_TRUE(has(R"(toolgate_tool_calls_total{outcome="result",tool="other"} 2000)"));
  EXPECT_FALSE(metrics.text().contains("tool_2999"));
}

TEST(Metrics, CountsErrorsStreamsAndReloads) {
  Metrics metrics;
  EXPECT_TRUE(has_line(metrics, "toolgate_open_streams 0")) << metrics.text();
  metrics.error("model_not_found");
  metrics.error("model_not_found");
  metrics.stream_opened();
  metrics.stream_opened();
  metrics.stream_closed();
  metrics.settings_reloaded(true);
  metrics.settings_reloaded(false);
  EXPECT_TRUE(has_line(metrics, R"(toolgate_errors_total{code="model_not_found"} 2)"));
  EXPECT_TRUE(has_line(metrics, "toolgate_open_streams 1"));
  EXPECT_TRUE(has_line(metrics, "toolgate_streams_total 2"));
  EXPECT_TRUE(has_line(metrics, R"(toolgate_settings_reloads_total{accepted="true"} 1)"));
  EXPECT_TRUE(has_line(metrics, R"(toolgate_settings_reloads_total{accepted="false"} 1)"));
}

TEST(Metrics, EverySeriesHasHelpAndType) {
  Metrics metrics;
  metrics.request_done("/r", 200, 0.1, 1, 1);
  metrics.upstream_answered("m", 200, 0.1);
  metrics.error("e");
  metrics.settings_reloaded(true);
  const std::string text = metrics.text();
  for (const std::string_view name :
       {"toolgate_requests_total", "toolgate_request_seconds", "toolgate_upstream_answers_total",
        "toolgate_upstream_seconds", "toolgate_errors_total", "toolgate_bytes_total",
        "toolgate_open_streams", "toolgate_streams_total", "toolgate_settings_reloads_total"}) {
    EXPECT_NE(text.find("# HELP " + std::string(name) + " "), text.npos) << name;
    EXPECT_NE(text.find("# TYPE " + std::string(name) + " "), text.npos) << name;
  }
}

// A model may have any name; it must not forge lines of its own.
TEST(Metrics, OddCharactersOfLabelsAreEscaped) {
  Metrics metrics;
  metrics.upstream_answered("a\"b\\c\nd{},= \xc3\xa4", 200, 0.1);
  EXPECT_TRUE(has_line(
      metrics,
      "toolgate_upstream_answers_total{model=\"a\\\"b\\\\c\\nd{},= \xc3\xa4\",status=\"200\"} 1"))
      << metrics.text();
  std::istringstream text(metrics.text());
  for (std::string line; std::getline(text, line);)
    EXPECT_TRUE(line.starts_with("# ") || line.starts_with("toolgate_")) << line;
}

TEST(Metrics, TwoSetsAreCountedApart) {
  Metrics first;
  Metrics second;
  first.request_done("/r", 200, 0.1, 0, 0);
  second.request_done("/r", 200, 0.1, 0, 0);
  second.request_done("/r", 200, 0.1, 0, 0);
  EXPECT_TRUE(has_line(first, R"(toolgate_requests_total{route="/r",status="200"} 1)"));
  EXPECT_TRUE(has_line(second, R"(toolgate_requests_total{route="/r",status="200"} 2)"));
}

// Series are remembered per thread; a set made where another has been must not find its series.
TEST(Metrics, ASetAfterAnotherBeginsAtZero) {
  for (int i = 0; i < 50; ++i) {
    Metrics metrics;
    metrics.request_done("/r", 200, 0.1, 0, 0);
    metrics.upstream_answered("m", 200, 0.1);
    ASSERT_TRUE(has_line(metrics, R"(toolgate_requests_total{route="/r",status="200"} 1)")) << i;
    ASSERT_TRUE(has_line(metrics, R"(toolgate_upstream_seconds_count{model="m"} 1)")) << i;
  }
}

TEST(Metrics, ThreadsCountTogether) {
  Metrics metrics;
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread)
      threads.emplace_back([&metrics] {
        for (int i = 0; i < 1000; ++i) {
          metrics.request_done("/r", 200 + i % 2, 0.1, 1, 1);
          metrics.error("e");
        }
      });
  }
  EXPECT_TRUE(has_line(metrics, R"(toolgate_requests_total{route="/r",status="200"} 2000)"))
      << metrics.text();
  EXPECT_TRUE(has_line(metrics, R"(toolgate_requests_total{route="/r",status="201"} 2000)"));
  EXPECT_TRUE(has_line(metrics, R"(toolgate_errors_total{code="e"} 4000)"));
}

}  // namespace
}  // namespace toolgate
