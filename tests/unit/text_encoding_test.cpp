// Pages in other encodings than UTF-8.
#include "builtin/text_encoding.h"

#include <gtest/gtest.h>

namespace toolgate {
namespace {

TEST(TextEncoding, TheHeaderNamesIt) {
  EXPECT_EQ(charset_of("text/html; charset=ISO-8859-1"), "iso-8859-1");
  EXPECT_EQ(charset_of("text/html;boundary=x; Charset = \"utf-8\" "), "utf-8");
  EXPECT_EQ(charset_of("text/html; charset='koi8-r';x"), "koi8-r");
  EXPECT_EQ(charset_of("text/charset=x"), "");
  EXPECT_EQ(charset_of("text/html; charset"), "");
  EXPECT_EQ(charset_of(""), "");
}

TEST(TextEncoding, ThePageNamesItInItsFirstBytes) {
  EXPECT_EQ(charset_in_page("<!doctype html><META CharSet=Windows-1251>"), "windows-1251");
  EXPECT_EQ(
      charset_in_page(
          R"(<meta name=x><meta http-equiv="Content-Type" content="text/html; charset=big5">)"),
      "big5");
  EXPECT_EQ(charset_in_page("<meta name=charset content=x>"), "");
  EXPECT_EQ(charset_in_page("<meta charset=utf-16>"), "utf-8");
  EXPECT_EQ(charset_in_page(std::string(2'000, ' ') + "<meta charset=big5>"), "");
}

struct Case {
  std::string_view bytes;
  std::string_view label;
  std::string_view text;
  std::string_view encoding;
};

TEST(TextEncoding, BytesBecomeUtf8) {
  using namespace std::string_view_literals;
  for (const Case& each : {
           Case{"gr\xFC\xDF \x80", "iso-8859-1", "grüß €", "windows-1252"},
           Case{"gr\xFC\xDF", "", "grüß", "windows-1252"},
           Case{"grüß", "", "grüß", "utf-8"},
           Case{"grüß", "no-such-thing", "grüß", "utf-8"},
           Case{"gr\xFC\xDF", "utf-8", "gr\uFFFD\uFFFD", "utf-8"},
           Case{"\xEF\xBB\xBFgrüß", "iso-8859-1", "grüß", "utf-8"},
           Case{"\xFF\xFEg\0\xFC\0"sv, "utf-8", "gü", "utf-16le"},
           Case{"\xFE\xFF\0g\0\xFC"sv, "", "gü", "utf-16be"},
           Case{"\xD0\xD2\xC9\xD7\xC5\xD4", "KOI8-R", "привет", "koi8-r"},
           Case{"\x93\xFA\x96\x7B", "shift_jis", "日本", "cp932"},
           Case{"\x93\xFA\x96", "shift_jis", "日\uFFFD", "cp932"},
           Case{"a\x81\xFF z", "gbk", "a\uFFFD\uFFFD z", "gb18030"},
           Case{"+ADw-script+AD4-", "utf-7", "+ADw-script+AD4-", "utf-8"},
           Case{"", "big5", "", "big5-hkscs"},
       }) {
    const DecodedText decoded = decode_text(each.bytes, each.label);
    EXPECT_EQ(decoded.text, each.text) << each.label;
    EXPECT_EQ(decoded.encoding, each.encoding) << each.label;
  }
}

TEST(TextEncoding, LongTextsAreConvertedWhole) {
  const std::string bytes(100'000, '\xE4');
  EXPECT_EQ(decode_text(bytes, "latin1").text.size(), 200'000u);
}

}  // namespace
}  // namespace toolgate
