// Places of values in JSON text with comments.
#include "base/json_locate.h"

#include <vector>

#include <gtest/gtest.h>

namespace toolgate {
namespace {

// The text from the located value on.
std::string value_at(std::string_view text, std::vector<JsonStep> path) {
  return std::string(text.substr(locate_json(text, path).value));
}

std::string key_at(std::string_view text, std::vector<JsonStep> path) {
  return std::string(text.substr(locate_json(text, path).key));
}

TEST(JsonLocate, RootStandsBehindBlanksAndComments) {
  EXPECT_EQ(value_at(" // a\n /* { */ {}", {}), "{}");
  EXPECT_EQ(locate_json("// nothing\n", {}).value, 11u);
  EXPECT_EQ(locate_json("", {}).value, 0u);
}

TEST(JsonLocate, DescendsThroughMembersAndItems) {
  const std::string_view text = R"({"a": [1, {"b": [true, "x"], "c": 7}], "d": 8})";
  EXPECT_EQ(value_at(text, {"a", 0u}), text.substr(7));
  EXPECT_EQ(value_at(text, {"a", 1u, "b", 1u}).substr(0, 3), "\"x\"");
  EXPECT_EQ(value_at(text, {"a", 1u, "c"}).substr(0, 1), "7");
  EXPECT_EQ(value_at(text, {"d"}), "8}");
  EXPECT_EQ(key_at(text, {"d"}), "\"d\": 8}");
}

TEST(JsonLocate, CommentsAndStringsHideBrackets) {
  const std::string_view text = R"({ // } "b": 1
    "a" /* : */ : /* 2 */ "]}\"{", /* "b": 3 */
    "c": [ /* ] */ "]", 5, ],
    "b": 4, })";
  EXPECT_EQ(value_at(text, {"b"}), "4, }");
  EXPECT_EQ(value_at(text, {"a"}).substr(0, 3), "\"]}");
  EXPECT_EQ(value_at(text, {"c", 1u}).substr(0, 1), "5");
}

TEST(JsonLocate, ScalarsEndAtComments) {
  EXPECT_EQ(value_at("{\"a\":1/*,*/,\"b\":2}", {"b"}), "2}");
  EXPECT_EQ(value_at("[1//,\n,2]", {1u}), "2]");
}

TEST(JsonLocate, KeysAreComparedUnescaped) {
  EXPECT_EQ(value_at(R"({"a\u0062": 1})", {"ab"}), "1}");
  EXPECT_EQ(value_at(R"({"\"\\": 1})", {"\"\\"}), "1}");
  EXPECT_EQ(value_at(R"({"\ud83d\ude00": 1})", {"\xF0\x9F\x98\x80"}), "1}");
}

TEST(JsonLocate, TheLastOfEqualNamesCounts) {
  EXPECT_EQ(value_at(R"({"a": {"b": 1}, "a": {"b": 2}})", {"a", "b"}), "2}}");
  EXPECT_EQ(value_at(R"({"a": {"b": 1}, "a": 3})", {"a", "b"}), "3}");
}

TEST(JsonLocate, APathThatLeadsNowhereGivesTheNearestAncestor) {
  const std::string_view text = R"({"a": [1]})";
  EXPECT_EQ(value_at(text, {"a", 1u}), "[1]}");
  EXPECT_EQ(value_at(text, {"a", "x", "y"}), "[1]}");
  EXPECT_EQ(value_at(text, {"x"}), text);
  EXPECT_EQ(value_at(text, {0u}), text);
}

TEST(JsonLocate, AnyTextEndsTheSearchWithinIt) {
  const std::string_view text = R"({"a\"": [1, {"b": /* c */ [tr"ue, }], // x
      "c": "\u00)";
  for (std::size_t begin = 0; begin <= text.size(); ++begin)
    for (std::size_t size = 0; size <= text.size() - begin; ++size) {
      const auto part = text.substr(begin, size);
      for (const auto& path : {std::vector<JsonStep>{"a\"", 1u, "b", 0u}, {"c"}, {0u, 1u}, {"b"}}) {
        const auto place = locate_json(part, path);
        ASSERT_LE(place.value, part.size());
        ASSERT_LE(place.key, place.value);
      }
    }
}

TEST(JsonLocate, DeepTextNeedsNoDeepStack) {
  const std::string text =
      "{\"a\":" + std::string(1'000'000, '[') + std::string(1'000'000, ']') + ",\"b\":1}";
  EXPECT_EQ(value_at(text, {"b"}), "1}");
}

}  // namespace
}  // namespace toolgate
