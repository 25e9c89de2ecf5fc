#include "builtin/text_edits.h"

#include <gtest/gtest.h>

namespace toolgate {
namespace {

LspTextEdit edit(std::uint32_t line, std::uint32_t from, std::uint32_t to, std::string text) {
  return {{{line, from}, {line, to}}, std::move(text)};
}

std::string applied(std::string_view text, std::vector<LspTextEdit> edits) {
  const auto result = apply_text_edits(text, std::move(edits));
  return result ? *result : "error: " + result.error().message;
}

TEST(TextEdits, AreAppliedInAnyOrder) {
  EXPECT_EQ(
      applied("one two\nthree\n", {edit(1, 0, 5, "3"), edit(0, 4, 7, "2"), edit(0, 0, 3, "1")}),
      "1 2\n3\n");
  EXPECT_EQ(applied("same", {}), "same");
}

TEST(TextEdits, CountUtf16Units) {
  // é is one unit, 😀 is two, 中 is one.
  EXPECT_EQ(applied("é😀中x = x", {edit(0, 4, 5, "y"), edit(0, 8, 9, "y")}), "é😀中y = y");
  // Inside a pair: its beginning.
  EXPECT_EQ(applied("😀x", {edit(0, 1, 2, "a")}), "ax");
}

TEST(TextEdits, LeaveLineEndsAsTheyAre) {
  EXPECT_EQ(applied("a\r\nb\r\nc", {edit(1, 0, 1, "B"), edit(2, 0, 1, "C")}), "a\r\nB\r\nC");
  EXPECT_EQ(applied("a\rb\n\nc", {edit(1, 0, 1, "B"), edit(3, 0, 1, "C")}), "a\rB\n\nC");
  // Behind the end of a line is its end, not the next line.
  EXPECT_EQ(applied("ab\r\ncd", {edit(0, 1, 99, "X")}), "aX\r\ncd");
}

TEST(TextEdits, MayGoOverLinesAndInsert) {
  EXPECT_EQ(applied("a\nb\nc", {{{{0, 1}, {2, 0}}, "-"}}), "a-c");
  EXPECT_EQ(applied("ab", {edit(0, 1, 1, "1"), edit(0, 1, 1, "2")}), "a12b");
  EXPECT_EQ(applied("ab", {edit(0, 1, 2, "B"), edit(0, 1, 1, "1")}), "a1B");
  EXPECT_EQ(applied("", {edit(0, 0, 0, "new")}), "new");
  EXPECT_EQ(applied("a\n", {{{{0, 0}, {2, 0}}, ""}}), "");
}

TEST(TextEdits, ThatMakeNoSenseRefuseAll) {
  EXPECT_EQ(applied("abcd", {edit(0, 0, 3, "x"), edit(0, 2, 4, "y")}),
            "error: two edits overlap in line 1");
  EXPECT_EQ(applied("abcd", {edit(0, 0, 4, "x"), edit(0, 1, 2, "y")}),
            "error: two edits overlap in line 1");
  EXPECT_EQ(applied("a", {edit(0, 0, 1, "x"), edit(5, 0, 1, "y")}),
            "error: an edit is of line 6, and there are 1");
  EXPECT_EQ(applied("a", {{{{0, 0}, {4'000'000'000, 0}}, ""}}),
            "error: an edit is of line 4000000001, and there are 1");
}

TEST(TextLines, PositionsAndOffsetsAreInverse) {
  const std::string text = "é😀\r\n\nx中\ry";
  const TextLines lines(text);
  EXPECT_EQ(lines.count(), 4u);
  EXPECT_EQ(lines.line(0), "é😀");
  EXPECT_EQ(lines.line(1), "");
  EXPECT_EQ(lines.line(2), "x中");
  EXPECT_EQ(lines.line(3), "y");
  EXPECT_EQ(lines.line(4), "");
  for (const std::size_t offset : {0, 2, 6, 8, 9, 10, 13, 14, 15})
    EXPECT_EQ(lines.offset_of(lines.position_of(offset)), offset);
  EXPECT_EQ(lines.position_of(6), (LspPosition{0, 3}));
  EXPECT_EQ(lines.offset_of({9, 0}), std::nullopt);
}

TEST(TextLines, AnIncompleteCharacterAtTheEndIsNoHarm) {
  const std::string text = "a\xF0";
  const TextLines lines(text);
  EXPECT_EQ(lines.offset_of({0, 9}), 2u);
  EXPECT_EQ(lines.position_of(2), (LspPosition{0, 3}));
}

TEST(FindWord, FindsNamesThatStandAlone) {
  const auto find_all = [](std::string_view text, std::string_view word) {
    return find_word(text, word, 100);
  };
  using At = std::vector<std::size_t>;
  EXPECT_EQ(find_all("add(add_1, xadd, add)", "add"), (At{0, 17}));
  EXPECT_EQ(find_all("ädd add", "dd"), At{});
  EXPECT_EQ(find_all("$x x", "x"), (At{3}));
  EXPECT_EQ(find_all("a~b", "~b"), (At{1}));
  EXPECT_EQ(find_all("abc", ""), At{});
  EXPECT_EQ(find_word("a a a", "a", 2), (At{0, 2}));
}

}  // namespace
}  // namespace toolgate
