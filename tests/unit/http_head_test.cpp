// The fields of an HTTP message.
#include "net/http_head.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace toolgate {
namespace {

TEST(HttpHead, FindsAFieldInAnyCase) {
  HttpHead head;
  head.add("Content-Type", "text/plain");
  EXPECT_EQ(head.find("content-type"), "text/plain");
  EXPECT_EQ(head.find("CONTENT-TYPE"), "text/plain");
  EXPECT_EQ(head.find("content-typ"), std::nullopt);
  EXPECT_EQ(head.find("content-types"), std::nullopt);
}

TEST(HttpHead, FindsTheFirstOfSeveralAndCountsAll) {
  HttpHead head;
  head.add("a", "1");
  head.add("b", "2");
  head.add("A", "3");
  EXPECT_EQ(head.find("A"), "1");
  EXPECT_EQ(head.count("a"), 2u);
  EXPECT_EQ(head.count("b"), 1u);
  EXPECT_EQ(head.count("c"), 0u);
}

TEST(HttpHead, AnEmptyValueIsAValue) {
  HttpHead head;
  head.add("x", "");
  EXPECT_EQ(head.find("x"), "");
  EXPECT_EQ(head.count("x"), 1u);
}

TEST(HttpHead, KeepsFieldsInOrderHoweverManyThereAre) {
  HttpHead head;
  head.set_request_line("POST", "/path?query");
  std::vector<std::string> expected;
  for (int i = 0; i < 1000; ++i) {
    head.add("name" + std::to_string(i), "value" + std::to_string(i));
    expected.push_back("name" + std::to_string(i) + "=value" + std::to_string(i));
  }
  std::vector<std::string> seen;
  head.for_each([&](std::string_view name, std::string_view value) {
    seen.push_back(std::string(name) + "=" + std::string(value));
  });
  EXPECT_EQ(seen, expected);
  EXPECT_EQ(head.method(), "POST");
  EXPECT_EQ(head.target(), "/path?query");
}

TEST(HttpHead, ClearedItIsAsNew) {
  HttpHead head;
  head.set_request_line("GET", "/");
  head.add("a", "1");
  head.status = 200;
  head.http_1_1 = false;
  head.clear();
  EXPECT_EQ(head.method(), "");
  EXPECT_EQ(head.target(), "");
  EXPECT_EQ(head.count("a"), 0u);
  EXPECT_EQ(head.status, 0);
  EXPECT_TRUE(head.http_1_1);
}

TEST(HttpHead, CaseIsIgnoredForLettersOnly) {
  EXPECT_TRUE(equal_ignoring_case("aZ09-", "Az09-"));
  EXPECT_TRUE(equal_ignoring_case("", ""));
  EXPECT_FALSE(equal_ignoring_case("[", "{"));
  EXPECT_FALSE(equal_ignoring_case("@", "`"));
  EXPECT_FALSE(equal_ignoring_case("a", "ab"));
  EXPECT_FALSE(equal_ignoring_case("\xc3\x84", "\xc3\xa4"));
}

}  // namespace
}  // namespace toolgate
