#include "schema/normalized_tools.h"

#include <string>

#include <gtest/gtest.h>

#include "schema/families.h"

namespace toolgate {
namespace {

std::string tool_with(std::string_view parameters, std::string_view name = "t") {
  return R"({"type":"function","function":{"name":")" + std::string(name) +
         R"(","description":"d","parameters":)" + std::string(parameters) + "}}";
}

std::string tool_number(int number) {
  return tool_with("{}", "t" + std::to_string(number));
}

TEST(NormalizedTools, SameTextAndFamilyComeFromTheCache) {
  NormalizedTools cache;
  const std::string text = tool_with(R"({"type":"object","properties":{"a":{"format":"x"}}})");
  const SchemaChanges gpt4 = Families().changes_for("gpt-4.1");
  const auto first = cache.get(text, gpt4).value();
  EXPECT_EQ(cache.get(text, gpt4).value(), first);
  EXPECT_EQ(cache.hits(), 1);
  const auto other = cache.get(text, Families().changes_for("gpt-5")).value();
  EXPECT_NE(other->text, first->text);
  EXPECT_EQ(cache.size(), 2);
  EXPECT_FALSE(cache.get("{", gpt4));
}

TEST(NormalizedTools, ForgetsTheOldestBeyondItsSize) {
  NormalizedTools cache(16384);
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(cache.get(tool_number(i), 0));
  EXPECT_LE(cache.bytes(), 16384);
  EXPECT_GT(cache.size(), 8);
  EXPECT_LT(cache.size(), 100);
  EXPECT_TRUE(cache.find(tool_number(99), 0));
  EXPECT_FALSE(cache.find(tool_number(0), 0));
}

TEST(NormalizedTools, AToolFoundAgainIsForgottenLater) {
  NormalizedTools cache(16384);
  ASSERT_TRUE(cache.get(tool_number(0), 0));
  for (int i = 1; i < 100; ++i) {
    ASSERT_TRUE(cache.get(tool_number(i), 0));
    ASSERT_TRUE(cache.find(tool_number(0), 0)) << i;
  }
}

TEST(NormalizedTools, ALargeToolIsNormalisedAndPushesNothingOut) {
  NormalizedTools cache(16384);
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(cache.get(tool_number(i), 0));
  const auto bytes = cache.bytes();
  const std::string large = tool_with("null", std::string(4000, 'n'));
  const auto tool = cache.get(large, 0);
  ASSERT_TRUE(tool);
  EXPECT_FALSE((*tool)->text.empty());
  EXPECT_FALSE(cache.find(large, 0));
  EXPECT_EQ(cache.size(), 5);
  EXPECT_EQ(cache.bytes(), bytes);
}

TEST(NormalizedTools, TheReportCountsAsMemory) {
  std::string properties;
  for (int i = 0; i < 200; ++i)
    properties += (i == 0 ? "\"p" : ",\"p") + std::to_string(i) + R"(":{"format":"x"})";
  const std::string text = tool_with(R"({"type":"object","properties":{)" + properties + "}}");
  NormalizedTools cache;
  const auto tool = cache.get(text, kDropKeywords).value();
  ASSERT_EQ(tool->fixes.size(), 200);
  EXPECT_GT(cache.bytes(), text.size() + tool->text.size() + 200 * (sizeof(SchemaFix) + 90));
}

TEST(NormalizedTools, WhatWasPutInIsFoundForItsTextAndChangesOnly) {
  NormalizedTools cache;
  const std::string text = tool_number(1);
  EXPECT_EQ(cache.find(text, 0), nullptr);
  const auto made =
      std::make_shared<const NormalizedTool>(normalize_tool(text, NormalizeOptions{}).value());
  cache.put(text, 0, made);
  const auto bytes = cache.bytes();
  cache.put(text, 0, made);  // two requests may have made it at the same time
  EXPECT_EQ(cache.size(), 1);
  EXPECT_EQ(cache.bytes(), bytes);
  EXPECT_EQ(cache.find(text, 0), made);
  EXPECT_EQ(cache.get(text, 0).value(), made);
  EXPECT_EQ(cache.find(text, kDropKeywords), nullptr);
  EXPECT_EQ(cache.find(text + " ", 0), nullptr);
}

}  // namespace
}  // namespace toolgate
