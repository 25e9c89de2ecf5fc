#include "tools/toolset_file.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "tools/jsonc_outline.h"

namespace toolgate {
namespace {

constexpr std::string_view kFile = "prompts/my.toolsets.jsonc";

ToolSetFile read(std::string_view text, const ToolSetFileLimits& limits = {}) {
  return read_tool_set_file(kFile, text, limits);
}

std::vector<std::string> names(const ToolSetFile& file) {
  std::vector<std::string> result;
  for (const ToolSetData& set : file.sets) result.push_back(set.reference_name);
  return result;
}

std::vector<std::string> members(const ToolSetData& set) {
  std::vector<std::string> result;
  for (const ToolSetMember& member : set.members) result.push_back(member.name);
  return result;
}

// Empty when the faults stand where they should and say these words.
std::string difference(const std::vector<ToolSetFileFault>& faults,
                       const std::vector<ToolSetFileFault>& expected) {
  std::string result;
  for (std::size_t i = 0; i < std::max(faults.size(), expected.size()); ++i) {
    if (i >= faults.size()) {
      result += fmt::format("missing: {}\n", expected[i].message);
    } else if (i >= expected.size() || faults[i].line != expected[i].line ||
               faults[i].column != expected[i].column ||
               !faults[i].message.contains(expected[i].message)) {
      result += fmt::format("{}:{} {}\n", faults[i].line, faults[i].column, faults[i].message);
    }
  }
  return result;
}

TEST(ToolSetFile, ASetIsReadWithAllItSays) {
  const auto file = read(R"(// mine
{
  "reader": { /* only looks */
    "tools": ["read", "github/issues", "Tool \u00fc",],
    "description": "looks",
    "icon": "zap",
  },
}
)");
  EXPECT_TRUE(file.faults.empty());
  ASSERT_EQ(file.sets.size(), 1u);
  const ToolSetData& set = file.sets[0];
  EXPECT_EQ(set.id, "user/prompts/my.toolsets.jsonc/reader");
  EXPECT_EQ(set.reference_name, "reader");
  EXPECT_EQ(set.description, "looks");
  EXPECT_EQ(set.icon, "zap");
  EXPECT_EQ(set.source.key(), "user:prompts/my.toolsets.jsonc");
  EXPECT_EQ(set.source.label, "my.toolsets.jsonc");
  EXPECT_TRUE(set.needs_member);
  EXPECT_EQ(members(set), (std::vector<std::string>{"read", "github/issues", "Tool ü"}));
  for (const ToolSetMember& member : set.members) EXPECT_EQ(member.by, ToolSetMember::By::AnyName);
}

TEST(ToolSetFile, AFileOfCommentsAloneHasNoSetsAndNoFaults) {
  for (const std::string_view text :
       {"", " \n\t", "// nothing yet", "/* a */ // b\n", "\xEF\xBB\xBF// c\n"}) {
    const auto file = read(text);
    EXPECT_TRUE(file.sets.empty()) << text;
    EXPECT_TRUE(file.faults.empty()) << text;
  }
}

TEST(ToolSetFile, TextThatIsNotJsonIsReportedWithItsPlace) {
  EXPECT_EQ(
      difference(read("{\n  \"a\": {\"tools\" [\"x\"]}\n}").faults, {{2, 17, "not valid JSON"}}),
      "");
  for (const std::string_view text : {"{", "{\"a\":", "/* never ends", "{} {}", "\"", "\xff",
                                      "{\"a\":{\"tools\":[\"\\ud800\"]}}"}) {
    const auto file = read(text);
    EXPECT_TRUE(file.sets.empty()) << text;
    EXPECT_EQ(file.faults.size(), 1u) << text;
  }
}

TEST(ToolSetFile, TheTopMustBeAnObject) {
  EXPECT_EQ(difference(read("// c\n []").faults, {{2, 2, "is an object"}}), "");
}

TEST(ToolSetFile, WhatIsWrongWithOneSetLeavesTheOthers) {
  const auto file = read(R"({
  " ": {"tools": ["x"]},
  "none": {"description": "d"},
  "empty": {"tools": []},
  "text": {"tools": "x"},
  "list": ["x"],
  "items": {"tools": [1, "x", "", null]},
  "only": {"tools": [false]},
  "odd": {"tools": ["x"], "tool": [], "description": 1, "icon": {}},
  "good": {"tools": ["x"]}
})");
  EXPECT_EQ(names(file), (std::vector<std::string>{"items", "odd", "good"}));
  EXPECT_EQ(members(file.sets[0]), (std::vector<std::string>{"x"}));
  EXPECT_EQ(difference(file.faults, {{2, 3, "name of a tool set is empty"},
                                     {3, 3, "has no \"tools\""},
                                     {4, 22, "names no tool"},
                                     {5, 21, "must be a list"},
                                     {6, 11, "must be an object"},
                                     {7, 23, "must be a string"},
                                     {7, 31, "name of a tool is empty"},
                                     {7, 35, "must be a string"},
                                     {8, 22, "must be a string"},
                                     {8, 21, "names no tool"},
                                     {9, 27, "'tool'"},
                                     {9, 54, "\"description\""},
                                     {9, 65, "\"icon\""}}),
            "");
}

TEST(ToolSetFile, ASetThatIsThereTwiceIsReportedAndTheLastCounts) {
  const auto file = read(
      "{\"a\":{\"tools\":[\"x\"]},\n\"b\":{\"tools\":[\"x\"]},\n"
      " \"\\u0061\":{\"tools\":[\"y\"]}}");
  EXPECT_EQ(names(file), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(members(file.sets[0]), (std::vector<std::string>{"y"}));
  EXPECT_EQ(difference(file.faults, {{3, 2, "'a' is there twice"}}), "");
}

TEST(ToolSetFile, NamesWithUnusualCharactersKeepThem) {
  const auto file = read(R"({"a/b \"c\" // d": {"tools": ["/* e */", "f\\"]}})");
  EXPECT_TRUE(file.faults.empty());
  EXPECT_EQ(names(file), (std::vector<std::string>{"a/b \"c\" // d"}));
  EXPECT_EQ(members(file.sets[0]), (std::vector<std::string>{"/* e */", "f\\"}));
}

TEST(ToolSetFile, EverythingHasALimit) {
  const ToolSetFileLimits limits{
      .bytes = 400, .sets = 2, .tools_per_set = 2, .name_bytes = 8, .faults = 3};
  EXPECT_EQ(difference(read(std::string(401, ' '), limits).faults, {{1, 1, "larger than"}}), "");
  const auto sets =
      read(R"({"a":{"tools":["x"]},"b":{"tools":["x"]},"c":{"tools":["x"]},"d":{"tools":["x"]}})",
           limits);
  EXPECT_EQ(names(sets), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(difference(sets.faults, {{1, 42, "more than 2 tool sets"}}), "");
  const auto tools = read(R"({"a":{"tools":["x","y","z","z"]}})", limits);
  EXPECT_EQ(members(tools.sets[0]), (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(difference(tools.faults, {{1, 24, "more than 2 tools"}}), "");
  const auto long_name = read(R"({"123456789":{"tools":["x"]}})", limits);
  EXPECT_TRUE(long_name.sets.empty());
  EXPECT_EQ(difference(long_name.faults, {{1, 2, "more than 8 bytes"}}), "");
  const auto faults = read(R"({"a":1,"b":1,"c":1,"d":1,"e":1,"f":1})", limits);
  EXPECT_EQ(faults.faults.size(), 4u);
  EXPECT_TRUE(faults.faults.back().message.contains("more faults")) << faults.faults.back().message;
}

TEST(ToolSetFile, AHostileFileIsReadInOneGo) {
  std::string text = "{";
  for (int i = 0; i < 60000; ++i) text += fmt::format("\"{}\":1,\n", i);
  text += "}";
  EXPECT_EQ(read(text).faults.size(), 101u);
  EXPECT_EQ(read("{\"a\":" + std::string(500000, '[')).faults.size(), 1u);
  EXPECT_LT(read("{\"a\":{\"" + std::string(500000, 'x') + "\":1}}").faults[0].message.size(),
            300u);
}

TEST(ToolSetFile, ASetIsAddedBehindTheOthersAndTheirTextStays) {
  const std::string before =
      "// top\n{\n  // first\n  \"a\": { \"tools\": [\"x\"] } // behind\n}\n";
  const auto after = write_tool_set(before, {.name = "b", .tools = {"y"}, .description = "d"});
  ASSERT_TRUE(after);
  EXPECT_EQ(*after,
            "// top\n{\n  // first\n  \"a\": { \"tools\": [\"x\"] }, // behind\n"
            "\t\"b\": {\n\t\t\"tools\": [\n\t\t\t\"y\"\n\t\t],\n\t\t\"description\": \"d\",\n"
            "\t\t\"icon\": \"tools\"\n\t}\n}\n");
  EXPECT_EQ(names(read(*after)), (std::vector<std::string>{"a", "b"}));
}

TEST(ToolSetFile, ASetIsAddedWhateverEndsTheFile) {
  for (const std::string_view before :
       {"{}", "{ }", "{\n// c\n}", "{\"a\":{\"tools\":[\"x\"]}}", "{\"a\":{\"tools\":[\"x\"]},}",
        "{\"a\":{\"tools\":[\"x\"]} /* c */ , // d\n}",
        "{\"a\":{\"tools\":[\"x\"]} // d\n, // e\n}", "", "// c", "\xEF\xBB\xBF{}",
        "/* c */ {} // d"}) {
    const bool had_one = before.contains("tools");
    const auto after = write_tool_set(before, {.name = "new", .tools = {"y", "z"}});
    ASSERT_TRUE(after) << before;
    const auto file = read(*after);
    EXPECT_TRUE(file.faults.empty()) << *after;
    ASSERT_EQ(file.sets.size(), had_one ? 2 : 1u) << *after;
    EXPECT_EQ(members(file.sets.back()), (std::vector<std::string>{"y", "z"}));
    for (const std::string_view comment : {"// c", "/* c */", "// d", "// e"})
      EXPECT_EQ(after->contains(comment), before.contains(comment)) << *after;
  }
}

TEST(ToolSetFile, ASetOfThatNameIsReplacedInItsPlace) {
  const auto after =
      write_tool_set("{\"a\":{\"tools\":[\"x\"]}, // keep\n \"b\":{\"tools\":[\"y\"]}}",
                     {.name = "a", .tools = {"z"}});
  ASSERT_TRUE(after);
  const auto file = read(*after);
  EXPECT_EQ(names(file), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(members(file.sets[0]), (std::vector<std::string>{"z"}));
  EXPECT_TRUE(after->contains("// keep")) << *after;
}

TEST(ToolSetFile, NothingIsWrittenIntoAFileThatCannotBeRead) {
  EXPECT_FALSE(write_tool_set("{", {.name = "a", .tools = {"x"}}));
  EXPECT_FALSE(write_tool_set("[]", {.name = "a", .tools = {"x"}}));
  EXPECT_FALSE(delete_tool_set("{", "a"));
  EXPECT_FALSE(delete_tool_set("// only a comment", "a"));
}

TEST(ToolSetFile, DeletingKeepsTheCommentsOfTheOtherSets) {
  const std::string text =
      "// top\n{\n\t// about a\n\t\"a\": {\"tools\": [\"x\"]}, // behind a\n"
      "\t// about b\n\t\"b\": {\"tools\": [\"y\"]}, // behind b\n"
      "\t// about c\n\t\"c\": {\"tools\": [\"z\"]} // behind c\n\t// end\n}\n";
  const auto without = [&](std::string_view name) {
    auto result = delete_tool_set(text, name);
    return result && *result ? (*result)->text : "";
  };
  EXPECT_EQ(without("a"),
            "// top\n{\n\t// about b\n\t\"b\": {\"tools\": [\"y\"]}, // behind b\n"
            "\t// about c\n\t\"c\": {\"tools\": [\"z\"]} // behind c\n\t// end\n}\n");
  EXPECT_EQ(without("b"),
            "// top\n{\n\t// about a\n\t\"a\": {\"tools\": [\"x\"]}, // behind a\n"
            "\t// about c\n\t\"c\": {\"tools\": [\"z\"]} // behind c\n\t// end\n}\n");
  EXPECT_EQ(without("c"),
            "// top\n{\n\t// about a\n\t\"a\": {\"tools\": [\"x\"]}, // behind a\n"
            "\t// about b\n\t\"b\": {\"tools\": [\"y\"]}, // behind b\n\t// end\n}\n");
}

TEST(ToolSetFile, DeletingTakesEverySetOfThatName) {
  const auto result = delete_tool_set(
      "{\"a\":{\"tools\":[\"1\"]},/* c "
      "*/\"b\":{\"tools\":[\"2\"]},\"\\u0061\":{\"tools\":[\"3\"]}}",
      "a");
  ASSERT_TRUE(result && *result);
  EXPECT_FALSE((*result)->is_empty);
  EXPECT_EQ(names(read((*result)->text)), (std::vector<std::string>{"b"}));
}

TEST(ToolSetFile, TheOrderOfTheOtherSetsStays) {
  const auto result = delete_tool_set(R"({"d":1,"c":[],"b":{},"a":{"x":[1,{"y":null}]}})", "c");
  ASSERT_TRUE(result && *result);
  EXPECT_EQ((*result)->text,
            "{\n\t\"d\": 1,\n\t\"b\": {},\n\t\"a\": {\n\t\t\"x\": [\n\t\t\t1,\n\t\t\t{\n"
            "\t\t\t\t\"y\": null\n\t\t\t}\n\t\t]\n\t}\n}");
}

TEST(JsoncOutline, AnyTextGivesPlacesWithinIt) {
  for (const std::string_view text :
       {"",     "{",  "[",  "}",  "{\"", "{\"a",   "{\"a\"", "{\"a\":",   "{,",  "{:",        "[[",
        "[,,]", "{]", "[}", "/*", "{/*", "{\"a\\", "[1 2",   "{\"a\" 1}", "nul", "{\"a\":1,/"}) {
    const JsoncOutline outline = outline_jsonc(text, 0);
    EXPECT_LE(outline.close, text.size()) << text;
    for (const JsoncChild& child : outline.children) {
      EXPECT_LE(child.key, child.value) << text;
      EXPECT_LE(child.value, child.value_end) << text;
      EXPECT_LE(child.value_end, text.size()) << text;
    }
  }
}

TEST(ToolSetFile, LosesNoneOfTwoSetsOfOneName) {
  const std::string text = R"({"b":{"tools":["x"]},"\u0062":{"tols":["x"]},"c":{"tools":["y"]}})";
  EXPECT_EQ(delete_tool_set(text, "c").error().code, Errc::InvalidRequest);
  EXPECT_EQ(write_tool_set(text, {"b", {"z"}, "", ""}).error().code, Errc::InvalidRequest);
  EXPECT_TRUE(delete_tool_set(text, "b"));
  const auto written = write_tool_set(text, {"c", {"z"}, "", ""});
  ASSERT_TRUE(written);
  EXPECT_TRUE(written->starts_with(R"({"b":{"tools":["x"]},"\u0062":{"tols":["x"]},"c":)"));
}

}  // namespace
}  // namespace toolgate
