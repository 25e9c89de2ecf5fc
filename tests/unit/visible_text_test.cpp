#include "invoke/visible_text.h"

#include <string>

#include <gtest/gtest.h>

namespace toolgate {
namespace {

TEST(VisibleText, LeavesWhatCanBeRead) {
  for (const char* text : {"", "rm -rf /tmp/x", "Grüße, мир, 世界, שלום, سلام", "🦀 ✔ →", "e\u0301",
                           "⟨braket⟩", "a\u00A0b\u3000c", "नमस्ते"})
    EXPECT_EQ(visible_text(text), text);
}

TEST(VisibleText, NamesControlCharacters) {
  EXPECT_EQ(visible_text("a\x1b[2Jb\r\b\x7f"), "a⟨U+001B⟩[2Jb⟨U+000D⟩⟨U+0008⟩⟨U+007F⟩");
  EXPECT_EQ(visible_text("\u0085\u009B"), "⟨U+0085⟩⟨U+009B⟩");
  EXPECT_EQ(visible_text(std::string_view("\0", 1)), "⟨U+0000⟩");
}

TEST(VisibleText, LinesAndTabsStandWhereTheyMay) {
  EXPECT_EQ(visible_text("a\n\tb"), "a\n\tb");
  EXPECT_EQ(visible_text("a\n\tb", false), "a⟨U+000A⟩⟨U+0009⟩b");
}

TEST(VisibleText, NamesWhatReorders) {
  EXPECT_EQ(visible_text("a\u202Etxt.exe\u202C"), "a⟨U+202E⟩txt.exe⟨U+202C⟩");
  EXPECT_EQ(visible_text("\u061C\u200E\u200F\u2066\u2069"),
            "⟨U+061C⟩⟨U+200E⟩⟨U+200F⟩⟨U+2066⟩⟨U+2069⟩");
}

TEST(VisibleText, NamesWhatCannotBeSeen) {
  EXPECT_EQ(visible_text("a\u200Bb\u200Dc\uFEFFd\u00AD"), "a⟨U+200B⟩b⟨U+200D⟩c⟨U+FEFF⟩d⟨U+00AD⟩");
  EXPECT_EQ(visible_text("\u115F\u1160\u3164\uFFA0\u2800\u034F\u17B4\u180E"),
            "⟨U+115F⟩⟨U+1160⟩⟨U+3164⟩⟨U+FFA0⟩⟨U+2800⟩⟨U+034F⟩⟨U+17B4⟩⟨U+180E⟩");
  EXPECT_EQ(visible_text("\u2028\u2029\u2060\u2064\uFFF9\uFFFB"),
            "⟨U+2028⟩⟨U+2029⟩⟨U+2060⟩⟨U+2064⟩⟨U+FFF9⟩⟨U+FFFB⟩");
  EXPECT_EQ(visible_text("\U000E0041\U000E007F\U000E0100\U0010FFFD\uE000"),
            "⟨U+E0041⟩⟨U+E007F⟩⟨U+E0100⟩⟨U+10FFFD⟩⟨U+E000⟩");
}

TEST(VisibleText, OneVariationSelectorMayStyleAnEmoji) {
  EXPECT_EQ(visible_text("✔\uFE0F1\uFE0F❤\uFE0E"), "✔\uFE0F1\uFE0F❤\uFE0E");
  EXPECT_EQ(visible_text("😀\uFE0F\uFE0F\uFE01"), "😀\uFE0F⟨U+FE0F⟩⟨U+FE01⟩");
  EXPECT_EQ(visible_text("a\uFE0F"), "a⟨U+FE0F⟩");
  EXPECT_EQ(visible_text("\uFE0F"), "⟨U+FE0F⟩");
}

TEST(VisibleText, MarksDoNotPileUp) {
  EXPECT_EQ(visible_text("a\u0301\u0302\u0303\u0304\u0305"), "a\u0301\u0302\u0303\u0304⟨U+0305⟩");
  EXPECT_EQ(visible_text("\u0338x"), "⟨U+0338⟩x");
  EXPECT_EQ(visible_text("x\n\u0338"), "x\n⟨U+0338⟩");
}

TEST(VisibleText, NamesBytesThatAreNoUtf8) {
  EXPECT_EQ(visible_text("a\x9b"
                         "b\xc3"),
            "a⟨0x9B⟩b⟨0xC3⟩");
  EXPECT_EQ(visible_text("\xed\xa0\x80"), "⟨0xED⟩⟨0xA0⟩⟨0x80⟩");
  EXPECT_EQ(visible_text("\xc0\x80\xf5"), "⟨0xC0⟩⟨0x80⟩⟨0xF5⟩");
  EXPECT_EQ(visible_text("\xf0\x9f\x98"), "⟨0xF0⟩⟨0x9F⟩⟨0x98⟩");
}

TEST(VisibleText, OtherTextsNeverLookTheSame) {
  EXPECT_EQ(visible_text("⟨U+202E⟩"), "⟨U+27E8⟩U+202E⟩");
  EXPECT_EQ(visible_text("⟨0x9B⟩"), "⟨U+27E8⟩0x9B⟩");
  EXPECT_NE(visible_text("⟨U+202E⟩"), visible_text("\u202E"));
}

}  // namespace
}  // namespace toolgate
