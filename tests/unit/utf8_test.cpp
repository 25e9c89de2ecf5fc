// UTF-8 checks and repairs.
#include "base/utf8.h"

#include <gtest/gtest.h>

namespace toolgate {
namespace {

TEST(Utf8, AcceptsEveryLengthOfCharacter) {
  EXPECT_TRUE(is_valid_utf8(""));
  EXPECT_TRUE(is_valid_utf8("plain text longer than eight bytes"));
  EXPECT_TRUE(is_valid_utf8("é € 😀 \xF4\x8F\xBF\xBF"));
}

TEST(Utf8, RefusesOverlongSurrogatesAndStrayBytes) {
  for (const std::string_view text :
       {"\xC0\x80", "\xC1\xBF", "\xE0\x80\x80", "\xED\xA0\x80", "\xF0\x80\x80\x80",
        "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\x80", "\xFF", "abc\xE2\x82", "12345678\xBF"})
    EXPECT_FALSE(is_valid_utf8(text)) << text;
}

TEST(Utf8, MendingKeepsWhatIsValid) {
  EXPECT_EQ(mend_utf8("a€b"), "a€b");
  EXPECT_EQ(mend_utf8("a\xFF"
                      "b"),
            "a\xEF\xBF\xBD"
            "b");
  EXPECT_EQ(mend_utf8("a\xE2\x82"), "a\xEF\xBF\xBD");
  EXPECT_EQ(mend_utf8("\xE2\x82"
                      "A"),
            "\xEF\xBF\xBD"
            "A");
}

TEST(Utf8, MendedTextIsValidForEveryPairOfBytes) {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const std::string text{static_cast<char>(first), static_cast<char>(second), 'x'};
      const std::string mended = mend_utf8(text);
      ASSERT_TRUE(is_valid_utf8(mended)) << first << " " << second;
      ASSERT_EQ(mended == text, is_valid_utf8(text)) << first << " " << second;
    }
  }
}

TEST(Utf8, TailIsTheBeginningOfACharacterOnly) {
  EXPECT_EQ(incomplete_utf8_tail(""), 0U);
  EXPECT_EQ(incomplete_utf8_tail("a€"), 0U);
  EXPECT_EQ(incomplete_utf8_tail("a\xE2"), 1U);
  EXPECT_EQ(incomplete_utf8_tail("a\xE2\x82"), 2U);
  EXPECT_EQ(incomplete_utf8_tail("\xF0\x9F\x98"), 3U);
  EXPECT_EQ(incomplete_utf8_tail("\x80\x80\x80\x80"), 0U);
  EXPECT_EQ(incomplete_utf8_tail("\xED\xA0"), 0U);
  EXPECT_EQ(incomplete_utf8_tail("a\xFF"), 0U);
}

}  // namespace
}  // namespace toolgate
