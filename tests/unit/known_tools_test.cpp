// Lists of tools that are not read twice.
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "wire/known_parts.h"

namespace toolgate {
namespace {

std::string tool(std::string_view name) {
  return fmt::format(R"({{"type":"function","function":{{"name":"{}"}}}})", name);
}

std::string request_with(std::string_view tools) {
  return fmt::format(R"({{"tools": {} ,"messages":[{{"role":"user"}}]}})", tools);
}

TEST(KnownTools, AListReadAgainIsTheSame) {
  KnownParts known;
  const std::string list = "[" + tool("a") + " , " + tool("b") + "]";
  const std::string bodies[] = {request_with(list), R"({"x":1,)" + request_with(list).substr(1)};
  EXPECT_EQ(known.tools.find({}, list), nullptr);
  for (const std::string& body : bodies) {
    const auto request = parse_chat_request(body, {}, &known);
    ASSERT_TRUE(request) << request.error().message;
    ASSERT_EQ(request->tools.size(), 2u);
    EXPECT_EQ(request->tools[1].name, "b");
    EXPECT_EQ(request->tools[1].raw, tool("b"));
    EXPECT_EQ(request->tools[1].raw.data(), body.data() + body.find(tool("b")));
    EXPECT_EQ(request->messages.size(), 1u);
    ASSERT_NE(known.tools.find({}, list), nullptr);
    EXPECT_EQ(known.tools.find({}, list)->text, list);
  }
}

TEST(KnownTools, WhatIsKnownIsNotLookedAtAgain) {
  KnownParts known;
  known.tools.add({}, "[7]", {});
  EXPECT_TRUE(parse_chat_request(request_with("[7]"), {}, &known));
  EXPECT_FALSE(parse_chat_request(request_with("[7]")));
}

TEST(KnownTools, CallersShareNothing) {
  KnownParts known;
  const std::string list = "[" + tool("a") + "]";
  ASSERT_TRUE(parse_chat_request(request_with(list), {}, &known, "ann"));
  EXPECT_NE(known.tools.find("ann", list), nullptr);
  EXPECT_EQ(known.tools.find("bob", list), nullptr);
}

TEST(KnownTools, AListThatGoesOnIsAnother) {
  KnownParts known;
  ASSERT_TRUE(parse_chat_request(request_with("[" + tool("a") + "]"), {}, &known));
  const std::string longer = request_with("[" + tool("a") + "," + tool("b") + "]");
  const auto request = parse_chat_request(longer, {}, &known);
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_EQ(request->tools.size(), 2u);
  const std::string broken = request_with("[" + tool("a") + "]]");
  EXPECT_FALSE(parse_chat_request(broken, {}, &known));
}

TEST(KnownTools, ALowerLimitHoldsForThemToo) {
  KnownParts known;
  const std::string body = request_with("[" + tool("a") + "," + tool("b") + "]");
  ASSERT_TRUE(parse_chat_request(body, {}, &known));
  EXPECT_FALSE(parse_chat_request(body, {.max_tools = 1}, &known));
}

TEST(KnownTools, WhatIsRefusedIsNotKept) {
  KnownParts known;
  const std::string list = "[" + tool("a") + "," + tool("a") + "]";
  for (int i = 0; i < 2; ++i) EXPECT_FALSE(parse_chat_request(request_with(list), {}, &known));
  EXPECT_EQ(known.tools.find({}, list), nullptr);
}

TEST(KnownTools, KeepsTheLastUsedAndNothingHuge) {
  KnownParts known;
  const auto list = [](int number) { return "[" + tool(fmt::format("t{}", number)) + "]"; };
  for (int i = 0; i < 100; ++i) {
    known.tools.add({}, list(i), {});
    EXPECT_NE(known.tools.find({}, list(0)), nullptr) << i;
  }
  int kept = 0;
  for (int i = 0; i < 100; ++i) kept += known.tools.find({}, list(i)) != nullptr;
  EXPECT_GT(kept, 1);
  EXPECT_LT(kept, 20);
  const std::string huge = "[" + std::string(std::size_t{1} << 20, ' ') + "]";
  known.tools.add({}, huge, {});
  EXPECT_EQ(known.tools.find({}, huge), nullptr);
}

}  // namespace
}  // namespace toolgate
