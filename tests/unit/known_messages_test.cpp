// Messages that are not read twice: a request read with them is the same as one read without.
#include "wire/known_messages.h"

#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "wire/known_parts.h"

namespace toolgate {
namespace {

constexpr KnownMessages::Limits kKeepAll{.least_bytes = 1};

std::string user(std::string_view text) {
  return fmt::format(R"({{"role":"user","content":"{}"}})", text);
}

std::string call(std::string_view id) {
  return fmt::format(
      R"({{"role":"assistant","tool_calls":[{{"id":"{}","function":{{"name":"f"}}}}]}})", id);
}

std::string result(std::string_view id) {
  return fmt::format(R"({{"role":"tool","tool_call_id":"{}","content":"done"}})", id);
}

std::string body_of(const std::vector<std::string>& messages) {
  return fmt::format(R"({{"messages": [ {} ],"model":"m"}})", fmt::join(messages, " , "));
}

KnownParts parts(const KnownMessages::Limits& limits = kKeepAll) {
  return {.messages = KnownMessages(limits)};
}

// What came twice is kept.
void send_twice(const std::string& body, KnownParts& known) {
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(parse_chat_request(body, {}, &known)) << body;
}

std::size_t known_of(KnownParts& known, const std::string& body) {
  return known.messages.find({}, std::string_view(body).substr(body.find('{', 1))).messages.size();
}

void expect_same(const std::string& body, KnownParts& known, const ChatLimits& limits = {}) {
  const auto with = parse_chat_request(body, limits, &known);
  const auto without = parse_chat_request(body, limits);
  ASSERT_EQ(with.has_value(), without.has_value()) << body;
  if (!with) {
    EXPECT_EQ(with.error().message, without.error().message);
    return;
  }
  ASSERT_EQ(with->messages.size(), without->messages.size());
  for (std::size_t i = 0; i < with->messages.size(); ++i) {
    EXPECT_EQ(with->messages[i].role, without->messages[i].role);
    EXPECT_EQ(with->messages[i].raw.data(), without->messages[i].raw.data());
    EXPECT_EQ(with->messages[i].raw.size(), without->messages[i].raw.size());
  }
  ASSERT_EQ(with->members.size(), without->members.size());
  for (std::size_t i = 0; i < with->members.size(); ++i)
    EXPECT_EQ(with->members[i].raw, without->members[i].raw);
}

TEST(KnownMessages, AConversationThatGrows) {
  KnownParts known = parts();
  std::vector<std::string> messages;
  for (int turn = 0; turn < 20; ++turn) {
    messages.push_back(user(fmt::format("question {}", turn)));
    messages.push_back(call(fmt::format("call_{}", turn)));
    messages.push_back(result(fmt::format("call_{}", turn)));
    EXPECT_EQ(known_of(known, body_of(messages)), turn < 2 ? 0 : messages.size() - 3);
    expect_same(body_of(messages), known);
    EXPECT_EQ(known_of(known, body_of(messages)), turn < 1 ? 0 : messages.size());
  }
}

TEST(KnownMessages, WhatIsKnownIsNotLookedAtAgain) {
  KnownParts known = parts();
  const std::string text = R"({"role":7})";
  const std::vector<ChatMessage> messages{{Role::User, text}};
  for (int i = 0; i < 2; ++i) known.messages.keep({}, {}, text, messages, {});
  const auto request = parse_chat_request(body_of({text}), {}, &known);
  ASSERT_TRUE(request);
  EXPECT_EQ(request->messages[0].role, Role::User);
  EXPECT_FALSE(parse_chat_request(body_of({text})));
}

TEST(KnownMessages, AResultMayAnswerACallThatIsKnown) {
  KnownParts known = parts();
  std::vector<std::string> messages{user("a"), call("one"), call("two"), result("two")};
  send_twice(body_of(messages), known);
  messages.push_back(result("one"));
  ASSERT_EQ(known_of(known, body_of(messages)), 4u);
  expect_same(body_of(messages), known);
  messages.push_back(result("three"));
  expect_same(body_of(messages), known);
}

TEST(KnownMessages, ACallThatWasTakenBackIsForgotten) {
  KnownParts known = parts();
  const std::string long_text(2000, 'a');
  send_twice(body_of({user(long_text), call("one")}), known);
  ASSERT_EQ(known_of(known, body_of({user(long_text), call("two")})), 1u);
  expect_same(body_of({user(long_text), call("two")}), known);
  const auto refused =
      parse_chat_request(body_of({user(long_text), call("two"), result("one")}), {}, &known);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("'one' refers to no earlier tool call"),
            std::string::npos);
}

TEST(KnownMessages, TheRestMayBeAnother) {
  KnownParts known = parts();
  const std::string long_text(9000, 'a');
  send_twice(body_of({user(long_text), user("b"), user("c")}), known);
  const std::string changed = body_of({user(long_text), user("b"), user("d"), user("e")});
  EXPECT_EQ(known_of(known, changed), 2u);
  expect_same(changed, known);
  EXPECT_EQ(known_of(known, changed), 4u);
}

TEST(KnownMessages, AnotherConversationTakesNothingFromIt) {
  KnownParts known = parts();
  const std::string prompt(3000, 'p');
  const std::string one = body_of({user(prompt), user(std::string(3000, 'a'))});
  const std::string other = body_of({user(prompt), user(std::string(3000, 'b'))});
  send_twice(one, known);
  EXPECT_EQ(known_of(known, other), 0u);
  send_twice(other, known);
  EXPECT_EQ(known_of(known, one), 2u);
  EXPECT_EQ(known_of(known, other), 2u);
}

TEST(KnownMessages, TheLongestBeginningCounts) {
  KnownParts known = parts();
  const std::string prompt(3000, 'p');
  std::vector<std::string> long_one{user(prompt), user(std::string(9000, 'a')), user("x")};
  send_twice(body_of(long_one), known);
  const std::string short_one = body_of({user(prompt), user(std::string(500, 'b'))});
  send_twice(short_one, known);
  long_one.push_back(user("y"));
  EXPECT_EQ(known_of(known, body_of(long_one)), 3u);
  expect_same(body_of(long_one), known);
  EXPECT_EQ(known_of(known, short_one), 2u);
}

TEST(KnownMessages, TheLongestBeginningCountsInAnyOrder) {
  const std::string prompt = user(std::string(3000, 'p'));
  const std::string short_end = user(std::string(500, 'b')),
                    long_end = user(std::string(9000, 'a'));
  for (const bool short_first : {true, false}) {
    KnownParts known = parts();
    for (const std::string& end :
         {short_first ? short_end : long_end, short_first ? long_end : short_end}) {
      const std::string text = prompt + " , " + end;
      const std::string_view all = text;
      const std::vector<ChatMessage> messages{{Role::User, all.substr(0, prompt.size())},
                                              {Role::User, all.substr(prompt.size() + 3)}};
      for (int i = 0; i < 2; ++i) known.messages.keep({}, {}, text, messages, {});
    }
    EXPECT_EQ(known_of(known, body_of({prompt, long_end, user("y")})), 2u) << short_first;
  }
}

TEST(KnownMessages, AFirstMessageThatDiffersHidesNothing) {
  KnownParts known = parts();
  const auto prompt_of = [](std::string_view person) {
    return body_of({user(std::string(3000, 'p') + std::string(person)), user("question")});
  };
  send_twice(prompt_of("Ann"), known);
  EXPECT_EQ(known_of(known, prompt_of("Bob")), 0u);
  send_twice(prompt_of("Bob"), known);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(known_of(known, prompt_of("Ann")), 2u);
    EXPECT_EQ(known_of(known, prompt_of("Bob")), 2u);
  }
}

TEST(KnownMessages, CallersShareNothing) {
  KnownParts known = parts();
  const std::string body = body_of({user(std::string(999, 'a'))});
  const std::string_view text = std::string_view(body).substr(body.find('{', 1));
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(parse_chat_request(body, {}, &known, "ann"));
  EXPECT_EQ(known.messages.find("ann", text).messages.size(), 1u);
  EXPECT_EQ(known.messages.find("bob", text).messages.size(), 0u);
  ASSERT_TRUE(parse_chat_request(body, {}, &known, "bob"));
  EXPECT_EQ(known.messages.find("bob", text).messages.size(), 0u) << "read once by him";
  ASSERT_TRUE(parse_chat_request(body, {}, &known, "bob"));
  EXPECT_EQ(known.messages.find("bob", text).messages.size(), 1u);
}

TEST(KnownMessages, OneThatShrinksGivesItsMemoryBack) {
  KnownParts known = parts({.least_bytes = 1, .all_bytes = 200'000});
  std::vector<std::string> shrunk;
  for (int number = 0; number < 20; ++number) {
    std::vector<std::string> messages;
    for (int i = 0; i < 500; ++i) messages.push_back(call(fmt::format("{}-{}", number, i)));
    send_twice(body_of(messages), known);
    while (messages.size() > 25) {
      messages.resize(messages.size() * 4 / 5);
      expect_same(body_of(messages), known);
    }
    ASSERT_LE(known.messages.bytes(), 200'000u);
    shrunk.push_back(body_of(messages));
  }
  for (const std::string& body : shrunk) EXPECT_GT(known_of(known, body), 0u) << body;
  EXPECT_LE(known.messages.bytes(), 150'000u);
}

TEST(KnownMessages, EveryDamageIsFound) {
  const std::string whole =
      body_of({user("an \\\"é\\\" and more of it"), call("one"), result("one"), user("end")});
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char damage : {'}', ']', '"', ',', '\\', ' ', '\x01', '\xff', '{', '['}) {
      KnownParts known = parts();
      send_twice(whole, known);
      std::string damaged = whole;
      damaged[at] = damage;
      expect_same(damaged, known);
      expect_same(whole, known);
    }
  }
}

TEST(KnownMessages, WhereALongOnePartsIsFound) {
  std::vector<std::string> messages;
  for (std::size_t i = 0; i < 100; ++i) messages.push_back(user(std::string(i * 7 % 200, 'a')));
  const std::string whole = body_of(messages);
  const std::size_t begin = whole.find('{', 1);
  KnownParts known = parts();
  send_twice(whole, known);
  // As known_messages.cpp has it: three quarters must be the same, and a sample there.
  const std::size_t least = (whole.rfind(" ]") - begin) / 4 * 3 + 15;
  std::size_t end = begin;  // of the messages before the one that differs
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const std::size_t next = end + messages[i].size();
    for (std::size_t at = end; at < next; ++at) {
      std::string other = whole;
      other[at] ^= 1;
      EXPECT_EQ(known_of(known, other), at - begin < least ? 0 : i) << at;
    }
    end = next + 3;  // and the comma
  }
}

TEST(KnownMessages, EveryEndIsFound) {
  const std::string whole = body_of({user("some text"), call("one"), result("one"), user("end")});
  KnownParts known = parts();
  send_twice(whole, known);
  for (std::size_t size = 0; size < whole.size(); ++size) expect_same(whole.substr(0, size), known);
}

TEST(KnownMessages, RandomConversationsAreReadAlike) {
  std::mt19937 random(7);
  const auto below = [&](std::size_t limit) { return random() % limit; };
  KnownParts known = parts({.least_bytes = 100, .all_bytes = 20'000, .conversations = 5});
  std::vector<std::vector<std::string>> conversations(8);
  for (int round = 0; round < 4000; ++round) {
    auto& messages = conversations[below(conversations.size())];
    if (!messages.empty() && below(4) == 0) messages.resize(below(messages.size()));
    const auto id = fmt::format("c{}", below(5));
    switch (below(4)) {
      case 0:
        messages.push_back(call(id));
        break;
      case 1:
        messages.push_back(result(id));
        break;
      default:
        messages.push_back(user(std::string(below(300), static_cast<char>('a' + below(3)))));
    }
    ASSERT_NO_FATAL_FAILURE(expect_same(body_of(messages), known));
    ASSERT_LE(known.messages.bytes(), 20'000u);
    if (!parse_chat_request(body_of(messages))) messages.pop_back();
  }
}

TEST(KnownMessages, ALowerLimitHoldsForThemToo) {
  KnownParts known = parts();
  const std::string body = body_of({user("a"), user("b"), user("c")});
  send_twice(body, known);
  for (const std::size_t most : {1, 2, 3}) expect_same(body, known, {.max_messages = most});
}

TEST(KnownMessages, WhatIsRefusedIsNotKept) {
  KnownParts known = parts();
  const std::string refused = body_of({user("a"), result("none")});
  const std::string broken = R"({"messages":[{"role":"user","content":"a"},)";
  for (int i = 0; i < 2; ++i) {
    expect_same(refused, known);
    expect_same(broken, known);
    EXPECT_EQ(known_of(known, refused), 0u);
    EXPECT_EQ(known_of(known, broken), 0u);
  }
}

TEST(KnownMessages, IdsWithEscapesAreReadEachTime) {
  KnownParts known = parts();
  const std::string body = body_of({user("a"), call("\\u006fne"), result("one")});
  for (int i = 0; i < 2; ++i) {
    expect_same(body, known);
    EXPECT_EQ(known_of(known, body), 0u);
  }
}

TEST(KnownMessages, KeepsTheLastUsedWithinLimits) {
  KnownParts known = parts({.least_bytes = 50, .most_bytes = 500, .all_bytes = 2000});
  const auto body = [](char letter, std::size_t size) {
    return body_of({user(std::string(size, letter))});
  };
  for (char letter = 'a'; letter <= 'z'; ++letter) {
    send_twice(body(letter, 300), known);
    EXPECT_EQ(known_of(known, body('a', 300)), 1u) << letter;
  }
  int kept = 0;
  for (char letter = 'a'; letter <= 'z'; ++letter) kept += known_of(known, body(letter, 300)) == 1;
  EXPECT_EQ(kept, 5);

  send_twice(body('0', 500), known);
  EXPECT_EQ(known_of(known, body('0', 500)), 0u) << "too long";
  send_twice(body('0', 5), known);
  EXPECT_EQ(known_of(known, body('0', 5)), 0u) << "too short";
  EXPECT_EQ(known_of(known, body('a', 300)), 1u);
}

TEST(KnownMessages, WhatCameOnceIsForgottenAmongOthers) {
  KnownParts known = parts({.least_bytes = 1, .sightings = 3});
  const auto body = [](char letter) { return body_of({user(std::string(99, letter))}); };
  for (const char letter : {'a', 'b', 'c', 'd', 'a', 'd'})
    ASSERT_TRUE(parse_chat_request(body(letter), {}, &known));
  EXPECT_EQ(known_of(known, body('a')), 0u);
  EXPECT_EQ(known_of(known, body('d')), 1u);
}

TEST(KnownMessages, OneThatGrowsTooLongIsForgotten) {
  KnownParts known = parts({.least_bytes = 1, .most_bytes = 500});
  const std::string other = body_of({user(std::string(400, 'o'))});
  std::vector<std::string> messages{user(std::string(400, 'a'))};
  send_twice(other, known);
  send_twice(body_of(messages), known);
  ASSERT_EQ(known_of(known, body_of(messages)), 1u);
  messages.push_back(user(std::string(100, 'b')));
  expect_same(body_of(messages), known);
  EXPECT_EQ(known_of(known, body_of(messages)), 0u);
  EXPECT_EQ(known_of(known, other), 1u);
}

TEST(KnownMessages, ANewOneTakesThePlaceOfTheOneNotUsedLongest) {
  KnownParts known = parts({.least_bytes = 1, .conversations = 2});
  const auto body = [](char letter) { return body_of({user(std::string(99, letter))}); };
  for (const char letter : {'a', 'b'}) send_twice(body(letter), known);
  for (const char letter : {'b', 'a'}) ASSERT_EQ(known_of(known, body(letter)), 1u);
  send_twice(body('c'), known);
  EXPECT_EQ(known_of(known, body('a')), 1u);
  EXPECT_EQ(known_of(known, body('b')), 0u);
  EXPECT_EQ(known_of(known, body('c')), 1u);
}

TEST(KnownMessages, NoMoreConversationsThanAllowed) {
  KnownParts known = parts({.least_bytes = 1, .conversations = 3});
  for (const char letter : {'a', 'b', 'c', 'd'})
    send_twice(body_of({user(std::string(99, letter))}), known);
  EXPECT_EQ(known_of(known, body_of({user(std::string(99, 'a'))})), 0u);
  EXPECT_EQ(known_of(known, body_of({user(std::string(99, 'b'))})), 1u);
}

}  // namespace
}  // namespace toolgate
