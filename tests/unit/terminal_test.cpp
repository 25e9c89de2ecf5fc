#include "cli/terminal.h"

#include <random>

#include <gtest/gtest.h>

#include "base/utf8.h"

namespace toolgate {
namespace {

TEST(Visible, ShowsControlCharactersAndTurnsOfDirection) {
  EXPECT_EQ(visible("a\x1b[31m\tb\x7f\xc2\x9b"), "a\\x1b[31m\\x09b\\x7f\\x9b");
  EXPECT_EQ(visible("\u202eabc\u2066\u2069"), "\\u202eabc\\u2066\\u2069");
  EXPECT_EQ(visible("two\nlines … “é日” \u200b"), "two\nlines … “é日” \u200b");
  EXPECT_EQ(visible("cut \xe2\x80"), "cut \ufffd");
}

TEST(Columns, CountWideAndCombiningCharacters) {
  EXPECT_EQ(columns_of("abc"), 3u);
  EXPECT_EQ(columns_of("é…"), 2u);
  EXPECT_EQ(columns_of("日本"), 4u);
  EXPECT_EQ(columns_of("e\u0301"), 1u);
}

TEST(Columns, CutLeavesWhatFits) {
  EXPECT_EQ(cut_to_columns("abcdef", 6), "abcdef");
  EXPECT_EQ(cut_to_columns("abcdef", 5), "abcd…");
  EXPECT_EQ(cut_to_columns("abc def", 5), "abc…");
  EXPECT_EQ(cut_to_columns("日本語", 5), "日本…");
  EXPECT_EQ(cut_to_columns("日本語", 4), "日…");
  EXPECT_EQ(cut_to_columns("abc", 1), "…");
  EXPECT_EQ(cut_to_columns("abc", 0), "");
}

TEST(Columns, PadFillsUp) {
  EXPECT_EQ(pad_to_columns("日", 4), "日  ");
  EXPECT_EQ(pad_to_columns("abcde", 4), "abcde");
}

TEST(Wrapping, BreaksBetweenWordsAndKeepsLineBreaks) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(wrap_to_columns("one two three", 7), (Lines{"one two", "three"}));
  EXPECT_EQ(wrap_to_columns("one two three", 8), (Lines{"one two", "three"}));
  EXPECT_EQ(wrap_to_columns("a\n\n- b c", 20), (Lines{"a", "", "- b c"}));
  EXPECT_EQ(wrap_to_columns("abcdefgh i", 4), (Lines{"abcd", "efgh", "i"}));
  EXPECT_EQ(wrap_to_columns("", 4), Lines{});
}

TEST(Wrapping, NoLineIsTooWideAndNoWordIsLost) {
  std::mt19937 random(7);
  const std::string letters[] = {"a", " ", "日", "e\u0301", "\n", "🙂", "-", " "};
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (unsigned i = random() % 60; i > 0; --i) text += letters[random() % std::size(letters)];
    const std::size_t columns = 2 + random() % 12;
    std::string joined;
    for (const std::string& line : wrap_to_columns(text, columns)) {
      ASSERT_LE(columns_of(line), columns) << text;
      joined += line;
    }
    const auto without_space = [](std::string all) {
      std::erase_if(all, [](char c) { return c == ' ' || c == '\n'; });
      return all;
    };
    ASSERT_EQ(without_space(joined), without_space(text));
    const std::string cut = cut_to_columns(text, columns);
    ASSERT_LE(columns_of(cut), columns);
    ASSERT_TRUE(is_valid_utf8(cut));
  }
}

TEST(OneLine, CollapsesWhiteSpace) {
  EXPECT_EQ(on_one_line("  a \n\t b\r\n"), "a b");
  EXPECT_EQ(on_one_line(""), "");
}

TEST(Numbers, AreCounted) {
  EXPECT_EQ(counted(1, "tool"), "1 tool");
  EXPECT_EQ(counted(5000, "tool"), "5,000 tools");
}

}  // namespace
}  // namespace toolgate
