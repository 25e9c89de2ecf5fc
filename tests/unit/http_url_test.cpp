// URLs that requests are sent to, and where redirections lead.
#include "net/http_url.h"

#include <gtest/gtest.h>

namespace toolgate {
namespace {

std::string text_of(const HttpUrl& url) {
  return url.origin.url + url.target;
}

std::string follow(std::string_view from, std::string_view location) {
  const auto next = resolve_location(parse_http_url(from).value(), location);
  return next ? text_of(*next) : "refused: " + next.error().message;
}

TEST(HttpUrl, HasAPathWhateverIsLeftOut) {
  EXPECT_EQ(text_of(*parse_http_url("https://a.example")), "https://a.example/");
  EXPECT_EQ(text_of(*parse_http_url("HTTP://a.example:81?x=1")), "http://a.example:81/?x=1");
  EXPECT_EQ(text_of(*parse_http_url("http://[::1]:81/@me/%20?q=a/b?c")),
            "http://[::1]:81/@me/%20?q=a/b?c");
}

TEST(HttpUrl, RefusesWhatCouldBeReadInTwoWays) {
  for (const std::string_view url :
       {"", "a.example/x", "ftp://a.example/", "http://", "http:///x", "http://user@a.example/",
        "http://user:secret@a.example/", "http://a.example\\@b.example/", "http://a.example/#b",
        "http://a.example#b", "http://a.example/a b", "http://a.example/\r\nX: y",
        "http://a.example/\xC3\xA4", "http://a.example/{x}", "http://a.example:0/",
        "http://a.example:/", "http://[fe80::1%25eth0]/", "http://a.example/\"", "//a.example/"}) {
    const auto parsed = parse_http_url(url);
    ASSERT_FALSE(parsed) << url;
    EXPECT_EQ(parsed.error().message.find("secret"), std::string::npos);
  }
}

TEST(HttpUrl, ALocationIsResolvedAsRfc3986Says) {
  const std::string_view from = "http://a.example/b/c/d?q";
  EXPECT_EQ(follow(from, "http://b.example:8080/x?y"), "http://b.example:8080/x?y");
  EXPECT_EQ(follow(from, "https://a.example"), "https://a.example/");
  EXPECT_EQ(follow(from, "//b.example/x"), "http://b.example/x");
  EXPECT_EQ(follow(from, "/x/y?z"), "http://a.example/x/y?z");
  EXPECT_EQ(follow(from, "x"), "http://a.example/b/c/x");
  EXPECT_EQ(follow(from, "./x/"), "http://a.example/b/c/x/");
  EXPECT_EQ(follow(from, "../x"), "http://a.example/b/x");
  EXPECT_EQ(follow(from, "../../../../x"), "http://a.example/x");
  EXPECT_EQ(follow(from, ".."), "http://a.example/b/");
  EXPECT_EQ(follow(from, "."), "http://a.example/b/c/");
  EXPECT_EQ(follow(from, "/a/./b/../c"), "http://a.example/a/c");
  EXPECT_EQ(follow(from, "?x=../y"), "http://a.example/b/c/d?x=../y");
  EXPECT_EQ(follow(from, "#part"), "http://a.example/b/c/d?q");
  EXPECT_EQ(follow(from, "x#part"), "http://a.example/b/c/x");
  EXPECT_EQ(follow(from, "x?a=http://b/"), "http://a.example/b/c/x?a=http://b/");
}

TEST(HttpUrl, ALocationMayHoldWhatOughtToBeEscaped) {
  EXPECT_EQ(follow("http://a.example/", "/a b/\xC3\xA4?x=\"y\""),
            "http://a.example/a%20b/%C3%A4?x=%22y%22");
  EXPECT_EQ(follow("http://a.example/", "http://b.example/a b"), "http://b.example/a%20b");
}

TEST(HttpUrl, ALocationLeadsNowhereElseThanToHttp) {
  const std::string_view from = "https://a.example/";
  for (const std::string_view location :
       {"http://a.example/", "HTTP://b.example/", "file:///etc/passwd", "ftp://a.example/",
        "javascript:x", "https://user@b.example/", "https://b.example\\@c.example/",
        "https://b example/", "https:b", "/x\r\nX: y", "gopher://a.example/"})
    EXPECT_TRUE(follow(from, location).starts_with("refused")) << location;
  EXPECT_EQ(follow(from, "//b.example/"), "https://b.example/");
}

TEST(HttpUrl, AnOriginIsSchemeHostAndPort) {
  const auto same = [](std::string_view a, std::string_view b) {
    return same_origin(parse_http_url(a).value(), parse_http_url(b).value());
  };
  EXPECT_TRUE(same("http://a.example/x", "HTTP://A.Example:80/y"));
  EXPECT_FALSE(same("http://a.example/", "https://a.example/"));
  EXPECT_FALSE(same("http://a.example/", "https://a.example:80/"));
  EXPECT_FALSE(same("http://a.example/", "http://a.example:81/"));
  EXPECT_FALSE(same("http://a.example/", "http://b.example/"));
}

}  // namespace
}  // namespace toolgate
