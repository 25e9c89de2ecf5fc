// What is chosen of a page that is too long.
#include "builtin/passages.h"

#include <gtest/gtest.h>

#include "builtin/readable_text.h"

namespace toolgate {
namespace {

// Headings with a text of about `bytes` bytes each.
std::vector<ReadableBlock> sections(std::initializer_list<std::string_view> words,
                                    std::size_t bytes) {
  std::vector<ReadableBlock> blocks;
  for (const std::string_view word : words) {
    blocks.push_back({.text = "## About " + std::string(word), .heading = 2});
    std::string text = "This part tells of " + std::string(word) + ".";
    while (text.size() < bytes) text += " Filling.";
    blocks.push_back({.text = text});
  }
  return blocks;
}

TEST(Passages, AShortPageIsWhole) {
  const auto blocks = sections({"apples", "pears"}, 100);
  const Passages chosen = choose_passages(blocks, "pears", 10'000);
  EXPECT_EQ(chosen.text, write_blocks(blocks));
  EXPECT_FALSE(chosen.is_shortened);
}

TEST(Passages, OfALongOneTheBeginningAndWhatIsAskedForStay) {
  const auto blocks = sections({"apples", "plums", "cherries", "pears", "grapes"}, 1'000);
  const Passages chosen = choose_passages(blocks, "What of a CHERRY and of cherries?", 2'300);
  EXPECT_TRUE(chosen.is_shortened);
  EXPECT_NE(chosen.text.find("About apples"), std::string::npos);
  EXPECT_NE(chosen.text.find("About cherries"), std::string::npos);
  EXPECT_EQ(chosen.text.find("About pears"), std::string::npos);
  EXPECT_LT(chosen.text.find("About apples"), chosen.text.find("[…]"));
  EXPECT_LT(chosen.text.find("[…]"), chosen.text.find("About cherries"));
  EXPECT_TRUE(chosen.text.ends_with("[…]"));
  EXPECT_LE(chosen.text.size(), 2'400u);
}

TEST(Passages, KeepTheOrderOfThePage) {
  const auto blocks = sections({"one", "two", "three", "four"}, 900);
  const Passages chosen = choose_passages(blocks, "four four two", 2'900);
  EXPECT_LT(chosen.text.find("About two"), chosen.text.find("About four"));
  EXPECT_EQ(chosen.text.find("About three"), std::string::npos);
}

TEST(Passages, WithoutAHintTheBeginningIsShown) {
  const auto blocks = sections({"one", "two", "three", "four"}, 900);
  for (const std::string_view query : {"", "the of and", "nothing of it"}) {
    const Passages chosen = choose_passages(blocks, query, 1'900);
    EXPECT_NE(chosen.text.find("About two"), std::string::npos) << query;
    EXPECT_EQ(chosen.text.find("About three"), std::string::npos) << query;
  }
}

TEST(Passages, AHeadingAboveCountsForWhatIsBelow) {
  std::vector<ReadableBlock> blocks = sections({"one", "two"}, 900);
  blocks.push_back({.text = "## Installation", .heading = 2});
  blocks.push_back({.text = "### Linux", .heading = 3});
  blocks.push_back({.text = "Run the program." + std::string(800, '.')});
  const Passages chosen = choose_passages(blocks, "installation", 1'950);
  EXPECT_NE(chosen.text.find("Run the program"), std::string::npos);
}

TEST(Passages, ALongParagraphIsCutAtSentences) {
  std::string text;
  for (int i = 0; i < 400; ++i) text += fmt::format("Sentence number {} is here. ", i);
  const Passages chosen = choose_passages({{.text = text}}, "sentence 300", 4'000);
  EXPECT_NE(chosen.text.find("Sentence number 300 is here. Sentence number 301"),
            std::string::npos);
  EXPECT_NE(chosen.text.find("is here. \n\n[…]\n\nSentence"), std::string::npos);
  EXPECT_EQ(chosen.text.find("Sentence number 200 "), std::string::npos);
}

TEST(Passages, CodeStaysWhole) {
  std::string code = "```\n";
  for (int i = 0; i < 400; ++i) code += "line of code\n";
  code += "```";
  const std::vector<ReadableBlock> blocks{{.text = "Intro"}, {.text = code}, {.text = "Outro"}};
  EXPECT_EQ(choose_passages(blocks, "code", 4'000).text, "Intro\n\n[…]\n\nOutro");
  EXPECT_NE(choose_passages(blocks, "code", code.size() + 100).text.find(code), std::string::npos);
}

TEST(Passages, OneEndlessLineIsCutAtACharacter) {
  std::string text;
  while (text.size() < 10'000) text += "ä";
  const Passages chosen = choose_passages({{.text = text}}, "x", 1'001);
  EXPECT_TRUE(chosen.text.ends_with("ä […]"));
  EXPECT_LT(chosen.text.size(), 1'100u);
}

TEST(Passages, NothingIsNothing) {
  EXPECT_EQ(choose_passages({}, "x", 0).text, "");
}

TEST(ReadableText, PlainTextIsCutAtLinesAndKnowsHeadings) {
  const ReadablePage page = read_plain_text("# Title\r\nline\n\n\nnext\n#no heading");
  ASSERT_EQ(page.blocks.size(), 4u);
  EXPECT_EQ(page.blocks[0].heading, 1);
  EXPECT_EQ(page.blocks[3].heading, 0);
  EXPECT_EQ(write_blocks(page.blocks), "# Title\nline\n\nnext\n#no heading");
}

// Pages that make a parser which keeps to the standard run for minutes, or overflow the stack.
TEST(ReadableText, HostilePagesEndSoon) {
  const auto repeated = [](std::string_view text, int times) {
    std::string out;
    for (int i = 0; i < times; ++i) out += text;
    return out;
  };
  std::string fonts;
  for (int i = 0; i < 3'000; ++i) fonts += fmt::format("<font size={}>", i);
  const HttpUrl url = parse_http_url("https://site.example/").value();
  for (const std::string& html :
       {repeated("<div>", 100'000), fonts + repeated("<p>x", 5'000), repeated("<a>", 100'000),
        repeated("<table><tr><td>", 20'000), repeated("<ul><li>x", 20'000),
        repeated("<blockquote>x", 20'000), repeated("<h1><div>", 20'000),
        repeated("<header>", 20'000), repeated("<code>", 20'000) + "x"}) {
    const auto page = read_html(html, url);
    if (!page) EXPECT_NE(page.error().message.find("nested"), std::string::npos);
  }
}

// A few bytes of HTML become many of text: before each line stand the marks of all quotations
// around it, and a link is as long as the page's base.
TEST(ReadableText, APageIsNotManyTimesAsLongAsItsHtml) {
  const auto repeated = [](std::string_view text, std::size_t times) {
    std::string out;
    for (std::size_t i = 0; i < times; ++i) out += text;
    return out;
  };
  const HttpUrl url = parse_http_url("https://site.example/").value();
  const std::string base = "<base href='https://site.example/" + repeated("long/", 180) + "'>";
  for (const std::string& html :
       {repeated("<blockquote>", 190) + "<pre>x" + repeated("\n", 300'000) + "y",
        repeated("<ol start=1000000><li>", 90) + repeated("x<br>", 60'000),
        base + "<p>" + repeated("<a href=a>b</a>", 20'000),
        base + "<table>" + repeated("<tr><td><a href=a>b</a><td>c", 10'000)}) {
    const auto page = read_html(html, url);
    ASSERT_TRUE(page) << page.error().message;
    std::size_t bytes = 0;
    for (const ReadableBlock& block : page->blocks) bytes += block.text.size();
    EXPECT_LT(bytes, 4 * html.size() + (2 << 20)) << html.substr(0, 100);
    ASSERT_FALSE(page->blocks.empty());
    EXPECT_TRUE(page->blocks.back().text.contains("is left out")) << html.substr(0, 100);
  }
}

TEST(ReadableText, DeepQuotationsKeepTwentyMarks) {
  std::string html;
  for (int i = 0; i < 50; ++i) html += "<blockquote>";
  const auto page = read_html(html + "deep", parse_http_url("http://a.example").value());
  ASSERT_TRUE(page);
  std::string marks;
  for (int i = 0; i < 20; ++i) marks += "> ";
  EXPECT_EQ(write_blocks(page->blocks), marks + "deep");
}

TEST(ReadableText, WhatIsNestedDeepIsReadAsText) {
  std::string html;
  for (int i = 0; i < 1'000; ++i) html += "<div>";
  const auto page =
      read_html(html + "deep <b>down</b>", parse_http_url("http://a.example").value());
  ASSERT_TRUE(page);
  EXPECT_EQ(write_blocks(page->blocks), "deep down");
}

}  // namespace
}  // namespace toolgate
