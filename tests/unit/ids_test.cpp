// Identifiers and secrets.
#include "base/ids.h"

#include <algorithm>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace toolgate {
namespace {

TEST(Ids, HavePrefixAndTwentyFourLettersOrDigits) {
  const std::string id = make_id("call_");
  ASSERT_EQ(id.size(), 5U + 24U);
  EXPECT_TRUE(id.starts_with("call_"));
  EXPECT_TRUE(
      std::all_of(id.begin() + 5, id.end(), [](unsigned char c) { return std::isalnum(c); }));
}

TEST(Ids, AreDifferentOnAllThreads) {
  constexpr std::size_t kThreads = 4;
  constexpr std::size_t kEach = 2000;
  std::vector<std::vector<std::string>> made(kThreads);
  {
    std::vector<std::jthread> threads;
    for (auto& list : made)
      threads.emplace_back([&list] {
        for (std::size_t i = 0; i < kEach; ++i) list.push_back(make_id(""));
      });
  }
  std::set<std::string> all;
  for (const auto& list : made) all.insert(list.begin(), list.end());
  EXPECT_EQ(all.size(), kThreads * kEach);
}

TEST(Ids, UseTheWholeAlphabet) {
  std::set<char> seen;
  for (int i = 0; i < 500; ++i)
    for (const char c : make_id("")) seen.insert(c);
  EXPECT_EQ(seen.size(), 62U);
}

TEST(Secret, IsSixtyFourHexadecimalDigitsAndNew) {
  const std::string secret = make_secret();
  EXPECT_EQ(secret.size(), 64U);
  EXPECT_EQ(secret.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_NE(secret, make_secret());
}

TEST(ConstantTimeCompare, AgreesWithEquality) {
  EXPECT_TRUE(equal_in_constant_time("", ""));
  EXPECT_TRUE(equal_in_constant_time("abc", "abc"));
  EXPECT_FALSE(equal_in_constant_time("abc", "abd"));
  EXPECT_FALSE(equal_in_constant_time("abc", "ab"));
  EXPECT_FALSE(equal_in_constant_time("ab", "abab"));
  EXPECT_FALSE(equal_in_constant_time("", "a"));
  EXPECT_FALSE(equal_in_constant_time("a", ""));
}

}  // namespace
}  // namespace toolgate
