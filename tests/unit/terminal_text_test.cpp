#include "builtin/terminal_text.h"

#include <gtest/gtest.h>

#include "base/utf8.h"

namespace toolgate {
namespace {

struct Case {
  std::string_view raw;
  std::string_view clean;
};

TEST(TerminalText, ShowsWhatATerminalWould) {
  constexpr Case kCases[]{
      {"plain\r\nlines\r\n", "plain\nlines\n"},
      {"\x1b[1;31mred\x1b[0m and \x1b[38;5;7mgrey\x1b[m", "red and grey"},
      {"10%\r20%\r100%\r\ndone\r\n", "100%\ndone\n"},
      {"long line\rshort\x1b[K\r\n", "short\n"},
      {"abc\b\bX", "aXc"},
      {"\x1b]0;a title\x07text", "text"},
      {"\x1b]8;;http://example.com\x1b\\link\x1b]8;;\x1b\\", "link"},
      {"\x1bPq#0;2;0;0\x1b\\after", "after"},
      {"a\x1b(Bb\x1b[?25lc\x1b[?1049h", "abc"},
      {"one\r\ntwo\r\n\x1b[2A\x1b[KONE\r\n\x1b[KTWO\r\n", "ONE\nTWO\n"},
      {"a\x1b[5Cb", "a     b"},
      {"abcdef\x1b[3D\x1b[2P!", "abc!"},
      {"x\ty", "x       y"},
      {"bell\x07\x00here", "bell"},
      {"trailing   \r\n", "trailing\n"},
      {"gone\x1b[2J\x1b[Hnew", "gone\nnew"},
      {"\xc3\xa4\r\n", "\xc3\xa4\n"},
      {"\xff\xfe", "\xef\xbf\xbd\xef\xbf\xbd"},
      {"cut \x1b[3", "cut"},
  };
  for (const Case& each : kCases) EXPECT_EQ(clean_terminal_text(each.raw), each.clean) << each.raw;
}

TEST(TerminalText, IsTheSameHoweverItArrives) {
  constexpr std::string_view kRaw =
      "\x1b[31mgr\xc3\xbc\xc3\x9f"
      "e\x1b[0m\r\n\x1b]0;t\x1b\\\xe2\x82\xac 5\r6";
  TerminalText text;
  for (const char byte : kRaw) text.feed({&byte, 1});
  EXPECT_EQ(text.text(), clean_terminal_text(kRaw));
}

TEST(TerminalText, KeepsTheBeginningAndTheEnd) {
  TerminalText text(10, 1'000, 2'000);
  for (int i = 0; i < 10'000; ++i) text.feed("line " + std::to_string(i) + "\r\n");
  const std::string all = text.text();
  EXPECT_TRUE(all.starts_with("line 0\nline 1\n"));
  EXPECT_TRUE(all.ends_with("line 9998\nline 9999\n"));
  EXPECT_NE(all.find("bytes are left out here"), all.npos);
  EXPECT_LT(all.size(), 4'000u);
  EXPECT_GT(text.left_out(), 0u);
}

TEST(TerminalText, AMillionStepsOfAProgressBarAreOneLine) {
  TerminalText text;
  for (int i = 0; i < 100'000; ++i) text.feed("\r" + std::to_string(i));
  EXPECT_EQ(text.text(), "99999");
}

TEST(TerminalText, AnEndlessLineIsBounded) {
  TerminalText text(10, 1'000, 2'000);
  for (int i = 0; i < 1'000; ++i) text.feed(std::string(1'000, 'x'));
  EXPECT_LT(text.text().size(), 400'000u);
}

TEST(TerminalText, LastLinesAreThoseThatPeopleSee) {
  TerminalText text(3);
  for (int i = 0; i < 20; ++i) text.feed("line " + std::to_string(i) + "\n");
  EXPECT_EQ(text.last_lines(2, 100), "line 18\nline 19");
  EXPECT_TRUE(is_valid_utf8(text.last_lines(8, 7)));
}

}  // namespace
}  // namespace toolgate
