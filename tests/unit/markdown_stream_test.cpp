#include "cli/markdown_stream.h"

#include <regex>

#include <gtest/gtest.h>

namespace toolgate {
namespace {

// Escapes as <b>, <code>, <dim> and </>.
std::string readable(std::string text) {
  const std::pair<std::string, std::string> words[] = {
      {"\x1b[1m", "<b>"}, {"\x1b[36m", "<code>"}, {"\x1b[2m", "<dim>"}, {"\x1b[0m", "</>"}};
  for (const auto& [code, word] : words)
    for (std::size_t at = 0; (at = text.find(code, at)) != text.npos;)
      text.replace(at, code.size(), word);
  return text;
}

std::string shown(std::string_view text, std::size_t piece, bool colour = true) {
  const Terminal terminal(stdout, 80, colour);
  MarkdownStream stream(terminal);
  std::string out;
  for (std::size_t at = 0; at < text.size(); at += piece)
    out += stream.feed(text.substr(at, piece));
  return readable(out + stream.finish());
}

std::string shown(std::string_view text) {
  return shown(text, text.size());
}

TEST(MarkdownStream, PaintsBoldCodeAndHeadings) {
  EXPECT_EQ(shown("a **bold** word"), "a <b>bold</> word");
  EXPECT_EQ(shown("run `ls -l` now"), "run <code>ls -l</> now");
  EXPECT_EQ(shown("## Title\ntext"), "<b>Title</>\ntext");
  EXPECT_EQ(shown("``a`b``"), "<code>a`b</>");
}

TEST(MarkdownStream, PaintsFencedCode) {
  EXPECT_EQ(shown("```py\nx = **2\n```\nend"), "<dim>```py</>\n<code>x = **2</>\n<dim>```</>\nend");
}

TEST(MarkdownStream, WhatIsNoMarkStays) {
  EXPECT_EQ(shown("2**3**4 and a * b ** c"), "2**3**4 and a * b ** c");
  EXPECT_EQ(shown("a `tick alone\nnext"), "a `tick alone\nnext");
  EXPECT_EQ(shown("**never closed\nnext"), "**never closed\nnext");
  EXPECT_EQ(shown("#hashtag\n####### seven"), "#hashtag\n####### seven");
  EXPECT_EQ(shown("** "), "** ");
  EXPECT_EQ(shown(std::string(1000, 'x').insert(0, "`")), std::string(1000, 'x').insert(0, "`"));
}

TEST(MarkdownStream, ComesOutTheSameHoweverItIsCut) {
  constexpr std::string_view kText =
      "# Head `c`\n\nSome **bold** and `code` … 日本 2**3\n```sh\necho `x` **y**\n```\n* "
      "one\n**end**";
  const std::regex escapes("</?(b|code|dim)?>");
  const std::string whole = std::regex_replace(shown(kText), escapes, "");
  for (std::size_t piece = 1; piece < 9; ++piece)
    EXPECT_EQ(std::regex_replace(shown(kText, piece), escapes, ""), whole) << piece;
  EXPECT_EQ(whole.find("\ufffd"), whole.npos);
}

TEST(MarkdownStream, TextThatCanBeToldComesAtOnce) {
  const Terminal terminal(stdout, 80, true);
  MarkdownStream stream(terminal);
  EXPECT_EQ(stream.feed("plain "), "plain ");
  EXPECT_EQ(stream.feed("words *"), "words ");
  EXPECT_EQ(stream.feed("x"), "*x");
}

TEST(MarkdownStream, ControlCharactersAreShown) {
  EXPECT_EQ(shown("a\x1b[2Jb\tc\r\n"), "a\\x1b[2Jb\tc\n");
  EXPECT_EQ(shown("`\x1b]0;x`"), "<code>\\x1b]0;x</>");
}

TEST(MarkdownStream, WithoutColourTheTextIsAsItWas) {
  EXPECT_EQ(shown("# a **b** `c`\n```\n", 3, false), "# a **b** `c`\n```\n");
}

}  // namespace
}  // namespace toolgate
