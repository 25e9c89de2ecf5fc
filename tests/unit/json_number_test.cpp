#include "base/json_number.h"

#include <string>

#include <gtest/gtest.h>

namespace toolgate {
namespace {

int order(std::string_view a, std::string_view b) {
  const auto result = compare(JsonNumber(a), JsonNumber(b));
  return result < 0 ? -1 : result > 0 ? 1 : 0;
}

TEST(JsonNumber, ComparesExactly) {
  EXPECT_EQ(order("1", "2"), -1);
  EXPECT_EQ(order("-1", "1"), -1);
  EXPECT_EQ(order("1.0", "1"), 0);
  EXPECT_EQ(order("-0.0", "0"), 0);
  EXPECT_EQ(order("9007199254740993", "9007199254740992"), 1);
  EXPECT_EQ(order("123456789012345678901234567890", "123456789012345678901234567891"), -1);
  EXPECT_EQ(order("-123456789012345678901234567890", "-123456789012345678901234567891"), 1);
  EXPECT_EQ(order("1e400", "1e399"), 1);
  EXPECT_EQ(order("-1e400", "5"), -1);
  EXPECT_EQ(order("1e-400", "0"), 1);
  EXPECT_EQ(order("0.1", "0.10"), 0);
  EXPECT_EQ(order("12e1", "119.99"), 1);
  EXPECT_EQ(order("1e99999999999999999999", "1e9"), 1);
}

TEST(JsonNumber, KnowsWholeNumbers) {
  for (const char* text : {"1", "-7", "1.0", "10e-1", "1.50e1", "0.0", "1e400"}) {
    EXPECT_TRUE(is_whole(text)) << text;
  }
  for (const char* text : {"1.5", "1e-1", "15e-1", "0.10"}) EXPECT_FALSE(is_whole(text)) << text;
}

bool multiple(std::string_view value, std::string_view divisor) {
  return is_multiple(JsonNumber(value), JsonNumber(divisor));
}

TEST(JsonNumber, DividesExactly) {
  EXPECT_TRUE(multiple("0.3", "0.1"));
  EXPECT_TRUE(multiple("4.35", "0.01"));
  EXPECT_FALSE(multiple("4.355", "0.01"));
  EXPECT_TRUE(multiple("1e308", "0.5"));
  EXPECT_FALSE(multiple("1e308", "0.123456789"));
  EXPECT_TRUE(multiple("0", "7"));
  EXPECT_TRUE(multiple("-21", "7"));
  EXPECT_FALSE(multiple("22", "7"));
  EXPECT_TRUE(multiple("12391239123", "1e-8"));
  EXPECT_TRUE(multiple("123456789012345678901234567890", "9"));
  EXPECT_FALSE(multiple("123456789012345678901234567891", "9"));
  EXPECT_TRUE(multiple("369258147036925814703692581470", "123086049012308604901230860490"));
  EXPECT_TRUE(multiple("1e1000000000", "1024"));
  EXPECT_FALSE(multiple("1e1000000000", "3"));
}

TEST(JsonNumber, WritesLikeJavaScript) {
  EXPECT_EQ(javascript_text(1e21), "1e+21");
  EXPECT_EQ(javascript_text(1e20), "100000000000000000000");
  EXPECT_EQ(javascript_text(1.5), "1.5");
  EXPECT_EQ(javascript_text(-0.000001), "-0.000001");
  EXPECT_EQ(javascript_text(1e-7), "1e-7");
  EXPECT_EQ(javascript_text(1.25e-10), "1.25e-10");
  EXPECT_EQ(javascript_text(-0.0), "0");
  EXPECT_EQ(javascript_text(123456.789), "123456.789");
  EXPECT_EQ(javascript_text(5e-324), "5e-324");
  EXPECT_EQ(javascript_text(1.7976931348623157e308), "1.7976931348623157e+308");
}

TEST(JsonNumber, ReadsTextLikeJavaScript) {
  EXPECT_EQ(javascript_number(" 7 "), 7);
  EXPECT_EQ(javascript_number("\u00a0\n8\t"), 8);
  EXPECT_EQ(javascript_number("0x10"), 16);
  EXPECT_EQ(javascript_number("0b11"), 3);
  EXPECT_EQ(javascript_number("0o17"), 15);
  EXPECT_EQ(javascript_number("1e3"), 1000);
  EXPECT_EQ(javascript_number("+.5"), 0.5);
  EXPECT_EQ(javascript_number("5."), 5);
  EXPECT_EQ(javascript_number("007"), 7);
  EXPECT_EQ(javascript_number("  "), 0);
  for (const char* text :
       {"abc", "1 2", "0x", "-0x10", "1e", "Infinity", "1e999", ".", "0b2", "1_0"}) {
    EXPECT_FALSE(javascript_number(text)) << text;
  }
}

TEST(JsonNumber, HashesEqualNumbersAlike) {
  EXPECT_EQ(hash_number("100"), hash_number("1e2"));
  EXPECT_EQ(hash_number("-1.50"), hash_number("-15e-1"));
  EXPECT_EQ(hash_number("-0"), hash_number("0.0"));
  EXPECT_NE(hash_number("1"), hash_number("-1"));
}

}  // namespace
}  // namespace toolgate
