#include <string>

#include <gtest/gtest.h>

#include "schema/formats.h"
#include "schema/pattern.h"

namespace toolgate {
namespace {

bool found(std::string_view pattern, std::string_view text) {
  const auto made = Pattern::make(pattern);
  EXPECT_TRUE(made) << pattern << ": " << made.error().message;
  return made && (*made)->match(text) == Pattern::Outcome::Match;
}

TEST(SchemaPattern, ReadsEcmaScript) {
  EXPECT_TRUE(found("^\\u{1F600}\\u0041\\x42\\cJ$", "😀AB\n"));
  EXPECT_TRUE(found("^\\ud83d\\ude00$", "😀"));
  EXPECT_TRUE(found("^\\p{Letter}+\\p{Script=Greek}$", "äα"));
  EXPECT_TRUE(found("^\\P{Lu}$", "a"));
  EXPECT_TRUE(found("^\\/[\\w-]+\\/$", "/a-b_1/"));
  EXPECT_TRUE(found("^[[:alpha:]]$", "a]"));
  EXPECT_TRUE(found("^[^]$", "\n"));
  EXPECT_FALSE(found("[]", "anything"));
  EXPECT_TRUE(found("^(?<year>\\d{4})-\\k<year>$", "2024-2024"));
  EXPECT_TRUE(found("^(a)?\\1b$", "b"));
  EXPECT_TRUE(found("^(?!x)(?=a).(?<=a)(?<!b)$", "a"));
  EXPECT_TRUE(found("^[\\s\\S]$", "\n"));
  EXPECT_TRUE(found("^[\\b]$", "\b"));
  EXPECT_TRUE(found("\\_\\-\\@", "_-@"));
  EXPECT_FALSE(found("^\\w$", "é"));
  EXPECT_FALSE(found("^\\d$", "٣"));
  EXPECT_FALSE(found("a$", "a\n"));
  EXPECT_FALSE(found("^b", "a\nb"));
  EXPECT_TRUE(found("^(?i)abc$", "ABC"));
}

TEST(SchemaPattern, RefusesWhatEcmaScriptDoesNotKnow) {
  for (const char* pattern :
       {"[",    "(",     "*a",      "(*ACCEPT)",   "(?R)", "(?>a)", "(?#x)",
        "a\\",  "\\Z",   "\\a",     "\\Qa\\E",     "\\C",  "\\u12", "\\x1",
        "\\c1", "[\\B]", "\\ud800", "\\p{NoSuch}", "(?1)", "\\01",  "(?|a)"}) {
    EXPECT_FALSE(Pattern::make(pattern)) << pattern;
  }
  EXPECT_FALSE(translate_pattern("(?P<n>a)", true));
  EXPECT_FALSE(translate_pattern("(?i)a", true));
}

TEST(SchemaPattern, EndsUnderItsLimit) {
  const auto made = *Pattern::make("^(a|aa)+$");
  EXPECT_EQ(made->match(std::string(5000, 'a') + "b"), Pattern::Outcome::Exhausted);
  EXPECT_EQ(made->match("aaa"), Pattern::Outcome::Match);
}

struct FormatCase {
  const char* format;
  const char* right;
  const char* wrong;
};

TEST(SchemaFormats, TellRightFromWrong) {
  const FormatCase cases[] = {
      {"date-time", "2024-02-29T23:59:60Z", "2023-02-29T00:00:00Z"},
      {"date-time", "1990-12-31T15:59:50.123-08:00", "1990-12-31 15:59:50Z"},
      {"date", "2000-02-29", "1900-02-29"},
      {"time", "08:30:06.28Z", "24:00:00Z"},
      {"duration", "P4DT12H30M5S", "P1D2H"},
      {"duration", "P2W", "P1W2D"},
      {"email", "\"joe bloggs\"@example.com", "a@b@c"},
      {"email", "te~st@[127.0.0.1]", ".test@example.com"},
      {"idn-email", "실례@실례.테스트", "2962"},
      {"hostname", "xn--4gbwdl.xn--wgbh1c", "-a.com"},
      {"hostname", "a.example", "a..example"},
      {"idn-hostname", "실례.테스트", "〮실례.테스트"},
      {"ipv4", "192.168.0.1", "192.168.0.01"},
      {"ipv6", "::ffff:192.168.0.1", "1::2::3"},
      {"ipv6", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7"},
      {"uri", "http://foo.bar/?q=Test%20URL#f", "//foo.bar/baz"},
      {"uri", "urn:oasis:names", "http:// shouldfail.com"},
      {"uri-reference", "/abc?x", "\\\\WINDOWS\\file"},
      {"iri", "http://ƒøø.ßår/?∂éœ=πîx#πîüx", "http://2001:0db8::8a2e"},
      {"iri-reference", "/âππ", "#ƒräg\\mênt"},
      {"uri-template", "http://example.com/{term:1}/{term*}", "http://example.com/{term"},
      {"uuid", "2eb8aa08-AA98-11ea-b4aa-73b441d16380", "2eb8aa08aa9811eab4aa73b441d16380"},
      {"json-pointer", "/foo/bar~0/baz~1/%a", "/foo/bar~"},
      {"relative-json-pointer", "120/foo/bar", "01/a"},
      {"regex", "([abc])+\\s+$", "^(abc]"},
  };
  for (const FormatCase& each : cases) {
    const Format format = format_named(each.format);
    ASSERT_NE(format, Format::Unknown) << each.format;
    EXPECT_TRUE(matches_format(format, each.right)) << each.format << " " << each.right;
    EXPECT_FALSE(matches_format(format, each.wrong)) << each.format << " " << each.wrong;
  }
  EXPECT_EQ(format_named("int32"), Format::Unknown);
}

}  // namespace
}  // namespace toolgate
