// toolgate.telemetry.* and OTEL_… variables, and where spans go by them.
#include "gateway/settings_telemetry.h"

#include <gtest/gtest.h>

#include "settings_fixture.h"

namespace toolgate {
namespace {

class TelemetrySettingsTest : public SettingsFilesTest {
 protected:
  std::shared_ptr<const OtlpTarget> target() {
    told_.clear();
    return make_otlp_target(
        loaded().telemetry,
        [this](const char* name) -> std::optional<std::string> {
          const auto found = environment_.find(name);
          if (found == environment_.end()) return std::nullopt;
          return found->second;
        },
        told_);
  }

  std::vector<std::string> told_;
};

TEST_F(TelemetrySettingsTest, WithoutAnEndpointNothingIsExported) {
  EXPECT_EQ(target(), nullptr);
  profile(R"({"toolgate.telemetry.sample": 0.5, "toolgate.telemetry.content": true})");
  EXPECT_EQ(target(), nullptr);
}

TEST_F(TelemetrySettingsTest, TheEndpointIsABaseAndTheRestIsAsItSays) {
  environment_["KEY"] = "Bearer x";
  profile(R"({"toolgate.telemetry": {"endpoint": "http://127.0.0.1:4318/otlp/",
    "headersEnv": {"Authorization": "KEY"}, "serviceName": "mine", "sample": 0.25, "content": true}})");
  const auto made = target();
  ASSERT_TRUE(made);
  EXPECT_EQ(made->traces->path, "/otlp/v1/traces");
  EXPECT_EQ(made->metrics->path, "/otlp/v1/metrics");
  ASSERT_EQ(made->headers.size(), 1u);
  EXPECT_EQ(made->headers[0].second, "Bearer x");
  EXPECT_TRUE(made->resource.contains(R"("service.name","value":{"stringValue":"mine"})"));
  EXPECT_EQ(made->sample, 0.25);
  EXPECT_TRUE(made->content);
  EXPECT_TRUE(told_.empty());
}

TEST_F(TelemetrySettingsTest, TheEnvironmentCountsWhereTheSettingIsAbsent) {
  environment_["OTEL_EXPORTER_OTLP_ENDPOINT"] = "http://a.example:4318";
  environment_["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"] = "http://b.example/as/it/is";
  environment_["OTEL_EXPORTER_OTLP_HEADERS"] = "x-key=a%20b, x-other=c";
  environment_["OTEL_SERVICE_NAME"] = "named";
  environment_["OTEL_RESOURCE_ATTRIBUTES"] = "service.name=no,deployment.environment.name=test";
  environment_["OTEL_BSP_SCHEDULE_DELAY"] = "100";
  const auto made = target();
  ASSERT_TRUE(made);
  EXPECT_EQ(made->traces->url, "http://b.example/as/it/is");
  EXPECT_EQ(made->metrics->url, "http://a.example:4318/v1/metrics");
  ASSERT_EQ(made->headers.size(), 2u);
  EXPECT_EQ(made->headers[0], std::pair(std::string("x-key"), std::string("a b")));
  EXPECT_TRUE(made->resource.contains(R"("stringValue":"named")"));
  EXPECT_TRUE(made->resource.contains("deployment.environment.name"));
  EXPECT_EQ(made->every.count(), 100);
  profile(R"({"toolgate.telemetry.endpoint": "http://c.example"})");
  EXPECT_EQ(target()->traces->url, "http://c.example/v1/traces");
  EXPECT_TRUE(target()->headers.empty());
}

TEST_F(TelemetrySettingsTest, TheEnvironmentCanSwitchItselfOff) {
  environment_["OTEL_EXPORTER_OTLP_ENDPOINT"] = "http://a.example:4318";
  environment_["OTEL_SDK_DISABLED"] = "TRUE";
  EXPECT_EQ(target(), nullptr);
  profile(R"({"toolgate.telemetry.endpoint": "http://c.example"})");
  EXPECT_TRUE(target());
}

TEST_F(TelemetrySettingsTest, AVariableThatCannotBeUsedIsTold) {
  environment_["OTEL_EXPORTER_OTLP_ENDPOINT"] = "unix:/x";
  EXPECT_EQ(target(), nullptr);
  EXPECT_EQ(told_.size(), 2u);
  environment_["OTEL_EXPORTER_OTLP_ENDPOINT"] = "http://a.example";
  environment_["OTEL_EXPORTER_OTLP_HEADERS"] = "a=b%0d%0ac: d,host=x,b=secret";
  environment_["OTEL_BSP_SCHEDULE_DELAY"] = "soon";
  const auto made = target();
  ASSERT_TRUE(made);
  EXPECT_EQ(made->headers.size(), 1u);
  EXPECT_EQ(told_.size(), 3u);
  for (const std::string& warning : told_) EXPECT_FALSE(warning.contains("secret")) << warning;
}

TEST_F(TelemetrySettingsTest, AHeaderWithoutItsVariableIsNotSent) {
  profile(
      R"({"toolgate.telemetry": {"endpoint": "http://c.example", "headersEnv": {"A": "GONE"}}})");
  EXPECT_TRUE(target()->headers.empty());
  ASSERT_EQ(told_.size(), 1u);
  EXPECT_TRUE(told_[0].contains("GONE"));
}

TEST_F(TelemetrySettingsTest, WhatIsWrongIsRefused) {
  for (const auto* wrong :
       {R"("endpoint": "localhost:4318")", R"("endpoint": 1)", R"("headersEnv": ["A"])",
        R"("headersEnv": {"A": "not a variable"})", R"("headersEnv": {"a b": "KEY"})",
        R"("headersEnv": {"Host": "KEY"})", R"("sample": 1.5)", R"("sample": "all")",
        R"("content": 1)", R"("serviceName": "")"})
    EXPECT_NE(error_of_profile(fmt::format(R"({{"toolgate.telemetry": {{{}}}}})", wrong)),
              "no error")
        << wrong;
}

}  // namespace
}  // namespace toolgate
