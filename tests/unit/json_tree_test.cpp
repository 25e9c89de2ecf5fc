#include "base/json_tree.h"

#include <string>

#include <gtest/gtest.h>

namespace toolgate {
namespace {

std::string round_trip(std::string_view text) {
  JsonTree tree;
  const auto root = tree.parse(text);
  return root ? write_json(**root) : root.error().message;
}

bool same(std::string_view a, std::string_view b) {
  JsonTree tree;
  return equal(**tree.parse(a), **tree.parse(b));
}

TEST(JsonTree, KeepsOrderAndNumberTexts) {
  EXPECT_EQ(round_trip(R"( {"b" : 1.50, "a":[1e2,-0, true,false,null ,"x"]} )"),
            R"({"b":1.50,"a":[1e2,-0,true,false,null,"x"]})");
  EXPECT_EQ(round_trip("[]"), "[]");
  EXPECT_EQ(round_trip("12345678901234567890.10"), "12345678901234567890.10");
}

TEST(JsonTree, ReadsEscapes) {
  JsonTree tree;
  const auto root =
      tree.parse(R"({"\u0061\n":"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00 and more text"})");
  ASSERT_TRUE(root);
  EXPECT_EQ((*root)->first->key, "a\n");
  EXPECT_EQ((*root)->first->text, "\"\\/\b\f\n\r\té😀 and more text");
}

TEST(JsonTree, TurnsLoneSurrogatesIntoReplacementCharacters) {
  JsonTree tree;
  EXPECT_EQ((*tree.parse(R"("a\ud800b")"))->text, "a\uFFFDb");
  EXPECT_EQ((*tree.parse(R"("\ud800\u0041\udc00")"))->text, "\uFFFDA\uFFFD");
  EXPECT_EQ((*tree.parse(R"("\ud800\ud83d\ude00")"))->text, "\uFFFD😀");
}

TEST(JsonTree, RefusesWhatIsNotJson) {
  for (const char* text : {"",
                           " ",
                           "{",
                           "[",
                           "[1,]",
                           "{\"a\":1,}",
                           "{'a':1}",
                           "{a:1}",
                           "01",
                           "1.",
                           ".5",
                           "+1",
                           "1e",
                           "-",
                           "tru",
                           "nulls",
                           "\"",
                           "\"\\x\"",
                           "\"\\u12g4\"",
                           "\"\t\"",
                           "[1 2]",
                           "1 2",
                           "{\"a\"}",
                           "{\"a\":}",
                           "[}",
                           "{]",
                           "\"\\",
                           "\"\\u",
                           "\xEF\xBB\xBF{}",
                           "\"\xFF\"",
                           "NaN",
                           "[1,,2]"}) {
    JsonTree tree;
    const auto root = tree.parse(text);
    EXPECT_FALSE(root) << text;
    if (!root) EXPECT_EQ(root.error().code, Errc::InvalidJson) << text;
  }
}

TEST(JsonTree, NamesLineAndColumnOfTheFault) {
  EXPECT_EQ(round_trip("{\n  \"a\": é\n}"),
            "not valid JSON: unexpected character at line 2, column 8");
  EXPECT_EQ(round_trip("[1"), "not valid JSON: the text ends too early at line 1, column 3");
}

TEST(JsonTree, LetsTheLastOfDuplicateMembersCount) {
  EXPECT_EQ(round_trip(R"({"a":1,"b":2,"a":{"c":[3]}})"), R"({"a":{"c":[3]},"b":2})");
  EXPECT_EQ(round_trip(R"({"a":[1,2],"a":7,"b":1})"), R"({"a":7,"b":1})");
}

TEST(JsonTree, FindsDuplicatesInLargeObjects) {
  std::string text = "{";
  std::string expected = "{";
  for (int i = 0; i < 1000; ++i) {
    text += "\"k" + std::to_string(i % 600) + "\":" + std::to_string(i) + ",";
  }
  for (int i = 0; i < 600; ++i) {
    expected += "\"k" + std::to_string(i) + "\":" + std::to_string(i < 400 ? i + 600 : i) + ",";
  }
  text.back() = '}';
  expected.back() = '}';
  JsonTree tree;
  const auto root = tree.parse(text);
  ASSERT_TRUE(root);
  EXPECT_EQ((*root)->size, 600U);
  EXPECT_EQ((*root)->last->key, "k599");
  EXPECT_EQ(write_json(**root), expected);
}

TEST(JsonTree, BoundsDepthAndSize) {
  JsonTree tree;
  const std::string deep = std::string(10'000, '[') + std::string(10'000, ']');
  const auto root = tree.parse(deep);
  ASSERT_FALSE(root);
  EXPECT_NE(root.error().message.find("nested too deeply"), std::string::npos);
  EXPECT_TRUE(tree.parse(std::string(256, '[') + std::string(256, ']')));
  const auto large = tree.parse("[1,2,3]", {.depth = 9, .bytes = 6});
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().code, Errc::TooLarge);
}

TEST(JsonTree, RemembersWhereValuesStand) {
  JsonTree tree;
  const auto root = tree.parse(R"({"a": [true]})");
  EXPECT_EQ((*root)->offset, 0U);
  EXPECT_EQ((*root)->find("a")->offset, 6U);
  EXPECT_EQ((*root)->find("a")->first->offset, 7U);
}

TEST(JsonTree, ChangesInPlace) {
  JsonTree tree;
  JsonNode& root = **tree.parse(R"({"a":1,"b":2,"c":3})");
  EXPECT_TRUE(JsonTree::remove(root, "c"));
  EXPECT_FALSE(JsonTree::remove(root, "c"));
  tree.set(root, "d", tree.make_string("x"));
  tree.set(root, "a", tree.make_bool(true));
  EXPECT_TRUE(JsonTree::remove(root, "b"));
  JsonNode* list = tree.make(JsonNode::Kind::Array);
  tree.append(*list, tree.make_number("1.0"));
  tree.append(*list, tree.clone(root));
  tree.set(root, "e", list);
  EXPECT_EQ(write_json(root), R"({"a":true,"d":"x","e":[1.0,{"a":true,"d":"x"}]})");
}

TEST(JsonTree, CanBeClearedAndUsedAgain) {
  JsonTree tree;
  for (int round = 0; round < 3; ++round) {
    const std::string text =
        "[" + std::string(5000, ' ') + "\"\\n" + std::string(9000, 'x') + "\"]";
    const auto root = tree.parse(text);
    ASSERT_TRUE(root);
    EXPECT_EQ((*root)->first->text.size(), 9001U);
    tree.clear();
  }
  JsonTree moved = std::move(tree);
  EXPECT_EQ(write_json(**moved.parse("[1]")), "[1]");
}

TEST(JsonTree, ComparesAsValues) {
  EXPECT_TRUE(same("1", "1.0"));
  EXPECT_TRUE(same("100", "1e2"));
  EXPECT_TRUE(same(R"({"a":1,"b":[2]})", R"({"b":[2.0],"a":1})"));
  EXPECT_FALSE(same("1", "true"));
  EXPECT_FALSE(same("[1,2]", "[2,1]"));
  EXPECT_FALSE(same(R"({"a":1})", R"({"b":1})"));
  EXPECT_FALSE(same("9007199254740993", "9007199254740992"));
  std::string many = "{";
  std::string reversed = "{";
  for (int i = 0; i < 50; ++i) {
    many += "\"" + std::to_string(i) + "\":" + std::to_string(i) + ",";
    reversed += "\"" + std::to_string(49 - i) + "\":" + std::to_string(49 - i) + ".0,";
  }
  many.back() = '}';
  reversed.back() = '}';
  EXPECT_TRUE(same(many, reversed));
  JsonTree tree;
  EXPECT_EQ(hash_value(**tree.parse(many)), hash_value(**tree.parse(reversed)));
}

}  // namespace
}  // namespace toolgate
