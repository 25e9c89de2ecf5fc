#include "schema/normalize.h"

#include <string>

#include <gtest/gtest.h>

#include "schema/families.h"
#include "schema/normalized_tools.h"

namespace toolgate {
namespace {

std::string tool_with(std::string_view parameters, std::string_view name = "t") {
  return R"({"type":"function","function":{"name":")" + std::string(name) +
         R"(","description":"d","parameters":)" + std::string(parameters) + "}}";
}

NormalizeOptions options_for(std::string_view family) {
  return {.changes = Families().changes_for(family)};
}

NormalizedTool normalized(std::string_view parameters, std::string_view family) {
  return normalize_tool(tool_with(parameters), options_for(family)).value();
}

NormalizedList normalized_list(std::string_view text, BadTools bad_tools) {
  JsonTree tree;
  return normalize_tools(tree.parse(text).value(), options_for("gpt-4.1"), bad_tools).value();
}

TEST(Families, EveryMatchingRowCounts) {
  const Families families;
  EXPECT_EQ(families.changes_for("gpt-5"), kDropRootCombinators | kDropUnknownRequired);
  EXPECT_TRUE(families.changes_for("gpt-4o") & kDropKeywords);
  EXPECT_FALSE(families.changes_for("GPT-4o") & kDropKeywords);
  EXPECT_FALSE(families.changes_for("openai/gpt-4o") & kDropKeywords);
  EXPECT_TRUE(families.changes_for("o4-mini") & kTuplesToAnyOf);
  EXPECT_FALSE(families.changes_for("claude") & kTuplesToAnyOf);
  const SchemaChanges both = families.changes_for("gpt-4-GEMINI");
  EXPECT_TRUE((both & kNullableFlag) != 0 && (both & kDropKeywords) != 0);
}

TEST(Families, AddedRowsExtendAndTakeBack) {
  const Families families({
      {FamilyRule::Match::Prefix, "openai/gpt-4", kDropKeywords | kCutDescriptions, 0},
      {FamilyRule::Match::ContainsIgnoringCase, "local", 0, kDropRootCombinators},
  });
  EXPECT_TRUE(families.changes_for("openai/gpt-4o") & kDropKeywords);
  EXPECT_FALSE(families.changes_for("my-LOCAL-model") & kDropRootCombinators);
  EXPECT_TRUE(families.changes_for("gpt-5") & kDropRootCombinators);
}

TEST(Families, ChangesHaveNamesForSettings) {
  EXPECT_EQ(schema_change_named("tuplesToAnyOf"), kTuplesToAnyOf);
  EXPECT_FALSE(schema_change_named("tuplestoanyof"));
  EXPECT_NE(schema_change_names().find("nullableFlag"), std::string::npos);
}

TEST(Normalize, UnchangedToolKeepsItsOwnText) {
  const std::string text =
      R"({"type":"function", "function":{"name":"t","description":"d",)"
      R"("parameters":{"type":"object","properties":{"n":{"maximum":1.50}}}}})";
  EXPECT_EQ(normalize_tool(text, options_for("gpt-5"))->text, text);
}

TEST(Normalize, NumbersKeepTheirTextWhenSomethingElseChanges) {
  const auto tool = normalized(
      R"({"type":"object","properties":{"n":{"type":"number","exclusiveMaximum":1.50,"format":"x"}}})",
      "gpt-4.1");
  EXPECT_EQ(tool.text, tool_with(R"({"type":"object","properties":{"n":{"type":"number",)"
                                 R"("exclusiveMaximum":1.50}}})"));
}

TEST(Normalize, FixesTellThePlace) {
  const auto tool = normalized(
      R"({"type":"object","properties":{"a/b":{"anyOf":[{"type":"string"},{"minLength":1}]}}})",
      "gpt-4.1");
  ASSERT_EQ(tool.fixes.size(), 1);
  EXPECT_EQ(tool.fixes[0].path, "/function/parameters/properties/a~1b/anyOf/1/minLength");
  EXPECT_EQ(tool.fixes[0].rule, NormalizeRule::Keywords);
}

TEST(Normalize, CallersTreeStaysAsItWas) {
  JsonTree tree;
  const std::string text = tool_with(R"({"type":"object","properties":{"a":{"minLength":"5"}}})");
  JsonNode* tool = tree.parse(text).value();
  EXPECT_FALSE(normalize_tool(*tool, options_for("gpt-4.1")).fixes.empty());
  NormalizedTool report;
  EXPECT_NE(normalize_tool(tree, *tool, options_for("gpt-4.1"), report), nullptr);
  EXPECT_EQ(write_json(*tool), text);
}

TEST(Normalize, SilentCoercionsAreListedApart) {
  const auto tool = normalized(
      R"({"type":"object","properties":{"a":{"description":42,"minLength":"5"}}})", "gpt-5");
  EXPECT_TRUE(tool.fixes.empty());
  ASSERT_EQ(tool.coerced.size(), 2);
  EXPECT_EQ(tool.coerced[0].path, "/function/parameters/properties/a/description");
  EXPECT_EQ(tool.text, tool_with(R"({"type":"object","properties":{"a":{"description":"42",)"
                                 R"("minLength":5}}})"));
}

TEST(Normalize, InheritedNamesAreNoProperties) {
  const std::string schema = R"({"type":"object","properties":{},"required":["toString"]})";
  const auto tool = normalized(schema, "gpt-5");
  ASSERT_EQ(tool.fixes.size(), 1);
  EXPECT_EQ(tool.fixes[0].message, "object has required property 'toString' that is not defined");
  const auto classic =
      normalize_tool(tool_with(schema), {.changes = kDropUnknownRequired, .classic = true});
  EXPECT_TRUE(classic->fixes.empty());
}

TEST(Normalize, CutNeverSplitsACharacter) {
  const std::string emoji = "\xF0\x9F\x98\x80";
  const std::string long_text = "x" + [&] {
    std::string all;
    for (int i = 0; i < 512; ++i) all += emoji;
    return all;
  }();
  const auto tool = normalized(
      R"({"type":"object","properties":{"a":{"description":")" + long_text + "\"}}}", "gpt-4.1");
  ASSERT_EQ(tool.fixes.size(), 1);
  const std::string kept = long_text.substr(0, 1 + 511 * emoji.size());
  EXPECT_NE(tool.text.find('"' + kept + '"'), std::string::npos);
}

TEST(Normalize, FaultsSayWhereAndHowToMend) {
  const auto array =
      normalized(R"({"type":"object","properties":{"list":{"type":"array"}}})", "gpt-4.1");
  ASSERT_TRUE(array.fault);
  EXPECT_TRUE(array.text.empty());
  EXPECT_EQ(array.fault->rule, NormalizeRule::ArrayItems);
  EXPECT_EQ(array.fault->path, "/function/parameters/properties/list");
  EXPECT_NE(array.fault->advice.find("items"), std::string::npos);

  const auto type = normalized(R"({"type":"object","properties":{"a":{"type":"text"}}})", "o3");
  ASSERT_TRUE(type.fault);
  EXPECT_EQ(type.fault->path, "/function/parameters/properties/a/type");
  EXPECT_NE(type.fault->reason.find("array, boolean, integer"), std::string::npos);
}

TEST(Normalize, ToolsOfOtherKindsPass) {
  const std::string text = R"({"type":"web_search","depth":"high"})";
  EXPECT_EQ(normalize_tool(text, options_for("gpt-4.1"))->text, text);
  EXPECT_TRUE(normalize_tool(R"({"type":"function"})", options_for("gpt-4.1"))->fault);
  EXPECT_TRUE(normalize_tool("[]", options_for("gpt-4.1"))->fault);
  EXPECT_FALSE(normalize_tool("{", options_for("gpt-4.1")));
}

TEST(NormalizeList, QuarantineLeavesTheBadToolOut) {
  const std::string bad =
      tool_with(R"({"type":"object","properties":{"x":{"type":"array"}}})", "b");
  const std::string good = tool_with(R"({"type":"object","properties":{}})", "g");
  const std::string list = "[" + good + "," + bad + "," + good + "]";
  const auto quarantined = normalized_list(list, BadTools::Quarantine);
  EXPECT_TRUE(quarantined.error.empty());
  EXPECT_EQ(quarantined.tools.size(), 3);
  EXPECT_EQ(quarantined.text(), "[" + good + "," + good + "]");
  EXPECT_EQ(quarantined.tools[1]->name, "b");

  const auto rejected = normalized_list(list, BadTools::Reject);
  EXPECT_EQ(rejected.error,
            "Failed to validate tool b: Error: tool parameters array type must have items. Please "
            "open an issue for the MCP server or extension which provides this tool");
  EXPECT_EQ(rejected.tools.size(), 2);
}

TEST(NormalizeList, AbsentAndEmptyListsGiveNone) {
  EXPECT_TRUE(normalize_tools(nullptr, {})->absent);
  EXPECT_TRUE(normalized_list("[]", BadTools::Quarantine).absent);
  JsonTree tree;
  EXPECT_FALSE(normalize_tools(tree.parse("{}").value(), {}));
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
  const auto named = [](int i) { return tool_with("{}", "t" + std::to_string(i)); };
  NormalizedTools cache(4096);
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(cache.get(named(i), 0));
  EXPECT_LE(cache.bytes(), 4096);
  EXPECT_GT(cache.size(), 0);
  EXPECT_LT(cache.size(), 100);
  const auto misses = cache.misses();
  ASSERT_TRUE(cache.get(named(99), 0));
  EXPECT_EQ(cache.misses(), misses);
  ASSERT_TRUE(cache.get(named(0), 0));
  EXPECT_EQ(cache.misses(), misses + 1);
}

TEST(NormalizedTools, AToolLargerThanTheCacheIsStillNormalised) {
  NormalizedTools cache(10);
  const auto tool = cache.get(tool_with("null"), 0);
  ASSERT_TRUE(tool);
  EXPECT_FALSE((*tool)->text.empty());
  EXPECT_EQ(cache.size(), 0);
  EXPECT_EQ(cache.bytes(), 0);
}

}  // namespace
}  // namespace toolgate
