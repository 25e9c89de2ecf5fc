#include "cli/line_editor.h"

#include <gtest/gtest.h>

namespace toolgate {
namespace {

using Wish = LineEditor::Wish;

// The text after the keys, with | where the cursor stands.
std::string after(LineEditor& editor, std::string_view keys) {
  while (!keys.empty()) editor.take(keys);
  std::string text = editor.text();
  return text.insert(editor.cursor(), "|");
}

std::string typed(std::string_view keys) {
  LineEditor editor;
  return after(editor, keys);
}

TEST(LineEditor, MovesAndDeletes) {
  EXPECT_EQ(typed("abc\x1b[D\x1b[Dx"), "ax|bc");
  EXPECT_EQ(typed("abc\x01x\x05y"), "xabcy|");
  EXPECT_EQ(typed("abc\x1b[H\x1b[3~\x1b[F!"), "bc!|");
  EXPECT_EQ(typed("abc\x7f\x08"), "a|");
  EXPECT_EQ(typed("abc\x02\x02\x04"), "a|c");
  EXPECT_EQ(typed("\x7f\x1b[D\x1b[3~"), "|");
}

TEST(LineEditor, MovesByWords) {
  EXPECT_EQ(typed("one two-three\x1b\x62"), "one two-|three");
  EXPECT_EQ(typed("one two\x1b[1;5D\x1b[1;5D\x1b[1;3C"), "one| two");
  EXPECT_EQ(typed("one two\x01\x1b\x64"), "| two");
  EXPECT_EQ(typed("one two\x1b\x7f"), "one |");
}

TEST(LineEditor, KillsAndYanks) {
  EXPECT_EQ(typed("one two\x17"), "one |");
  EXPECT_EQ(typed("one two\x17\x01\x19"), "two|one ");
  EXPECT_EQ(typed("one two\x15"), "|");
  EXPECT_EQ(typed("one two\x1b\x62\x0b"), "one |");
}

TEST(LineEditor, WholeCharactersAreMovedOverAndDeleted) {
  EXPECT_EQ(typed("日本é\x7f\x1b[D"), "日|本");
  EXPECT_EQ(typed("e\u0301x\x1b[D\x1b[D"), "|e\u0301x");
  EXPECT_EQ(typed("a👍\x7f"), "a|");
}

TEST(LineEditor, KeysMayComeInPieces) {
  LineEditor editor;
  after(editor, "ab\x1b");
  after(editor, "[");
  EXPECT_EQ(after(editor, "D"), "a|b");
  after(editor, "\xe6\x97");
  EXPECT_EQ(after(editor, "\xa5"), "a日|b");
}

TEST(LineEditor, UnknownKeysLeaveNothingBehind) {
  EXPECT_EQ(typed("a\x1b[15~\x1bOP\x1b[1;2P\x1bzb"), "ab|");
  EXPECT_EQ(typed(std::string_view("a\x00\x1c\x1d"
                                   "b",
                                   5)),
            "ab|");
}

TEST(LineEditor, EnterSubmitsAndLeavesTheRest) {
  LineEditor editor;
  std::string_view keys = "one\ntwo";
  EXPECT_EQ(editor.take(keys), Wish::Submit);
  EXPECT_EQ(editor.text(), "one");
  EXPECT_EQ(keys, "two");
}

TEST(LineEditor, ABackslashOrAltEnterMakesALine) {
  EXPECT_EQ(typed("one\\\ntwo"), "one\ntwo|");
  EXPECT_EQ(typed("one\x1b\ntwo\x1b\rthree"), "one\ntwo\nthree|");
  EXPECT_EQ(typed("one\x1b[13;2utwo"), "one\ntwo|");
}

TEST(LineEditor, PastedLinesAreText) {
  EXPECT_EQ(typed("x\x1b[200~a\rb\tc\x1b[31m\x1b[201~y"), "xa\nb\tc[31my|");
  LineEditor editor;
  after(editor, "\x1b[200~one\ntwo\x1b[2");
  EXPECT_EQ(editor.text(), "");
  EXPECT_EQ(after(editor, "01~!"), "one\ntwo!|");
}

TEST(LineEditor, WishesOfTheOtherKeys) {
  LineEditor editor;
  std::string_view tab = "\t";
  EXPECT_EQ(editor.take(tab), Wish::Complete);
  std::string_view clear = "\x0c";
  EXPECT_EQ(editor.take(clear), Wish::Clear);
  std::string_view leave = "\x04";
  EXPECT_EQ(editor.take(leave), Wish::Leave);
}

TEST(LineEditor, UpAndDownGoThroughHistoryAndBackToTheDraft) {
  LineEditor editor;
  editor.set_history({"first", "second"});
  EXPECT_EQ(after(editor, "dra\x1b[A"), "second|");
  EXPECT_EQ(after(editor, "\x1b[A\x1b[A"), "first|");
  EXPECT_EQ(after(editor, "\x1b[B\x1b[B"), "dra|");
  EXPECT_EQ(after(editor, "\x1b[B"), "dra|");
  EXPECT_EQ(after(editor, "\x10\x10\x0e"), "second|");
}

TEST(LineEditor, UpAndDownMoveWithinATextOfSeveralLines) {
  LineEditor editor;
  editor.set_history({"old"});
  EXPECT_EQ(after(editor, "abc\x1b\nd\x1b\nefg\x1b[A"), "abc\nd|\nefg");
  EXPECT_EQ(after(editor, "\x1b[A"), "a|bc\nd\nefg");
  EXPECT_EQ(after(editor, "\x1b[B\x1b[B"), "abc\nd\ne|fg");
  EXPECT_EQ(after(editor, "\x1b[A\x1b[A\x1b[A"), "old|");
}

TEST(LineEditor, ReplacesUpToTheCursor) {
  LineEditor editor;
  after(editor, "see #re now\x1b[D\x1b[D\x1b[D\x1b[D");
  editor.replace(5, "readFile");
  EXPECT_EQ(after(editor, ""), "see #readFile| now");
}

}  // namespace
}  // namespace toolgate
