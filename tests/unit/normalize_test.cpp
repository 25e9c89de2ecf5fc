#include "schema/normalize.h"

#include <string>

#include <gtest/gtest.h>

#include "base/utf8.h"
#include "schema/families.h"

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

TEST(Normalize, FixesBelowATupleTellWhereItsItemsWent) {
  const auto tool = normalize_tool(
      tool_with(R"({"type":"object","properties":{"t":{"type":"array","items":[{"type":"string"},)"
                R"({"type":"array","items":[{"type":["string","null"]}]}]},)"
                R"("u":{"items":[{"type":["string","null"]}]}}})"),
      {.changes = kTuplesToAnyOf | kNullableFlag});
  const std::string root = "/function/parameters/properties/";
  ASSERT_EQ(tool->fixes.size(), 4);
  EXPECT_EQ(tool->fixes[0].path, root + "t/items");
  EXPECT_EQ(tool->fixes[1].path, root + "t/items/anyOf/1/items");
  EXPECT_EQ(tool->fixes[2].path, root + "t/items/anyOf/1/items/anyOf/0/type");
  EXPECT_EQ(tool->fixes[3].path, root + "u/items/0/type");
}

TEST(Normalize, SeveralKeywordsGoFromAnyPlace) {
  const auto tool = normalized(
      R"({"type":"object","properties":{"a":{"format":"x","title":"t","minLength":1,"maxLength":2},)"
      R"("b":{"pattern":"x","default":1},"c":{"type":"string","pattern":"x"}}})",
      "gpt-4.1");
  EXPECT_EQ(tool.text, tool_with(R"({"type":"object","properties":{"a":{"title":"t"},"b":{},)"
                                 R"("c":{"type":"string"}}})"));
  EXPECT_EQ(tool.fixes.size(), 6);
}

TEST(Normalize, OnlyNumbersThatAreZeroCountAsNoDescription) {
  const auto fixes_with = [](std::string_view description) {
    return normalize_tool(R"({"type":"function","function":{"name":"t","description":)" +
                              std::string(description) + "}}",
                          options_for("gpt-5"))
        ->fixes.size();
  };
  for (const std::string_view zero : {"0", "-0.0", "0e5", "1e-999"})
    EXPECT_EQ(fixes_with(zero), 1) << zero;
  for (const std::string_view number : {"0.5", "-1", "1e-9", "1e999"})
    EXPECT_EQ(fixes_with(number), 0) << number;
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

// A tool as a stranger could send it: `count` schemas with `body` below a very long name.
std::string wide_schema(std::size_t name_bytes, int count, std::string_view body) {
  std::string inner;
  for (int i = 0; i < count; ++i)
    inner += (i == 0 ? "\"p" : ",\"p") + std::to_string(i) + "\":" + std::string(body);
  return R"({"type":"object","properties":{")" + std::string(name_bytes, 'k') +
         R"(":{"type":"object","properties":{)" + inner + "}}}}";
}

TEST(NormalizeBounds, FixesBeyondTheLimitAreMadeButOnlyCounted) {
  const auto tool = normalized(wide_schema(3, 5000, R"({"format":"x"})"), "gpt-4.1");
  EXPECT_LE(tool.fixes.size(), 1000);
  EXPECT_GT(tool.fixes.size(), 500);
  EXPECT_EQ(tool.fixes.size() + tool.fixes_left_out, 5000);
  EXPECT_EQ(tool.text.find("format"), std::string::npos);
  EXPECT_EQ(tool.fixes[1].path, "/function/parameters/properties/kkk/properties/p1/format");
}

TEST(NormalizeBounds, LongNamesAreShortenedInPaths) {
  const auto tool = normalized(wide_schema(100'000, 3000, R"({"format":"x"})"), "gpt-4.1");
  ASSERT_FALSE(tool.fixes.empty());
  EXPECT_LT(tool.fixes[0].path.size(), 300);
  EXPECT_TRUE(tool.fixes[0].path.starts_with("/function/parameters/properties/kkkk"));
  EXPECT_TRUE(tool.fixes[0].path.ends_with("kkkk/properties/p0/format"));
  EXPECT_NE(tool.fixes[0].path.find("…"), std::string::npos);
  EXPECT_LT(tool.report_bytes(), 512 << 10);
  EXPECT_EQ(tool.fixes.size() + tool.fixes_left_out, 3000);
}

TEST(NormalizeBounds, ShorteningSplitsNoCharacterAndNoEscape) {
  for (std::size_t shift = 0; shift < 8; ++shift) {
    std::string name(shift, 'x');
    for (int i = 0; i < 200; ++i) name += "\xF0\x9F\x98\x80~/";
    const auto tool =
        normalized(R"({"type":"object","properties":{")" + name + R"(":{"format":"x"}}})", "gpt-4");
    ASSERT_EQ(tool.fixes.size(), 1);
    const std::string& path = tool.fixes[0].path;
    EXPECT_TRUE(is_valid_utf8(path)) << path;
    for (std::size_t at = path.find('~'); at != path.npos; at = path.find('~', at + 1))
      EXPECT_TRUE(path[at + 1] == '0' || path[at + 1] == '1') << path;
    EXPECT_TRUE(path.ends_with("~0~1/format")) << path;
  }
}

TEST(NormalizeBounds, LongRequiredNamesAreShortenedInMessages) {
  const auto tool = normalized(R"({"type":"object","properties":{},"required":[")" +
                                   std::string(50'000, 'r') + R"(","short"]})",
                               "gpt-5");
  ASSERT_EQ(tool.fixes.size(), 2);
  EXPECT_LT(tool.fixes[0].message.size(), 300);
  EXPECT_EQ(tool.fixes[1].message, "object has required property 'short' that is not defined");
}

TEST(NormalizeBounds, ManyRequiredNamesAreReportedInTheirOrder) {
  std::string properties;
  std::string required;
  for (int i = 0; i < 100; ++i) {
    const std::string number = std::to_string(i);
    if (i % 2 == 0) properties += (i == 0 ? "\"p" : ",\"p") + number + "\":{}";
    required = "\"p" + number + (i == 0 ? "\"" : "\",") + required;
  }
  const auto tool = normalized(
      R"({"type":"object","properties":{)" + properties + R"(},"required":[)" + required + "]}",
      "gpt-5");
  ASSERT_EQ(tool.fixes.size(), 50);
  EXPECT_EQ(tool.fixes[0].message, "object has required property 'p99' that is not defined");
  EXPECT_EQ(tool.fixes[49].message, "object has required property 'p1' that is not defined");
  EXPECT_NE(tool.text.find(R"("required":["p98","p96",)"), std::string::npos);
}

TEST(NormalizeBounds, CoercedValuesAreBoundedToo) {
  const auto tool = normalized(wide_schema(50'000, 1500, R"({"title":7})"), "gpt-5");
  EXPECT_LE(tool.coerced.size(), 1000);
  EXPECT_EQ(tool.coerced.size() + tool.coerced_left_out, 1500);
  EXPECT_LT(tool.report_bytes(), 512 << 10);
  EXPECT_EQ(tool.text.find(R"("title":7)"), std::string::npos);
  EXPECT_TRUE(tool.changed());
}

TEST(NormalizeBounds, ToldNothingAChangedToolStillGivesItsNewText) {
  const std::string text = tool_with(R"({"type":"object","properties":{"a":{"format":"x"}}})");
  const auto tool = normalize_tool(text, {.changes = kDropKeywords, .max_told = 0}).value();
  EXPECT_TRUE(tool.fixes.empty());
  EXPECT_EQ(tool.fixes_left_out, 1);
  EXPECT_EQ(tool.text, tool_with(R"({"type":"object","properties":{"a":{}}})"));
}

TEST(NormalizeBounds, FaultsWithLongNamesStayShort) {
  for (const std::string_view body : {R"({"type":"array"})", R"({"type":"text"})", "5"}) {
    const auto tool =
        normalize_tool(tool_with(wide_schema(300'000, 1, body), std::string(100'000, 'n')),
                       options_for("gpt-5"))
            .value();
    ASSERT_TRUE(tool.fault) << body;
    EXPECT_LT(tool.report_bytes(), 16 << 10) << body;
    EXPECT_LT(tool.classic_error().size(), 10 << 10) << body;
    EXPECT_NE(tool.fault->path.find("…"), std::string::npos) << body;
    EXPECT_TRUE(tool.fault->path.find("kkk/properties/p0") != std::string::npos) << body;
  }
}

TEST(NormalizeBounds, AListIsBoundedAsAWhole) {
  const std::string tool =
      tool_with(wide_schema(2000, 600, R"({"format":"x"})"), std::string(5000, 'n'));
  std::string list = "[" + tool;
  for (int i = 1; i < 60; ++i) list += "," + tool;
  const auto result = normalized_list(list + "]", BadTools::Quarantine);
  std::size_t bytes = 0;
  std::size_t fixes = 0;
  for (const auto& each : result.tools) {
    bytes += each->report_bytes();
    fixes += each->fixes.size() + each->fixes_left_out;
  }
  EXPECT_LT(bytes, 6 << 20);
  EXPECT_EQ(fixes, 60 * 600);
  EXPECT_EQ(result.text().find("format"), std::string::npos);
}

TEST(NormalizeBounds, TooManyToolsAreRefused) {
  JsonTree tree;
  JsonNode* list = tree.make(JsonNode::Kind::Array);
  for (std::uint32_t i = 0; i < kMaxListedTools; ++i)
    tree.append(*list, tree.make(JsonNode::Kind::Null));
  EXPECT_TRUE(normalize_tools(list, {}));
  tree.append(*list, tree.make(JsonNode::Kind::Null));
  const auto refused = normalize_tools(list, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().where, "tools");
}

}  // namespace
}  // namespace toolgate
