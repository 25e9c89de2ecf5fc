// Base URLs of upstreams, taken apart.
#include "net/upstream_address.h"

#include <map>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace toolgate {
namespace {

TEST(UpstreamAddress, TheSchemeGivesThePort) {
  const auto plain = parse_base_url("http://api.example");
  ASSERT_TRUE(plain);
  EXPECT_FALSE(plain->tls);
  EXPECT_EQ(plain->host, "api.example");
  EXPECT_EQ(plain->port, "80");
  EXPECT_EQ(plain->path, "");
  EXPECT_EQ(plain->authority, "api.example");

  const auto secure = parse_base_url("https://api.example/v1");
  ASSERT_TRUE(secure);
  EXPECT_TRUE(secure->tls);
  EXPECT_EQ(secure->port, "443");
  EXPECT_EQ(secure->path, "/v1");
}

TEST(UpstreamAddress, APortMayBeGiven) {
  const auto address = parse_base_url("http://127.0.0.1:11434/v1");
  ASSERT_TRUE(address);
  EXPECT_EQ(address->host, "127.0.0.1");
  EXPECT_EQ(address->port, "11434");
  EXPECT_EQ(address->authority, "127.0.0.1:11434");
  EXPECT_EQ(address->path, "/v1");
}

TEST(UpstreamAddress, SlashesAtTheEndAreCut) {
  EXPECT_EQ(parse_base_url("http://h/")->path, "");
  EXPECT_EQ(parse_base_url("http://h/v1/")->path, "/v1");
  EXPECT_EQ(parse_base_url("http://h/a/b///")->path, "/a/b");
}

TEST(UpstreamAddress, Ipv6StandsInBrackets) {
  const auto address = parse_base_url("http://[::1]:8000/v1");
  ASSERT_TRUE(address);
  EXPECT_EQ(address->host, "::1");
  EXPECT_EQ(address->port, "8000");
  EXPECT_EQ(address->authority, "[::1]:8000");
  EXPECT_EQ(parse_base_url("https://[fe80::2]")->port, "443");
}

TEST(UpstreamAddress, TheKeyTellsUpstreamsApartAndIgnoresThePath) {
  const auto key = [](std::string_view url) { return parse_base_url(url)->key; };
  EXPECT_EQ(key("http://h/v1"), key("http://h:80/v2"));
  EXPECT_NE(key("http://h:443"), key("https://h:443"));
  EXPECT_NE(key("http://h:80"), key("http://h:81"));
  EXPECT_NE(key("http://h"), key("http://g"));
}

TEST(UpstreamAddress, WhatIsNoBaseUrlIsRefused) {
  for (const std::string_view url : {"",
                                     "h",
                                     "h:80",
                                     "//h",
                                     "ftp://h",
                                     "http:/h",
                                     "http://",
                                     "http:///v1",
                                     "http://:80",
                                     "http://h:",
                                     "http://h:0",
                                     "http://h:65536",
                                     "http://h:8o",
                                     "http://h:-1",
                                     "http://h:1:2",
                                     "http://::1",
                                     "http://[::1",
                                     "http://[]",
                                     "http://[::1]x",
                                     "http://[::1]80",
                                     "http://user@h",
                                     "http://user:password@h",
                                     "http://h?x",
                                     "http://h/v1?x=1",
                                     "http://h/#a",
                                     "http://h/a b",
                                     "http://h\r\nX: y",
                                     "http://h\\@evil",
                                     "http://h/\t"}) {
    const auto address = parse_base_url(url);
    ASSERT_FALSE(address) << url;
    EXPECT_EQ(address.error().code, Errc::InvalidSettings) << url;
  }
}

TEST(UpstreamAddress, GoodOnesAreKeptWithoutTheSlashAtTheEnd) {
  const std::map<std::string, std::string> cases{
      {"http://localhost", "http://localhost"},
      {"http://localhost/", "http://localhost"},
      {"Https://h.example:1/v1//", "https://h.example:1/v1"},
      {"http://127.0.0.1:65535/a/b%20c", "http://127.0.0.1:65535/a/b%20c"},
      {"http://[::1]:8000/v1", "http://[::1]:8000/v1"},
      {"http://[2001:db8::1]", "http://[2001:db8::1]"},
      {"http://my_host/v1/a:b", "http://my_host/v1/a:b"},
  };
  for (const auto& [given, kept] : cases) {
    const auto url = parse_base_url(given);
    ASSERT_TRUE(url) << given << ": " << url.error().message;
    EXPECT_EQ(url->url, kept);
  }
}

TEST(UpstreamAddress, TricksAreRefusedWithoutRepeatingThem) {
  for (const std::string_view url : {"",
                                     "h",
                                     "//h",
                                     "http:/h",
                                     "http://",
                                     "https:///v1",
                                     "http://:80",
                                     "file:///x",
                                     "javascript://h",
                                     "http://good.example@evil.example/",
                                     "http://user:password@h",
                                     "http://@h",
                                     "http://h/@x",
                                     "http://h#@good.example/",
                                     "http://h/#x",
                                     "http://h/?x",
                                     "http://h?x",
                                     "http://good.example\\@evil.example",
                                     "http://h\\x",
                                     "http://h/a b",
                                     "http://h /",
                                     " http://h",
                                     "http://h\r\nX: y",
                                     "http://h/\r\nX: y",
                                     "http://h/\tx",
                                     "http://h/\x7f",
                                     "http://h:",
                                     "http://h:0",
                                     "http://h:65536",
                                     "http://h:99999999999",
                                     "http://h:80x",
                                     "http://h:+80",
                                     "http://h:80:80",
                                     "http://[::1",
                                     "http://[::1]x",
                                     "http://[::1]x:80",
                                     "http://::1/",
                                     "http://[]",
                                     "http://[1.2.3.4]",
                                     "http://[fe80::1%25eth0]/",
                                     "http://a..b",
                                     "http://.h",
                                     "http://-h",
                                     "http://h%2eexample",
                                     "http://h\xC3\xA9",
                                     "http://h/\xC3\xA9",
                                     "http://h/{x}",
                                     "http://h/\"",
                                     "http://*"}) {
    const auto result = parse_base_url(url);
    ASSERT_FALSE(result) << url;
    EXPECT_EQ(result.error().message.find("password@"), std::string::npos);
  }
  EXPECT_FALSE(parse_base_url(std::string_view("http://h/\0x", 11)));
  EXPECT_FALSE(parse_base_url("http://" + std::string(254, 'h')));
}

TEST(UpstreamAddress, TheReasonIsNamed) {
  const auto reason = [](std::string_view url) { return parse_base_url(url).error().message; };
  EXPECT_EQ(reason("http://u@h"), "must not contain a user name or password (@)");
  EXPECT_EQ(reason("http://h/?q"), "must not contain a query (?) or a fragment (#)");
  EXPECT_EQ(reason("http://h#@g"), "must not contain a query (?) or a fragment (#)");
  EXPECT_EQ(reason("http://h:0"), "must have a port from 1 to 65535");
  EXPECT_EQ(reason("http:///v1"), "must name a host");
}

}  // namespace
}  // namespace toolgate
