#include "schema/repair.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "schema/compile.h"

namespace toolgate {
namespace {

struct Checker {
  explicit Checker(std::string_view schema_text) : text(schema_text) {
    root = tree.parse(text).value();
    schema = compile_schema(*root).value();
  }
  InputCheck ours(std::string_view input) const {
    return check_input(input, schema.get(), {.schema_root = root});
  }
  InputCheck classic(std::string_view input) const {
    return check_input(input, schema.get(), {.classic = true, .schema_root = root});
  }

  std::string text;
  JsonTree tree;
  JsonNode* root = nullptr;
  std::shared_ptr<const Schema> schema;
};

void expect_input(const InputCheck& check, std::string_view input, std::size_t repairs) {
  EXPECT_TRUE(check.valid) << check.message;
  EXPECT_EQ(check.input, input);
  EXPECT_EQ(check.repairs.size(), repairs);
}

void expect_same_text(const Checker& tool, std::string_view input) {
  expect_input(tool.ours(input), input, 0);
}

const std::string kNumber = R"({"type":"object","properties":{"n":{"type":"number"}}})";

TEST(Input, ValidInputKeepsItsOwnText) {
  const Checker tool(kNumber);
  expect_same_text(tool, R"( {"n" : 1.50e0, "x":12345678901234567890123})");
}

TEST(Input, AValidInputIsNotChangedByABranchThatLost) {
  const Checker kinds(
      R"({"type":"object","properties":{"v":{"anyOf":[)"
      R"({"type":"object","properties":{"kind":{"const":"a"},"id":{"type":"boolean"}},"required":["kind"]},)"
      R"({"type":"object","properties":{"kind":{"const":"b"}}}]}}})");
  expect_same_text(kinds, R"({"v":{"kind":"b","id":1}})");
  const Checker either(
      R"({"type":"object","properties":{"v":{"anyOf":[{"type":"number"},{"type":"string"}]}}})");
  expect_same_text(either, R"({"v":"5"})");
  EXPECT_EQ(either.classic(R"({"v":"5"})").input, R"({"v":5})");
}

TEST(Input, ABranchThatLosesTakesItsCoercionsBack) {
  const Checker kinds(
      R"({"type":"object","properties":{"n":{"type":"number"},"v":{"anyOf":[)"
      R"({"type":"object","properties":{"kind":{"const":"a"},"id":{"type":"boolean"}},"required":["kind"]},)"
      R"({"type":"object","properties":{"kind":{"const":"b"}}}]}}})");
  // Something else is to be repaired, so the input is coerced after all.
  expect_input(kinds.ours(R"({"n":"7","v":{"kind":"b","id":1}})"),
               R"({"n":7,"v":{"kind":"b","id":1}})", 1);
  const Checker mixed(
      R"({"properties":{"n":{"type":"number"}},"anyOf":[{"properties":{"a":{"type":"integer"},"b":{"type":"string"}}},{"required":["b"]}]})");
  expect_input(mixed.ours(R"({"n":"7","a":{},"b":5})"), R"({"n":7,"a":{},"b":5})", 1);
}

TEST(Input, OfTwoMembersOfOneNameTheLastIsPassedOnAlone) {
  const Checker tool(kNumber);
  const auto check = tool.ours(R"({"n":"x","n":1})");
  expect_input(check, R"({"n":1})", 1);
  std::string many = "{";
  for (int i = 0; i < 100; ++i) many += "\"k" + std::to_string(i) + "\":0,";
  expect_input(tool.ours(many + R"("k0":1})"),
               many.substr(0, 6) + "1" + many.substr(7, many.size() - 8) + "}", 1);
}

TEST(Input, NumbersKeepTheirTextBesideARepair) {
  const Checker tool(
      R"({"type":"object","properties":{"n":{"type":"number"},"s":{"type":"string"}}})");
  const auto check = tool.ours(R"({"n":1.50,"s":7})");
  expect_input(check, R"({"n":1.50,"s":"7"})", 1);
  EXPECT_EQ(check.repairs[0].path, "/s");
  EXPECT_EQ(check.repairs[0].from, "7");
  EXPECT_EQ(check.repairs[0].to, R"("7")");
}

TEST(Input, EmptyAndNullBecomeAnObjectAndSaySo) {
  const Checker tool(kNumber);
  EXPECT_TRUE(tool.ours("").absent);
  expect_input(tool.ours(""), "{}", 1);
  expect_input(tool.ours("null"), "{}", 1);
  EXPECT_TRUE(tool.classic("").absent);
  EXPECT_FALSE(tool.ours(" ").valid);
}

TEST(Input, BrokenJsonIsToldWithItsPlace) {
  const Checker tool(kNumber);
  const auto check = tool.ours("{\n \"n\": 1,}");
  EXPECT_FALSE(check.valid);
  ASSERT_EQ(check.faults.size(), 1);
  EXPECT_EQ(check.faults[0].keyword, "json");
  EXPECT_NE(check.message.find("line 2"), std::string::npos) << check.message;
  EXPECT_TRUE(
      check.classic.starts_with("ERROR: Your input to the tool was invalid (SyntaxError: "));
}

TEST(Input, WithoutASchemaAnyJsonWillDo) {
  EXPECT_TRUE(check_input("[1]", nullptr).valid);
  EXPECT_TRUE(check_input("5", nullptr).valid);
  EXPECT_FALSE(check_input("{", nullptr).valid);
}

TEST(Input, EveryFaultIsListedWithItsPathAndClassicTellsTheFirst) {
  const Checker tool(R"({"type":"object","properties":{"line":{"type":"number","minimum":1},
      "kind":{"enum":["a","b"]},"edits":{"type":"array","items":{"type":"object",
      "properties":{"file":{"type":"string"}},"required":["file"]}}}})");
  const auto check = tool.ours(R"({"line":0,"kind":"c","edits":[{"file":"x"},{}]})");
  EXPECT_FALSE(check.valid);
  ASSERT_EQ(check.faults.size(), 3);
  EXPECT_NE(check.message.find("/line: must be >= 1 (is 0)"), std::string::npos) << check.message;
  EXPECT_NE(check.message.find(R"(/kind: must be one of "a", "b" (is "c"))"), std::string::npos)
      << check.message;
  EXPECT_NE(check.message.find("/edits/1: must have required property 'file'"), std::string::npos)
      << check.message;
  EXPECT_EQ(check.classic, "ERROR: Your input to the tool was invalid (must be >= 1)");
}

TEST(Input, ClassicCountsRepeatedScalarsFromTheEnd) {
  const auto repeated = [](std::string_view items, std::string_view list) {
    const Checker tool(R"({"type":"object","properties":{"l":{"type":"array","uniqueItems":true)" +
                       std::string(items) + "}}}");
    return tool.ours(R"({"l":)" + std::string(list) + "}").classic;
  };
  const auto words = [](std::string_view places) {
    return "ERROR: Your input to the tool was invalid (must NOT have duplicate items (items ## " +
           std::string(places) + " are identical))";
  };
  EXPECT_EQ(repeated(R"(,"items":{"type":"string"})", R"(["a","b","b","a"])"), words("2 and 1"));
  EXPECT_EQ(repeated("", R"(["a","b","b","a"])"), words("0 and 3"));
}

TEST(Input, FaultsPointIntoTheText) {
  const Checker tool(kNumber);
  const std::string text = R"({"x":1,"n":"abc"})";
  const auto check = tool.ours(text);
  ASSERT_EQ(check.faults.size(), 1);
  EXPECT_EQ(check.faults[0].offset, text.find("\"abc\""));
}

TEST(Input, UnlistedPropertiesAreNamed) {
  const Checker tool(R"({"type":"object","properties":{"a":{}},"additionalProperties":false})");
  const auto check = tool.ours(R"({"a":1,"b":2})");
  EXPECT_NE(check.message.find("'b'"), std::string::npos) << check.message;
  EXPECT_EQ(check.classic,
            "ERROR: Your input to the tool was invalid (must NOT have additional properties)");
}

TEST(Input, SchemasTheOriginalCannotCompileAreChecked) {
  for (const std::string_view schema :
       {R"({"type":"object","properties":{"u":{"type":"string","format":"uri"}},"required":["u"]})",
        R"({"type":"object","properties":{"u":{"type":"string","example":"x"}},"required":["u"]})",
        R"({"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
            "properties":{"u":{"type":"string"}},"required":["u"]})"}) {
    const Checker tool(schema);
    EXPECT_FALSE(tool.ours("{}").valid) << schema;
    EXPECT_TRUE(tool.ours(R"({"u":"not a uri"})").valid) << schema;
  }
}

TEST(NestedJson, IsOpenedUnderKeysWithSlashAndTilde) {
  const Checker tool(R"({"type":"object","properties":{"a/b":{"type":"object"},
      "c~d":{"type":"array"}}})");
  const std::string input = R"({"a/b":"{\"k\":1}","c~d":"[2]"})";
  const auto check = tool.ours(input);
  expect_input(check, R"({"a/b":{"k":1},"c~d":[2]})", 2);
  EXPECT_EQ(check.repairs[0].path, "/a~1b");
  EXPECT_FALSE(tool.classic(input).valid);
}

TEST(NestedJson, IsOpenedInTypeListsWithoutString) {
  const Checker tool(R"({"type":"object","properties":{"v":{"type":["object","null"]},
      "w":{"type":["array","string"]}}})");
  expect_input(tool.ours(R"({"v":"{}"})"), R"({"v":{}})", 1);
  EXPECT_FALSE(tool.classic(R"({"v":"{}"})").valid);
  expect_same_text(tool, R"({"w":"[1]"})");
}

TEST(NestedJson, OpensOneLevelPerRound) {
  const Checker tool(R"({"type":"object","properties":{"a":{"type":"object","properties":{
      "b":{"type":"array","items":{"type":"object","properties":{"n":{"type":"integer"}}}}}}}})");
  const auto check =
      tool.ours(R"({"a":"{\"b\":\"[\\\"{\\\\\\\"n\\\\\\\":\\\\\\\"5\\\\\\\"}\\\"]\"}"})");
  expect_input(check, R"({"a":{"b":[{"n":5}]}})", 4);
}

TEST(NestedJson, StaysClosedWhereItDoesNotFit) {
  const Checker tool(R"({"type":"object","properties":{"o":{"type":"object"},
      "a":{"type":"array"}}})");
  for (const std::string_view input :
       {R"("{\"o\":{}}")", R"({"o":"[1]"})", R"({"a":"{}"})", R"({"o":"5"})", R"({"o":"null"})",
        R"({"o":"\"{}\""})", R"({"o":"{"})", R"({"o":["{}","{}"]})", R"({"a":{}})"}) {
    const auto check = tool.ours(input);
    EXPECT_FALSE(check.valid) << input;
    EXPECT_EQ(check.input, input);
    EXPECT_TRUE(check.repairs.empty()) << input;
  }
}

TEST(NestedJson, NothingTheOriginalAcceptsIsRefused) {
  const Checker object(R"({"type":"object","properties":{"o":{"type":"object"}}})");
  expect_input(object.ours(R"({"o":["{\"a\":1}"]})"), R"({"o":{"a":1}})", 1);
  expect_input(object.ours(R"({"o":"[\"{}\"]"})"), R"({"o":{}})", 2);
  expect_input(object.ours(R"({"o":["{\"a\":1","\"b\":2}"]})"), R"({"o":{"a":1,"b":2}})", 1);
}

TEST(NestedJson, FaultsInAnOpenedTextPointToTheText) {
  const Checker tool(R"({"type":"object","properties":{"o":{"type":"object","properties":{
      "n":{"type":"number"}}}}})");
  const std::string text = R"({"o":"{\"n\":\"x\"}"})";
  const auto check = tool.ours(text);
  ASSERT_EQ(check.faults.size(), 1);
  EXPECT_EQ(check.faults[0].path, "/o/n");
  EXPECT_EQ(check.faults[0].offset, text.find("\"{"));
}

const std::string kEdits = R"({"type":"object","properties":{
    "range":{"type":"object","properties":{"start":{"type":"integer"},"end":{"type":"integer"}}},
    "edits":{"type":"array","items":{"$ref":"#/$defs/edit"}},
    "dotted.name":{"type":"string"}},
  "$defs":{"edit":{"type":"object","properties":{"text":{"type":"string"}}}}})";

TEST(FlattenedKeys, AreRebuiltAndReported) {
  const Checker tool(kEdits);
  const auto check = tool.ours(R"({"range.start":1,"edits[0].text":"a","range.end":"2"})");
  expect_input(check, R"({"range":{"start":1,"end":2},"edits":[{"text":"a"}]})", 4);
  EXPECT_EQ(check.repairs[0].path, "/range/start");
  EXPECT_EQ(check.repairs[0].from, R"({"range.start":1})");
  EXPECT_EQ(check.repairs[0].to, "1");
}

TEST(FlattenedKeys, ItemsMayComeInAnyOrderAndJoinWhatIsThere) {
  const Checker tool(kEdits);
  expect_input(tool.ours(R"({"edits[1].text":"b","edits.0.text":"a"})"),
               R"({"edits":[{"text":"a"},{"text":"b"}]})", 2);
  expect_input(tool.ours(R"({"range":{"start":1},"range.end":2})"),
               R"({"range":{"start":1,"end":2}})", 1);
}

TEST(FlattenedKeys, StayWhereTheyMayBeMeantOrDoNotFit) {
  const Checker tool(kEdits);
  for (const std::string_view input :
       {R"({"dotted.name":"x"})", R"({"range.middle":1})",
        R"({"range":{"start":1},"range.start":2})", R"({"edits[1].text":"gap"})",
        R"({"edits[999999999].text":"x"})", R"({"edits[-1].text":"x"})",
        R"({"range":5,"range.start":1})", R"({".start":1})", R"({"range.":1})", R"({"range[0]":1})",
        R"({"__proto__.start":1})", R"({"range..start":1})", R"({"edits[0]text":1})"}) {
    const auto check = tool.ours(input);
    EXPECT_EQ(check.input, input);
    EXPECT_TRUE(check.repairs.empty()) << input;
  }
  const Checker map(R"({"type":"object","properties":{"a":{"type":"object","properties":{"b":{}}}},
      "additionalProperties":{"type":"number"}})");
  expect_same_text(map, R"({"a.b":1})");
}

TEST(FlattenedKeys, ValidInputIsNotMadeInvalid) {
  const Checker tool(kEdits);
  expect_same_text(tool, R"({"range.start":"no number"})");
}

TEST(FlattenedKeys, ClassicLeavesThem) {
  const Checker tool(kEdits);
  EXPECT_EQ(tool.classic(R"({"range.start":1})").input, R"({"range.start":1})");
}

TEST(FlattenedKeys, APrototypeNameIsANameLikeAnyOther) {
  const Checker tool(R"({"type":"object","properties":{"__proto__":{"type":"object",
      "properties":{"x":{"type":"number"}}}},"additionalProperties":false})");
  expect_input(tool.ours(R"({"__proto__.x":1})"), R"({"__proto__":{"x":1}})", 1);
}

TEST(Input, HostileNestingEnds) {
  const Checker tool(R"({"$defs":{"o":{"type":"object","properties":{"a":{"$ref":"#/$defs/o"}}}},
      "$ref":"#/$defs/o"})");
  std::string value = "{}";
  for (int i = 0; i < 12; ++i) {
    JsonTree tree;
    value = R"({"a":)" + write_json(*tree.make_string(value)) + "}";
  }
  EXPECT_TRUE(tool.ours(value).valid);
  std::string deep(5000, '[');
  EXPECT_FALSE(tool.ours(deep).valid);
}

TEST(ToolName, IsCleanedPerUtf16Unit) {
  EXPECT_EQ(clean_tool_name("a.b/c d"), "a_b_c_d");
  EXPECT_EQ(clean_tool_name("na\xC3\xAFve"), "na_ve");
  EXPECT_EQ(clean_tool_name("\xE6\x97\xA5\xE6\x9C\xAC"), "__");
  EXPECT_EQ(clean_tool_name("x\xF0\x9F\x98\x80y"), "x__y");
  EXPECT_EQ(clean_tool_name(""), "");
}

TEST(ToolName, UnknownToolIsNamed) {
  EXPECT_EQ(unknown_tool_message("nope"), "ERROR: The tool \"nope\" does not exist");
}

}  // namespace
}  // namespace toolgate
