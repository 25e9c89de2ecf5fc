#include "invoke/canonical.h"

#include <gtest/gtest.h>

namespace toolgate {
namespace {

std::string canonical(std::string_view json) {
  const auto text = canonical_json(json);
  return text ? *text : "error: " + text.error().message;
}

TEST(Canonical, DropsSpacesAndSortsMembersAtEveryDepth) {
  EXPECT_EQ(canonical(R"( { "b" : [ 1 , { "z":null,"a":true } ] , "a" : false } )"),
            R"({"a":false,"b":[1,{"a":true,"z":null}]})");
}

// The example of RFC 8785, 3.2.2 and 3.2.3.
TEST(Canonical, WritesTheExampleOfTheRfc) {
  EXPECT_EQ(
      canonical(
          R"({"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],)"
          R"("string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]})"),
      R"({"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],)"
      "\"string\":\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}");
}

TEST(Canonical, SortsByUnitsOfUtf16) {
  // U+1F600 is D83D DE00 there, below U+FB33, and above U+20AC; bytes would sort it last.
  EXPECT_EQ(canonical(R"({"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"\ud83d\ude00":5,"\u0080":6,"ö":7})"),
            "{\"\\r\":2,\"1\":4,\"\u0080\":6,\"ö\":7,\"€\":1,\"😀\":5,\"\uFB33\":3}");
  EXPECT_EQ(canonical(R"({"ab":1,"a":2,"":3})"), R"({"":3,"a":2,"ab":1})");
}

TEST(Canonical, CountsTheLastOfTwoMembersOfOneName) {
  EXPECT_EQ(canonical(R"({"a":1,"b":2,"\u0061":3})"), R"({"a":3,"b":2})");
}

TEST(Canonical, WritesNumbersOneWay) {
  for (const auto* text : {"100", "1e2", "100.0", "1E+2", "10.0e1", "1000e-1"})
    EXPECT_EQ(canonical(text), "100") << text;
  EXPECT_EQ(canonical("-0"), "0");
  EXPECT_EQ(canonical("-0.0e5"), "0");
  EXPECT_EQ(canonical("1e21"), "1e+21");
  EXPECT_EQ(canonical("1e20"), "100000000000000000000");
  EXPECT_EQ(canonical("0.000001"), "0.000001");
  EXPECT_EQ(canonical("0.0000001"), "1e-7");
  EXPECT_EQ(canonical("5e-324"), "5e-324");
  EXPECT_EQ(canonical("1.7976931348623157e308"), "1.7976931348623157e+308");
}

TEST(Canonical, KeepsEveryDigitOfNumbersThatDoublesCannotCount) {
  EXPECT_EQ(canonical("9007199254740992"), "9007199254740992");
  EXPECT_EQ(canonical("9007199254740993"), "9007199254740993");
  EXPECT_EQ(canonical("-9007199254740993"), "-9007199254740993");
  EXPECT_EQ(canonical("9007199254740993.0"), "9007199254740993");
  EXPECT_EQ(canonical("9007199254740993.5"), "9007199254740993.5");
  EXPECT_EQ(canonical("12345678901234567890"), "12345678901234567890");
  EXPECT_EQ(canonical("1.2345678901234567890e19"), "12345678901234567890");
  EXPECT_EQ(canonical("1234567890123456789012345"), "1.234567890123456789012345e+24");
}

TEST(Canonical, KeepsNumbersApartThatAreNoDoublesAtAll) {
  EXPECT_EQ(canonical("1e400"), "1e+400");
  EXPECT_EQ(canonical("10e399"), "1e+400");
  EXPECT_EQ(canonical("-2.50e400"), "-2.5e+400");
  EXPECT_EQ(canonical("1e-400"), "1e-400");
  EXPECT_EQ(canonical("0.0001e-396"), "1e-400");
  EXPECT_NE(canonical("1e99999999999999999999"), canonical("1e999999999999999999999"));
  EXPECT_EQ(canonical("0e99999999999999999999"), "0");
}

TEST(Canonical, RefusesWhatIsNoJson) {
  EXPECT_FALSE(canonical_json(""));
  EXPECT_FALSE(canonical_json("{'a':1}"));
  EXPECT_FALSE(canonical_json("1 2"));
  EXPECT_FALSE(canonical_json("\"\xff\""));
}

TEST(Canonical, RefusesHalvesOfCharacters) {
  EXPECT_FALSE(canonical_json(R"("\ud800")"));
  EXPECT_FALSE(canonical_json(R"("\udc00")"));
  EXPECT_FALSE(canonical_json(R"("\ud83d\u0041")"));
  EXPECT_FALSE(canonical_json(R"({"\uD83D":1})"));
  EXPECT_FALSE(canonical_json(R"("\ud83d\ude00\ude00")"));
  EXPECT_EQ(canonical(R"("\ud83d\ude00")"), "\"😀\"");
  EXPECT_EQ(canonical(R"("\\ud800")"), R"("\\ud800")");
  EXPECT_EQ(canonical(R"("\\\\ud800 \\")"), R"("\\\\ud800 \\")");
}

TEST(Canonical, EscapesOnlyWhatMustBe) {
  EXPECT_EQ(canonical(R"("\u007f\u2028\/\b\f\u0001")"), "\"\x7f\u2028/\\b\\f\\u0001\"");
}

TEST(Canonical, IsItsOwnCanonicalForm) {
  for (const auto* text : {R"({"b":[1e400,9007199254740993,0.1],"a":"\u0001\"é😀"})", "1e-7",
                           "1e99999999999999999999", "[]", R"({"":{}})"}) {
    const std::string once = canonical(text);
    EXPECT_EQ(canonical(once), once);
  }
}

TEST(Sha256, IsTheKnownOne) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

ToolData read_file() {
  ToolData tool;
  tool.id = "read_file";
  tool.reference_name = "readFile";
  tool.display_name = "Read File";
  tool.user_description = "Reads";
  tool.model_description = "Reads a file";
  tool.input_schema = R"({"type": "object", "properties": {"b": {}, "a": {}}})";
  tool.source = {.kind = ToolSource::Kind::Mcp, .id = "c", .server = "s"};
  return tool;
}

TEST(Definition, IsCanonicalJson) {
  const std::string text = definition_text(read_file());
  EXPECT_EQ(canonical(text), text);
  EXPECT_NE(text.find(R"("inputSchema":{"properties":{"a":{},"b":{}},"type":"object"})"),
            text.npos);
  ToolData broken = read_file();
  broken.input_schema = "{";
  EXPECT_NE(definition_text(broken).find(R"("inputSchema":"{")"), text.npos);
}

TEST(Definition, ChangesWithEverythingThatAModelOrAPersonReads) {
  const std::string before = definition_text(read_file());
  const auto changed = [&](auto change) {
    ToolData tool = read_file();
    change(tool);
    return definition_text(tool) != before;
  };
  EXPECT_TRUE(changed([](ToolData& tool) { tool.id = "write_file"; }));
  EXPECT_TRUE(changed([](ToolData& tool) { tool.display_name += '!'; }));
  EXPECT_TRUE(changed([](ToolData& tool) { tool.reference_name += '!'; }));
  EXPECT_TRUE(changed([](ToolData& tool) { tool.user_description += '!'; }));
  EXPECT_TRUE(changed([](ToolData& tool) { tool.model_description += '!'; }));
  EXPECT_TRUE(changed([](ToolData& tool) { tool.input_schema = "{}"; }));
  EXPECT_TRUE(changed([](ToolData& tool) { tool.source.server = "t"; }));
  EXPECT_FALSE(changed([](ToolData& tool) {
    tool.input_schema = R"({"properties":{"a":{},"b":{}},"type":"object"})";
  }));
  EXPECT_FALSE(changed([](ToolData& tool) { tool.icon = "other"; }));
}

TEST(Binding, DependsOnEachOfItsParts) {
  const std::string hash = binding_hash("t", "d", "{}", "c");
  EXPECT_EQ(hash.size(), 64U);
  EXPECT_EQ(binding_hash("t", "d", "{}", "c"), hash);
  EXPECT_NE(binding_hash("u", "d", "{}", "c"), hash);
  EXPECT_NE(binding_hash("t", "e", "{}", "c"), hash);
  EXPECT_NE(binding_hash("t", "d", "[]", "c"), hash);
  EXPECT_NE(binding_hash("t", "d", "{}", "b"), hash);
  EXPECT_NE(binding_hash("td", "", "{}", "c"), hash);
  EXPECT_NE(binding_hash("t", "d1", ":{}", "c"), binding_hash("t", "d", "1:{}", "c"));
}

TEST(ArgumentsKey, IsOfTheToolAndItsArguments) {
  EXPECT_EQ(arguments_key("t", "{}"), arguments_key("t", "{}"));
  EXPECT_NE(arguments_key("t", "{}"), arguments_key("u", "{}"));
  EXPECT_NE(arguments_key("t", "{}"), arguments_key("t", "[]"));
}

TEST(CombinationKey, IsThatOfVsCode) {
  EXPECT_EQ(combination_key("t", R"({"file": "foo"})"),
            "t:combination:9c96ded62f504d6abaa4035552faf40cdcbbd87cb0274be96ec9815c452eaba9");
  EXPECT_NE(combination_key("t", R"({"a":1,"b":2})"), combination_key("t", R"({"b":2,"a":1})"));
}

}  // namespace
}  // namespace toolgate
