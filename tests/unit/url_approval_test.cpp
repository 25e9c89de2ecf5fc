#include "invoke/url_approval.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace toolgate {
namespace {

bool approves(std::string_view url, std::vector<UrlRule> rules) {
  return approving_pattern(url, rules, UrlSide::Request).has_value();
}

UrlRule allow(std::string_view pattern) {
  return {std::string(pattern), true, true};
}

UrlRule refuse(std::string_view pattern) {
  return {std::string(pattern), false, false};
}

TEST(UrlApproval, SaysWhichPatternApproved) {
  const std::vector<UrlRule> rules{{"https://a.test/x", std::nullopt, true}, allow("a.test")};
  EXPECT_EQ(approving_pattern("https://a.test/x", rules, UrlSide::Request), "a.test");
  EXPECT_EQ(approving_pattern("https://a.test/x", rules, UrlSide::Response), "https://a.test/x");
  EXPECT_EQ(approving_pattern("https://b.test/x", rules, UrlSide::Request), std::nullopt);
}

TEST(UrlApproval, AnEarlierRefusalIsNotOverruled) {
  EXPECT_FALSE(approves("https://a.test/x", {refuse("a.test"), allow("https://a.test/x")}));
  EXPECT_TRUE(approves("https://a.test/x", {allow("https://a.test/x"), refuse("a.test")}));
}

TEST(UrlApproval, APatternThatCannotBeReadMatchesNothing) {
  EXPECT_FALSE(approves("https://a.test", {allow("h*://a.test")}));
  EXPECT_FALSE(matches_url("https://a.test", "h*://a.test"));
  EXPECT_TRUE(approves("https://a.test", {refuse("h*://a.test"), allow("a.test")}));
}

// Each of these is fetched from another place than a rule for b.test sees, by some program.
TEST(UrlApproval, WhatProgramsReadDifferentlyIsNeverApproved) {
  const std::vector<UrlRule> rules{refuse("b.test"), allow("https://*"), allow("http://*")};
  ASSERT_TRUE(approves("https://a.test/b", rules));
  for (const char* url : {"https://b.test\\.a.test/",
                          "https://a.test@b.test/",
                          "https://b.test%2F.a.test/",
                          "https://b%2etest/",
                          "https://b.te\nst/",
                          "https://b.te\tst/",
                          "https://b.test./",
                          "https://\uFF42.test/",
                          "https://b\u3002test/",
                          "https:b.test",
                          "https:///b.test",
                          "https://:443/",
                          "http://2130706433/",
                          "http://0x7f.1/",
                          "http://127.1/",
                          "http://010.0.0.1/",
                          "http://1.2.3.256/",
                          "https://b.test:0443/",
                          "https://b.test:/",
                          "https://b.test:x/",
                          "http://[0:0::1]/",
                          "http://[::1%25eth0]/",
                          "http://[::1]x/",
                          "http://[::1/",
                          "//b.test/",
                          "b.test"})
    EXPECT_FALSE(approves(url, rules)) << url;
}

TEST(UrlApproval, DotSegmentsAreNeverApproved) {
  for (const char* url : {"https://a.test/x/../y", "https://a.test/x/%2e%2e/y", "https://a.test/..",
                          "https://a.test/x/./y", "https://a.test/x%2F..%2Fy"})
    EXPECT_FALSE(approves(url, {allow("a.test")})) << url;
  EXPECT_TRUE(approves("https://a.test/x/..y/z.", {allow("a.test")}));
}

TEST(UrlApproval, CaseOfTheHostDoesNotMatter) {
  EXPECT_FALSE(approves("https://B.TEST/", {refuse("b.test"), allow("https://*")}));
  EXPECT_FALSE(approves("https://b.test/", {refuse("https://B.Test"), allow("https://*")}));
  EXPECT_FALSE(approves("https://b.test/X", {allow("https://b.test/x")}));
}

TEST(UrlApproval, CaseOfPathsDoesNotMatterOnGitHub) {
  EXPECT_TRUE(approves("https://github.com/A/B", {allow("https://github.com/a")}));
  EXPECT_FALSE(approves("https://GitHub.com/A", {refuse("*.github.com/a"), allow("https://*")}));
}

TEST(UrlApproval, AUsualPortGoesWithoutSaying) {
  EXPECT_FALSE(approves("https://b.test:443/", {refuse("b.test"), allow("https://*")}));
  EXPECT_FALSE(approves("http://b.test:80/", {refuse("b.test"), allow("http://*")}));
  EXPECT_TRUE(approves("https://b.test:443/", {allow("https://b.test:443")}));
  EXPECT_FALSE(approves("http://b.test:443/", {allow("b.test")}));
  EXPECT_FALSE(approves("https://b.test/", {allow("https://b.test:443")}));
}

TEST(UrlApproval, EveryUrlMustBeApproved) {
  const std::vector<UrlRule> rules{allow("a.test")};
  const auto all = [&](std::vector<std::string> urls) {
    return approves_urls(urls, rules, UrlSide::Request);
  };
  EXPECT_TRUE(all({"https://a.test/1", "http://a.test/2"}));
  EXPECT_FALSE(all({"https://a.test/1", "https://b.test"}));
  EXPECT_FALSE(all({}));
}

TEST(UrlApproval, LongUrlsAreNotApproved) {
  EXPECT_TRUE(approves("https://a.test/" + std::string(60'000, 'x'), {allow("a.test")}));
  EXPECT_FALSE(approves("https://a.test/" + std::string(70'000, 'x'), {allow("a.test")}));
}

TEST(UrlApproval, WhatIsOfferedApprovesTheUrl) {
  for (const char* url : {"https://a.b.c.test/x/y/?q=1#f", "http://1.2.3.4:80/x", "https://[::1]/x",
                          "https://a.test//x//y", "https://a.test/%2541/%25", "ws://a.test/x/"}) {
    const auto patterns = offered_url_patterns(url);
    EXPECT_GE(patterns.size(), 2U) << url;
    for (const std::string& pattern : patterns)
      EXPECT_TRUE(approves(url, {allow(pattern)})) << url << " by " << pattern;
  }
}

TEST(UrlApproval, NothingWiderThanItReadsIsOffered) {
  EXPECT_EQ(offered_url_patterns("https://a.test/*/x"), std::vector<std::string>{"https://a.test"});
  EXPECT_EQ(offered_url_patterns("https://10.1.2.3"), std::vector<std::string>{"https://10.1.2.3"});
  EXPECT_TRUE(offered_url_patterns("https://*.test/").empty());
  EXPECT_TRUE(offered_url_patterns("https://a@b.test/").empty());
  EXPECT_TRUE(offered_url_patterns("not a url").empty());
}

}  // namespace
}  // namespace toolgate
