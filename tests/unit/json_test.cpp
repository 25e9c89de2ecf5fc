// Reading and writing JSON.
#include "base/json.h"

#include <gtest/gtest.h>

namespace toolgate {
namespace {

std::string rewritten(std::string_view text) {
  const auto value = parse_json(text);
  return value ? write_json(*value) : "error: " + value.error().message;
}

TEST(Json, WritesNumbersTheShortestWay) {
  EXPECT_EQ(rewritten("[0.7,1.0,-0.0,1e20,1e-7,123456789012345678]"),
            "[0.7,1.0,-0.0,1e+20,1e-07,123456789012345678]");
  EXPECT_EQ(rewritten("18446744073709551615"), "18446744073709551615");
  EXPECT_EQ(rewritten("-9223372036854775808"), "-9223372036854775808");
}

TEST(Json, KeepsTheOrderOfKeys) {
  EXPECT_EQ(rewritten(R"({"z":1,"a":{"c":[],"b":{}},"m":null})"),
            R"({"z":1,"a":{"c":[],"b":{}},"m":null})");
}

TEST(Json, EscapesControlCharactersOnly) {
  std::string out;
  append_json_string(out, std::string_view("a\"\\\n\r\t\b\f\0\x1F€/", 14));
  EXPECT_EQ(out, R"("a\"\\\n\r\t\b\f\u0000\u001f€/")");
}

TEST(Json, ErrorNamesLineAndColumn) {
  const auto value = parse_json("{\n  \"ä\": x\n}");
  ASSERT_FALSE(value);
  EXPECT_EQ(value.error().code, Errc::InvalidJson);
  EXPECT_NE(value.error().message.find("line 2, column 8"), std::string::npos)
      << value.error().message;
}

TEST(Json, RefusesWhatIsNotStrict) {
  for (const std::string_view text : {"", "{", "[1,]", "{\"a\":1} x", "// c\n1", "\"\xFF\"", "01"})
    EXPECT_FALSE(parse_json(text)) << text;
}

TEST(Json, DepthIsBounded) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_TRUE(parse_json(nested(kMaxJsonDepth)));
  EXPECT_FALSE(parse_json(nested(kMaxJsonDepth + 1)));
}

TEST(Json, BrokenUtf8PassesWhereAllowed) {
  const auto value = parse_json_any_utf8("[\"a\xE2\x82\"]");
  ASSERT_TRUE(value);
  EXPECT_EQ(value->at(0).as_string(), "a\xE2\x82");
}

TEST(Jsonc, ACommentEndsAtItsFirstEnd) {
  for (const char* text : {"/* x **/1", "/***/1", "/**/1", "/* * / **/ 1 // **/", "1//"})
    EXPECT_EQ(parse_jsonc(text), json::value(1)) << text;
  EXPECT_EQ(parse_jsonc("{/* a **/\"x\":1 /* b */}").value(), parse_json("{\"x\":1}").value());
  const char* text_with_slashes = "[\"/* no **/ // comment\"]";
  EXPECT_EQ(parse_jsonc(text_with_slashes).value(), parse_json(text_with_slashes).value());
  for (const char* text : {"/* x", "/*/1", "/ 1"}) EXPECT_FALSE(parse_jsonc(text)) << text;
}

TEST(Jsonc, TakesCommentsTrailingCommasAndAByteOrderMark) {
  const auto value = parse_jsonc("\xEF\xBB\xBF{ // one\n \"a\": [1, /* two */ 2,],\n}");
  ASSERT_TRUE(value) << value.error().message;
  EXPECT_EQ(write_json(*value), R"({"a":[1,2]})");
}

TEST(Json, FindLooksIntoObjectsOnly) {
  const auto value = parse_json(R"({"a":1})");
  ASSERT_TRUE(value);
  EXPECT_NE(find(*value, "a"), nullptr);
  EXPECT_EQ(find(*value, "b"), nullptr);
  EXPECT_EQ(find(value->at("a"), "a"), nullptr);
}

TEST(TextPosition, CountsCharactersNotBytes) {
  const TextPosition at = text_position("a\n€€x", 8);
  EXPECT_EQ(at.line, 2U);
  EXPECT_EQ(at.column, 3U);
}

}  // namespace
}  // namespace toolgate
