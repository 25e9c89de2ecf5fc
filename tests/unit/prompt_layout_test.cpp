#include "cli/prompt_layout.h"

#include <gtest/gtest.h>

namespace toolgate {
namespace {

using Rows = std::vector<std::string>;

TEST(PromptLayout, BreaksRowsAtTheWindowAndAtLineBreaks) {
  // Two columns for the mark, one stays free: five are left.
  const auto layout = lay_out_prompt("abcdefg\nhi", 10, 2, 8);
  EXPECT_EQ(layout.rows, (Rows{"abcde", "fg", "hi"}));
  EXPECT_EQ(layout.row, 2u);
  EXPECT_EQ(layout.column, 4u);
}

TEST(PromptLayout, TheCursorIsWhereTheNextCharacterWouldBe) {
  EXPECT_EQ(lay_out_prompt("abcdefg", 5, 2, 8).row, 1u);
  EXPECT_EQ(lay_out_prompt("abcdefg", 5, 2, 8).column, 2u);
  EXPECT_EQ(lay_out_prompt("abcde", 5, 2, 8).row, 0u);
  EXPECT_EQ(lay_out_prompt("abcde", 5, 2, 8).column, 7u);
  EXPECT_EQ(lay_out_prompt("a\n", 2, 2, 8).row, 1u);
  EXPECT_EQ(lay_out_prompt("", 0, 2, 8).column, 2u);
}

TEST(PromptLayout, WideCharactersAndTabsTakeTheirColumns) {
  EXPECT_EQ(lay_out_prompt("日本語", 0, 2, 8).rows, (Rows{"日本", "語"}));
  EXPECT_EQ(lay_out_prompt("日本", 6, 2, 8).column, 6u);
  EXPECT_EQ(lay_out_prompt("\tx", 2, 0, 20).column, 5u);
}

TEST(PromptLayout, WordsStandInColumnsReadDownwards) {
  EXPECT_EQ(lay_out_words({"a", "b", "c", "d", "e"}, 10), "a  c  e\nb  d\n");
  EXPECT_EQ(lay_out_words({"alpha", "beta"}, 5), "alp…\nbeta\n");
}

}  // namespace
}  // namespace toolgate
