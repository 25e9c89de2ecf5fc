#include "builtin/text_form.h"

#include <gtest/gtest.h>

#include "builtin/string_replace.h"

namespace toolgate {
namespace {

TEST(TextForm, MarksAndLineEndsAreTakenAway) {
  const auto plain = read_plain_text(
      "\xEF\xBB\xBF"
      "a\r\nb\r\n",
      "f");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->text, "a\nb\n");
  EXPECT_TRUE(plain->form.has_mark);
  EXPECT_TRUE(plain->form.ends_with_crlf);
  EXPECT_FALSE(plain->form.is_mixed);
  EXPECT_EQ(read_plain_text("a\rb\n", "f")->text, "a\rb\n") << "a lone CR is a character";
}

TEST(TextForm, WhatIsNoTextIsRefused) {
  EXPECT_NE(read_plain_text(std::string_view("a\0b", 3), "f").error().message.find("f is binary"),
            std::string::npos);
  EXPECT_NE(read_plain_text("caf\xE9", "f").error().message.find("f is not UTF-8"),
            std::string::npos);
}

TEST(TextForm, TheFormIsKept) {
  EXPECT_EQ(write_in_form("a\nc\n",
                          "\xEF\xBB\xBF"
                          "a\r\nb\r\n"),
            "\xEF\xBB\xBF"
            "a\r\nc\r\n");
  EXPECT_EQ(write_in_form("a\r\nc\r\n", "a\nb\n"), "a\nc\n");
  EXPECT_EQ(write_in_form("\xEF\xBB\xBF"
                          "x\n",
                          "\xEF\xBB\xBF"
                          "y\n"),
            "\xEF\xBB\xBF"
            "x\n");
  EXPECT_EQ(write_in_form("a\n", ""), "a\n");
}

TEST(TextForm, LinesThatStayKeepTheirOwnEnd) {
  EXPECT_EQ(write_in_form("a\nb\nnew\nc\nd\n", "a\r\nb\nc\r\nd\r\n"), "a\r\nb\nnew\r\nc\r\nd\r\n");
  EXPECT_EQ(write_in_form("b\nc\n", "a\r\nb\nc\n"), "b\nc\n");
  EXPECT_EQ(write_in_form("a\nb\nc\n", "a\r\nb\nc\n"), "a\r\nb\nc\n");
}

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  const auto done = replace_once(text, from, to, "f");
  return done ? *done : done.error().message;
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != text.npos;
}

TEST(ReplaceOnce, ReplacesWhatStandsThereOnce) {
  EXPECT_EQ(replaced("one two", "two", "2"), "one 2");
  EXPECT_EQ(replaced("one", "one", ""), "");
  EXPECT_EQ(replaced("", "", "new"), "new");
}

TEST(ReplaceOnce, SaysHowOftenAndWhere) {
  EXPECT_TRUE(has(replaced("a\nb\na\n", "a", "c"), "stands 2 times in f, at lines 1, 3"));
  EXPECT_TRUE(has(replaced("aaa", "aa", "c"), "stands 2 times")) << "also where they overlap";
  EXPECT_TRUE(has(replaced("a", "a", "a"), "are the same"));
  EXPECT_TRUE(has(replaced("a", "", "b"), "oldString is empty"));
}

TEST(ReplaceOnce, SaysWhatIsNearest) {
  EXPECT_TRUE(has(replaced("x\n\tif (a)\n\t\tb();\n", "if (a)\n  b();", ""),
                  "at line 2 it stands with other indentation"));
  EXPECT_TRUE(has(replaced("int counter = 1;\nint other;\n", "int countr = 1;", ""),
                  "the nearest is line 1: int counter = 1;"));
  EXPECT_TRUE(has(replaced("abc\n", "something else entirely", ""), "read the file again"));
}

}  // namespace
}  // namespace toolgate
