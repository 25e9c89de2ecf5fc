// A request's tools shaped through the cache.
#include "agent/shape_tools.h"

#include <gtest/gtest.h>

#include "schema/families.h"
#include "test_loop.h"

namespace toolgate {
namespace {

constexpr std::string_view kBody =
    R"({"model":"m","messages":[{"role":"user","content":"x"}],"tools":[)"
    R"({"type":"function","function":{"name":"kept","description":"d"}},)"
    R"({"type":"function","function":{"name":"bare"}}]})";

Result<void> shape(ChatRequest& request, std::string_view family, NormalizedTools& cache,
                   TurnReport& report) {
  TestLoop loop;
  const CancelSource never;
  return loop.run(
      [&] { return shape_tools(request, Families().changes_for(family), cache, report, never); });
}

std::string upstream_text(const ChatRequest& request) {
  std::string text;
  const UpstreamBody body = make_upstream_body(request, "m");
  for (const std::string_view slice : body.slices) text += slice;
  EXPECT_EQ(text.size(), body.size);
  return text;
}

TEST(ShapeTools, ReplacesOnlyWhatChanges) {
  NormalizedTools cache;
  for (int round = 0; round < 2; ++round) {
    auto request = parse_chat_request(kBody);
    ASSERT_TRUE(request);
    TurnReport report;
    ASSERT_TRUE(shape(*request, "gpt-5", cache, report));
    EXPECT_FALSE(request->tools[0].shaped);
    ASSERT_TRUE(request->tools[1].shaped);
    ASSERT_EQ(report.fixes.size(), 1u);
    EXPECT_EQ(report.fixes[0].tool, "bare");
    EXPECT_EQ(report.fixes[0].message, "schema description may not be empty");
    EXPECT_EQ(
        upstream_text(*request),
        R"({"model":"m","messages":[{"role":"user","content":"x"}],"tools":[)"
        R"({"type":"function","function":{"name":"kept","description":"d"}},)"
        R"({"type":"function","function":{"name":"bare","description":"No description provided"}}]})");
  }
  EXPECT_EQ(cache.misses(), 2u);
  EXPECT_EQ(cache.hits(), 2u);
}

TEST(ShapeTools, AShapedToolOutlivesTheCache) {
  auto request = parse_chat_request(kBody);
  ASSERT_TRUE(request);
  TurnReport report;
  {
    NormalizedTools cache;
    ASSERT_TRUE(shape(*request, "x", cache, report));
  }
  EXPECT_NE(upstream_text(*request).find("No description provided"), std::string::npos);
}

TEST(ShapeTools, ABadSchemaNamesToolPlaceAndReason) {
  auto request = parse_chat_request(
      R"({"messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":)"
      R"({"name":"culprit","parameters":{"type":"object","properties":{"a/b":{"type":"array"}}}}}]})");
  ASSERT_TRUE(request);
  NormalizedTools cache;
  TurnReport report;
  const auto shaped = shape(*request, "x", cache, report);
  ASSERT_FALSE(shaped);
  EXPECT_EQ(shaped.error().where, "tools[0].function.parameters.properties.a/b");
  EXPECT_NE(shaped.error().message.find("culprit"), std::string::npos);
  EXPECT_NE(shaped.error().message.find("items"), std::string::npos);
}

TEST(ShapeTools, ALongToolIsShapedBesideTheLoopAndKept) {
  std::string properties;
  for (int i = 0; i < 1000; ++i)
    properties += fmt::format(R"({}"p{}":{{"type":"string","minLength":1}})", i ? "," : "", i);
  const std::string body =
      R"({"messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":)"
      R"({"name":"long","description":"d","parameters":{"type":"object","properties":{)" +
      properties + "}}}}]}";
  NormalizedTools cache;
  for (int round = 0; round < 2; ++round) {
    auto request = parse_chat_request(body);
    ASSERT_TRUE(request);
    ASSERT_GT(request->tools[0].raw.size(), std::size_t{32} << 10);
    TurnReport report;
    ASSERT_TRUE(shape(*request, "gpt-4", cache, report));
    ASSERT_TRUE(request->tools[0].shaped);
    EXPECT_EQ(request->tools[0].shaped->find("minLength"), std::string::npos);
    EXPECT_FALSE(report.fixes.empty());
  }
  EXPECT_EQ(cache.misses(), 1u);
  EXPECT_EQ(cache.hits(), 1u);
}

TEST(ShapeTools, ABrokenEscapeInAToolIsNamedWithTheTool) {
  auto request = parse_chat_request(
      R"({"messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":)"
      R"({"name":"f","description":"\q"}}]})");
  ASSERT_TRUE(request);
  NormalizedTools cache;
  TurnReport report;
  const auto shaped = shape(*request, "x", cache, report);
  ASSERT_FALSE(shaped);
  EXPECT_EQ(shaped.error().where, "tools[0]");
}

}  // namespace
}  // namespace toolgate
