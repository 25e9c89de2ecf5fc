#include "tools/context_keys.h"

#include <cstdint>
#include <map>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace toolgate {
namespace {

std::map<std::string, json::value> everything_in(const ContextKeys& keys) {
  return {keys.values().begin(), keys.values().end()};
}

TEST(ContextKeys, HoldsWhatWasSetLast) {
  ContextKeys keys;
  EXPECT_EQ(keys.find("a"), nullptr);
  keys.set("a", 1);
  keys.set("", "empty");
  keys.set("a", 2);
  ASSERT_NE(keys.find("a"), nullptr);
  EXPECT_EQ(*keys.find("a"), json::value(2));
  EXPECT_EQ(*keys.find(""), json::value("empty"));
  EXPECT_EQ(keys.values().size(), 2);
  EXPECT_EQ(keys.find("a", hash_context_key("a")), keys.find("a"));
}

TEST(ContextKeys, RemovesOneKeyAndNoOther) {
  ContextKeys keys;
  keys.remove("a");
  keys.set("a", 1);
  keys.set("b", 2);
  keys.remove("a");
  keys.remove("a");
  EXPECT_EQ(keys.find("a"), nullptr);
  EXPECT_EQ(*keys.find("b"), json::value(2));
  EXPECT_EQ(keys.values().size(), 1);
}

TEST(ContextKeys, CopiesAreApart) {
  ContextKeys keys;
  keys.set("a", 1);
  ContextKeys copy = keys;
  copy.set("a", 2);
  copy.set("b", 3);
  EXPECT_EQ(*keys.find("a"), json::value(1));
  EXPECT_EQ(keys.find("b"), nullptr);
}

// Keys come and go until every run of slots has been broken up, across several sizes of the table.
TEST(ContextKeys, AgreesWithAMapWhileKeysComeAndGo) {
  ContextKeys keys;
  std::map<std::string, json::value> expected;
  std::uint32_t state = 1;
  const auto below = [&](std::uint32_t limit) {
    state = state * 1664525U + 1013904223U;
    return (state >> 8U) % limit;
  };
  for (int step = 0; step < 20'000; ++step) {
    const std::string key = fmt::format("key{}", below(step < 10'000 ? 40 : 900));
    if (below(5) < 3) {
      keys.set(key, step);
      expected[key] = step;
    } else {
      keys.remove(key);
      expected.erase(key);
    }
    const json::value* found = keys.find(key);
    ASSERT_EQ(found != nullptr, expected.contains(key)) << step;
    if (step % 100 != 0) continue;
    ASSERT_EQ(everything_in(keys), expected) << step;
    for (const auto& [each, value] : expected) ASSERT_EQ(*keys.find(each), value) << step;
  }
}

}  // namespace
}  // namespace toolgate
