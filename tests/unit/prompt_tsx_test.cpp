// prompt-tsx trees as text; tests/golden/prompt-tsx has what the library itself made of them.
#include "tokens/prompt_tsx.h"

#include <gtest/gtest.h>

namespace toolgate {
namespace {

std::size_t count_bytes(std::string_view text) {
  return text.size();
}

std::string leaf(std::string_view text, int priority, bool line_break = true) {
  return R"({"type":2,"text":")" + std::string(text) + R"(","priority":)" +
         std::to_string(priority) + R"(,"lineBreakBefore":)" + (line_break ? "true" : "false") +
         "}";
}

std::string piece(const std::string& children, std::string_view more = "") {
  return R"({"type":1,"ctor":2,"children":[)" + children + "]" +
         (more.empty() ? "" : "," + std::string(more)) + "}";
}

PromptTsxText render(const std::string& node, std::size_t budget) {
  const std::string text = R"({"node":)" + node + "}";
  JsonTree tree;
  const auto value = tree.parse(text);
  if (!value) return {"not JSON: " + value.error().message, 0, 0};
  return render_prompt_tsx(**value, budget, count_bytes);
}

std::string flatten(const std::string& text) {
  JsonTree tree;
  const auto value = tree.parse(text);
  return value ? flatten_prompt_tsx(**value) : "not JSON";
}

TEST(PromptTsx, NothingIsDroppedWhileEverythingFits) {
  const auto rendered = render(piece(leaf("one", 1) + "," + leaf("two", 2)), 7);
  EXPECT_EQ(rendered.text, "one\ntwo");
  EXPECT_EQ(rendered.tokens, 7u);
  EXPECT_EQ(rendered.dropped, 0u);
}

TEST(PromptTsx, TheLowestPriorityGoesFirst) {
  const std::string node = piece(leaf("one", 3) + "," + leaf("two", 1) + "," + leaf("three", 2));
  EXPECT_EQ(render(node, 12).text, "one\nthree");
  EXPECT_EQ(render(node, 8).text, "one");
  EXPECT_EQ(render(node, 8).dropped, 2u);
  EXPECT_EQ(render(node, 2).text, "");
}

TEST(PromptTsx, OfEqualsTheFirstGoes) {
  EXPECT_EQ(render(piece(leaf("one", 5) + "," + leaf("two", 5)), 3).text, "two");
}

TEST(PromptTsx, APieceCompetesWithItsOwnPriority) {
  const std::string low = piece(leaf("inside", 900), R"("props":{"priority":1})");
  EXPECT_EQ(render(piece(low + "," + leaf("outside", 2)), 8).text, "outside");
  const std::string passing =
      piece(leaf("inside", 900), R"("props":{"passPriority":true},"flags":4)");
  EXPECT_EQ(render(piece(passing + "," + leaf("outside", 2)), 8).text, "inside");
}

TEST(PromptTsx, AChunkGoesAsAWhole) {
  const std::string parts = leaf("a", 1) + "," + leaf("b", 2);
  const std::string chunk = piece(parts, R"("props":{"priority":5},"flags":2)");
  const std::string plain = piece(parts, R"("props":{"priority":5})");
  EXPECT_EQ(render(piece(chunk + "," + leaf("c", 9)), 3).text, "c");
  EXPECT_EQ(render(piece(plain + "," + leaf("c", 9)), 3).text, "b\nc");
}

TEST(PromptTsx, WhatIsKeptTogetherGoesTogether) {
  const std::string kept = R"("keepWithId":7,"props":{"priority":)";
  const std::string node = piece(piece(leaf("call", 1), kept + "1}") + "," +
                                 piece(leaf("middle", 1), R"("props":{"priority":5})") + "," +
                                 piece(leaf("answer", 1), kept + "9}"));
  EXPECT_EQ(render(node, 18).text, "call\nmiddle\nanswer");
  EXPECT_EQ(render(node, 17).text, "middle");
}

TEST(PromptTsx, WhatIsLeftWithOnlyBlanksGoesToo) {
  const std::string inner =
      piece(leaf("text", 1) + "," + leaf("   ", 9), R"("props":{"priority":1})");
  EXPECT_EQ(render(piece(inner + "," + leaf("rest", 2)), 7).text, "rest");
}

TEST(PromptTsx, NothingButBlanksIsNothing) {
  EXPECT_EQ(render(piece(leaf("  ", 1) + "," + leaf("\\n", 2)), 100).text, "");
}

TEST(PromptTsx, LeavesCompeteDirectlyUnderTheOldRule) {
  const std::string nested = piece(leaf("a", 5) + "," + leaf("b", 1), R"("props":{"priority":9})");
  const std::string parts = nested + "," + leaf("c", 2);
  EXPECT_EQ(render(piece(parts, R"("flags":1)"), 3).text, "a\nc");
  EXPECT_EQ(render(piece(parts), 3).text, "a\nb");
}

TEST(PromptTsx, TheAlternativeStandsInForNothing) {
  const std::string empty = piece("");
  const std::string otherwise = piece(leaf("nothing found", 1));
  EXPECT_EQ(render(piece(otherwise + "," + empty, R"("flags":8)"), 100).text, "nothing found");
  const std::string found = piece(leaf("found", 1));
  EXPECT_EQ(render(piece(otherwise + "," + found, R"("flags":8)"), 100).text, "found");
}

TEST(PromptTsx, TextsOfDifferentPiecesStandOnTheirOwnLines) {
  const std::string first = piece(leaf("a", 1, false));
  const std::string second = piece(leaf("b", 1, false));
  EXPECT_EQ(render(piece(first + "," + second), 100).text, "a\nb");
  EXPECT_EQ(render(piece(leaf("a", 1, false) + "," + second), 100).text, "ab");
  EXPECT_EQ(render(piece(leaf("a\\n", 1, false) + "," + leaf("b", 1)), 100).text, "a\nb");
}

TEST(PromptTsx, ImagesAreNamedAndOtherThingsAreSilent) {
  const std::string image = R"({"type":1,"ctor":3,"props":{"src":"iVBOR"},"children":[]})";
  const std::string document = R"({"type":1,"ctor":4,"props":{"data":"x"},"children":[]})";
  const std::string opaque = R"({"type":3,"value":{"secret":"x"},"tokenUsage":1})";
  const std::string unknown = R"({"type":9})";
  const std::string node =
      piece(image + "," + document + "," + opaque + "," + unknown + "," + leaf("after", 1));
  EXPECT_EQ(render(node, 100).text, "<image>\nafter");
  EXPECT_EQ(flatten(R"({"node":)" + node + "}"), "<image>\nafter");
}

TEST(PromptTsx, WhatIsNoTreeStaysJson) {
  for (const std::string text : {R"({"items":[1]})", R"({"node":null})", R"("text")", "[1,2]",
                                 "null", R"({"node":{"type":1,"ctor":2}})", R"({"node":{"x":1}})",
                                 R"({"node":{"type":1,"ctor":2,"children":[null]}})"}) {
    EXPECT_EQ(flatten(text), text);
    JsonTree tree;
    const auto value = tree.parse(text);
    ASSERT_TRUE(value);
    EXPECT_EQ(render_prompt_tsx(**value), text);
    EXPECT_EQ(render_prompt_tsx(**value, 0, count_bytes).text, text);
  }
}

TEST(PromptTsx, DeepTreesAreCutNotFollowed) {
  std::string node = leaf("deep", 1, false);
  for (int i = 0; i < 600; ++i) node = piece(node);
  const std::string text = R"({"node":)" + node + "}";
  JsonTree tree;
  const auto value = tree.parse(text, {.depth = 5000});
  ASSERT_TRUE(value);
  EXPECT_EQ(flatten_prompt_tsx(**value), "");
  EXPECT_EQ(render_prompt_tsx(**value), "");
}

TEST(PromptTsx, AHugeTreeIsPrunedByTheLeavesOwnPriorities) {
  std::string children;
  for (int i = 0; i < 20'000; ++i) children += leaf("x", i) + ",";
  children += leaf("last", 50'000);
  const auto rendered = render(piece(children), 6);
  EXPECT_EQ(rendered.text, "x\nlast");
  EXPECT_EQ(rendered.dropped, 19'999u);
}

}  // namespace
}  // namespace toolgate
