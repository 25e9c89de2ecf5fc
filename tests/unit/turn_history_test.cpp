#include "agent/turn_history.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include "base/ids.h"

namespace toolgate {
namespace {

constexpr std::string_view kTurn = "call_abcdefghijklmnopqrstuvwx";

// The messages that the upstream would get, a line each: role, calls, answered id.
std::string outline(std::string_view body) {
  std::string out;
  const auto parsed = parse_json(body);
  for (const json::value& message : parsed->at("messages").as_array()) {
    out += message.at("role").as_string();
    if (const json::value* calls = find(message, "tool_calls"))
      for (const json::value& call : calls->as_array()) {
        out += ' ';
        out += call.at("id").as_string();
      }
    if (const json::value* id = find(message, "tool_call_id")) {
      out += ' ';
      out += id->as_string();
      out += '=';
      out += message.at("content").as_string();
    }
    out += '\n';
  }
  return out;
}

class TurnHistory : public ::testing::Test {
 protected:
  TurnHistory() {
    turn_.before = {R"({"role":"assistant","content":"hidden"})"};
    turn_.round.calls = {{"ours", "look", "{}"}, {"theirs", "mine", "{}"}, {"also", "act", "{}"}};
    turn_.results = {{"ours", "1"}, {"also", "3"}};
  }

  // Empty: nothing was put back.
  std::string restore(const std::string& body) {
    const auto request = parse_chat_request(body);
    EXPECT_TRUE(request) << request.error().message;
    std::optional<std::string> restored;
    boost::asio::io_context loop;
    const FindTurn find = [&](std::string id) -> Task<Result<std::optional<OpenTurn>>> {
      if (id == kTurn) co_return parse_turn(write_turn(turn_));
      co_return std::nullopt;
    };
    const auto run = [&]() -> Task<> {
      auto done = co_await restore_history(*request, find);
      EXPECT_TRUE(done);
      if (done) restored = std::move(*done);
    };
    boost::asio::co_spawn(loop, run(), boost::asio::detached);
    loop.run();
    return restored ? outline(*restored) : "";
  }

  static std::string with(std::string_view messages) {
    return fmt::format(R"({{"model":"m","messages":[{{"role":"user","content":"go"}},{}],"n":1}})",
                       messages);
  }

  OpenTurn turn_;
};

const std::string kTheirId = client_call_id(kTurn, 1);

std::string their_call(std::string_view id = kTheirId) {
  return fmt::format(
      R"({{"role":"assistant","content":null,"tool_calls":[{{"id":"{}","type":"function",)"
      R"("function":{{"name":"mine","arguments":"{{}}"}}}}]}})",
      id);
}

TEST_F(TurnHistory, IsWholeAgainWhenTheClientComesBack) {
  const auto tool = fmt::format(R"({{"role":"tool","tool_call_id":"{}","content":"2"}})", kTheirId);
  EXPECT_EQ(restore(with(fmt::format("{},{}", their_call(), tool))),
            "user\nassistant\nassistant ours theirs also\ntool ours=1\ntool theirs=2\n"
            "tool also=3\n");
}

TEST_F(TurnHistory, AResultThatIsMissingIsSaidToBe) {
  EXPECT_EQ(restore(with(fmt::format(R"({},{{"role":"user","content":"well?"}})", their_call()))),
            "user\nassistant\nassistant ours theirs also\ntool ours=1\n"
            "tool theirs=The client gave no result of this call.\ntool also=3\nuser\n");
}

TEST_F(TurnHistory, CallsOfOtherTurnsAreLeftAlone) {
  EXPECT_EQ(restore(with(their_call("theirs"))), "");
  EXPECT_EQ(restore(with(their_call(client_call_id("call_zbcdefghijklmnopqrstuvwx", 1)))), "");
}

TEST_F(TurnHistory, WhatTheClientAddedStays) {
  std::string calls = their_call();
  calls.insert(calls.rfind(']'),
               R"(,{"id":"more","type":"function","function":{"name":"x","arguments":"{}"}})");
  const auto tools = fmt::format(R"({{"role":"tool","tool_call_id":"more","content":"4"}},)"
                                 R"({{"role":"tool","tool_call_id":"{}","content":"2"}})",
                                 kTheirId);
  EXPECT_EQ(restore(with(fmt::format("{},{}", calls, tools))),
            "user\nassistant\nassistant ours theirs also more\ntool ours=1\ntool theirs=2\n"
            "tool also=3\ntool more=4\n");
}

TEST_F(TurnHistory, IdsForTheClientNameTurnAndCall) {
  const std::string id = make_id("call_");
  const auto parsed = parse_client_call_id(client_call_id(id, 12));
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->turn_id, id);
  EXPECT_EQ(parsed->call, 12u);
  for (const char* other : {"", "call_0", "call_abc_1", "theirs"})
    EXPECT_FALSE(parse_client_call_id(other)) << other;
  EXPECT_FALSE(parse_client_call_id(id + "_x"));
}

TEST_F(TurnHistory, ARequestWithoutCallsIsLeftAlone) {
  EXPECT_EQ(restore(R"({"model":"m","messages":[{"role":"user","content":"hi"}]})"), "");
}

TEST_F(TurnHistory, WhatAModelWroteIsMadeAcceptable) {
  const auto message = parse_json(write_assistant_message(
      {.text = "",
       .calls = {{"i", "look at this!", "{\"a\":"}, {"j", std::string(80, 'x'), "[]"}}}));
  const json::value& calls = message->at("tool_calls");
  EXPECT_EQ(calls.at(0).at("function").at("name").as_string(), "look_at_this_");
  EXPECT_EQ(calls.at(0).at("function").at("arguments").as_string(), "{}");
  EXPECT_EQ(calls.at(1).at("function").at("name").as_string().size(), 64u);
  EXPECT_EQ(calls.at(1).at("function").at("arguments").as_string(), "{}");
}

TEST_F(TurnHistory, MessagesAreAppendedWhereverTheyStand) {
  const std::string body = R"({"messages": [ {"role":"user","content":"]"} ] ,"model":"m"})";
  const auto request = parse_chat_request(body);
  EXPECT_EQ(append_messages(*request, R"({"role":"tool"})"),
            R"({"messages": [ {"role":"user","content":"]"} ,{"role":"tool"}] ,"model":"m"})");
}

TEST_F(TurnHistory, ABrokenRecordIsNone) {
  EXPECT_FALSE(parse_turn("{"));
  EXPECT_FALSE(parse_turn("{}"));
  EXPECT_FALSE(parse_turn(R"({"before":{},"text":"","calls":[],"results":{}})"));
}

}  // namespace
}  // namespace toolgate
