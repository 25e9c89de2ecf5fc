// parse_chat_request and make_upstream_body: each rule, and that the upstream's body is always the
// client's bytes except for what was to change.
#include "wire/openai_chat.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "base/json.h"
#include "chat_bodies.h"

namespace toolgate {
namespace {

// The upstream's body, or the error's message.
std::string upstream(const std::string& body, std::string_view model = "m") {
  const auto request = parse_chat_request(body);
  return request ? join(make_upstream_body(*request, model)) : request.error().message;
}

// As the chat endpoint reads a request when no tools are registered.
Result<ChatRequest> read_whole(const std::string& body) {
  auto request = parse_chat_request(body);
  if (request)
    if (auto chosen = check_tool_choice(*request); !chosen) return std::unexpected(chosen.error());
  return request;
}

void expect_accepted(const std::string& body) {
  const auto request = read_whole(body);
  EXPECT_TRUE(request) << body << "\n" << (request ? "" : request.error().message);
}

void expect_refused(const std::string& body, std::string_view field, std::string_view part = "") {
  const auto request = read_whole(body);
  ASSERT_FALSE(request) << body;
  EXPECT_EQ(request.error().code, Errc::InvalidRequest) << body << request.error().message;
  EXPECT_EQ(request.error().where, field) << body;
  EXPECT_TRUE(request.error().message.starts_with(field)) << request.error().message;
  EXPECT_NE(request.error().message.find(part), std::string::npos) << request.error().message;
}

void expect_broken(const std::string& body, std::string_view part = "") {
  const auto request = parse_chat_request(body);
  ASSERT_FALSE(request) << body;
  EXPECT_EQ(request.error().code, Errc::InvalidJson) << body << request.error().message;
  EXPECT_NE(request.error().message.find(part), std::string::npos) << request.error().message;
}

// Names are first looked for as clients mostly write them, without spaces and escapes.
TEST(ChatRequest, NamesAreKnownHoweverTheyAreWritten) {
  const std::string call = R"("tool_calls":[{"id":"c","type":"function","function":{"name":"f"}}])";
  for (const std::string role : {R"("role":"assistant")", R"("role" : "assistant")",
                                 R"("r\u006fle":"assistant")", R"("role":"\u0061ssistant")"}) {
    expect_accepted(R"({"messages":[{)" + role + "," + call +
                    R"(},{"role":"tool","tool_call_id":"\u0063"}]})");
    expect_refused(R"({"messages":[{)" + role + R"(,"rol\u0065":"user"}]})", "messages[0].role",
                   "twice");
  }
  expect_refused(R"({"messages":[{"role\"":"user"}]})", "messages[0].role", "required");
  expect_refused(R"({"messages":[{"roles":"user"}]})", "messages[0].role", "required");
  expect_refused(R"({"messages":[{"role":"user "}]})", "messages[0].role", "one of");
  expect_broken(R"({"messages":[{"role" "user"}]})", "':' is missing");
  expect_broken(R"({"messages":[{"role)", "not closed");
  expect_broken(R"({"messages":[{"role")", "ends too early");
  expect_broken(R"({"messages":[{"ro\qle":"user"}]})", "wrong escape");
}

// An id that is written with escapes is kept apart from the body.
TEST(ChatRequest, IdsWithEscapesStayKnown) {
  std::string messages;
  for (int i = 0; i < 100; ++i)
    messages += fmt::format(
        R"({{"role":"assistant","tool_calls":[{{"id":"\u0063all {}","function":{{"name":"f"}}}}]}},)",
        i);
  for (int i = 0; i < 100; i += 9)
    messages += fmt::format(R"({{"role":"tool","tool_call_id":"call {}"}},)", i);
  expect_accepted(R"({"messages":[)" + messages + R"({"role":"user"}]})");
}

TEST(ChatRequest, ReadsWhatIsDecidedOnAndKeepsTheRestAsBytes) {
  const std::string body =
      R"( { "model" : "gpt" ,"messages":[{"content":"a","role":"system"},)"
      R"({"role":"user","content":[{"type":"text","text":"]}"}]} ],)"
      R"("stream":true,"stream_options":{"include_usage":true},"x": [1, 2] } )";
  const auto request = parse_chat_request(body);
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_EQ(request->model, "gpt");
  EXPECT_TRUE(request->stream);
  EXPECT_TRUE(request->include_usage);
  ASSERT_EQ(request->messages.size(), 2u);
  EXPECT_EQ(request->messages[0].role, Role::System);
  EXPECT_EQ(request->messages[0].raw, R"({"content":"a","role":"system"})");
  EXPECT_EQ(request->messages[1].raw, R"({"role":"user","content":[{"type":"text","text":"]}"}]})");
  ASSERT_EQ(request->members.size(), 5u);
  EXPECT_EQ(request->members[0].raw, R"("model" : "gpt")");
  EXPECT_EQ(request->members[0].value, R"("gpt")");
  EXPECT_EQ(request->members[2].value, "true");
  EXPECT_EQ(request->members[4].raw, R"("x": [1, 2])");
  EXPECT_EQ(join(make_upstream_body(*request, "gpt")), body);
  EXPECT_EQ(make_upstream_body(*request, "gpt").slices.size(), 1u);
}

TEST(ChatRequest, MalformedJsonIsInvalidJsonWithAPlace) {
  expect_broken("");
  expect_broken(" ");
  expect_broken("{", "line 1, column 2");
  expect_broken("{\n\"a\" 1}", "line 2, column 5: ':' is missing");
  expect_broken(with(R"("a":[1})"), "']' is missing");
  expect_broken(with(R"("a":{]})"));
  expect_broken(with(R"("a":[1 2])"), "','");
  expect_broken(with(R"("a":[1,])"));
  expect_broken(with(R"("a":{"b":1,})"));
  expect_broken(with(R"("a":1,)"));
  expect_broken(with(R"("a":)"));
  expect_broken(with(R"("a")"));
  expect_broken(with(R"(a:1)"));
  expect_broken(with(R"("a":01)"), "number");
  expect_broken(with(R"("a":1.)"));
  expect_broken(with(R"("a":-)"));
  expect_broken(with(R"("a":1e)"));
  expect_broken(with(R"("a":tru)"));
  expect_broken(with(R"("a":truex)"));
  expect_broken(with(R"("a":tru"e")"));
  expect_broken(with(R"("a":"b"c)"));
  expect_broken(with(R"("a":"b)"), "not closed");
  expect_broken(with(R"("stream":truE)"));
  expect_broken(with(R"("model":nul)"));
  expect_broken(with(R"("n":1x)"));
  expect_broken(with("\"a\":\"\n\""), "control character");
  expect_broken(with("\"a\":\f1"));
  expect_broken(with("\"a\":\"\xff\""), "UTF-8");
  expect_broken(with("\"a\":\"\xed\xa0\x80\""), "UTF-8");
  expect_broken(with(R"("a":1)") + "x", "follows");
  expect_broken(with(R"("a":1)") + "{}", "follows");
  expect_broken(with(R"("a":1)") + std::string("\0", 1));
  expect_broken(with(R"("mod\ul":1)"), "escape");
  expect_broken(R"({"messages":[{"role":"user"})", "too early");
  expect_accepted(with(R"("a":[-0.5e+7,0,1E2,{},[],"\"",{"b":[true,false,null]}])") + " \r\n\t");
}

TEST(ChatRequest, EveryCutOfABodyIsInvalidJson) {
  const std::string body =
      with(R"("tools":[)" + tool("f") + R"(],"tool_choice":"auto","x":{"y":[1,"z"]},"n":1)");
  expect_accepted(body);
  for (std::size_t size = 0; size < body.size(); ++size) expect_broken(body.substr(0, size));
}

TEST(ChatRequest, DepthIsBoundedEverywhere) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  expect_accepted(with("\"x\":" + nested(255)));
  expect_broken(with("\"x\":" + nested(256)), "too deeply");
  expect_broken(with("\"x\":" + nested(200'000)), "too deeply");
  expect_broken(nested(200'000), "too deeply");
  expect_broken(
      with_messages(R"({"role":"user","content":[{"type":"x","y":)" + nested(300) + "}]}"));
  expect_broken(with_tools(R"({"type":"function","function":{"name":"f","parameters":{"a":)" +
                           nested(300) + "}}}"));
  expect_broken(std::string(1'000'000, '['));
  ChatLimits limits;
  limits.max_depth = 4;
  EXPECT_TRUE(parse_chat_request(with("\"x\":" + nested(3)), limits));
  EXPECT_FALSE(parse_chat_request(with("\"x\":" + nested(4)), limits));
}

TEST(ChatRequest, BodyMustBeAnObject) {
  for (const char* body : {"null", "[]", "5", "\"x\"", "true"}) {
    const auto request = parse_chat_request(body);
    ASSERT_FALSE(request);
    EXPECT_EQ(request.error().code, Errc::InvalidRequest);
    EXPECT_NE(request.error().message.find("must be a JSON object"), std::string::npos);
  }
}

TEST(ChatRequest, MessagesMustBeAListOfObjectsWithRoles) {
  expect_refused("{}", "messages", "required");
  expect_refused(R"({"messages":"x"})", "messages", "must be an array, not a string");
  expect_refused(R"({"messages":null})", "messages");
  expect_refused(R"({"messages":[]})", "messages", "empty");
  expect_refused(with_messages("5"), "messages[0]", "an object, not a number");
  expect_refused(with_messages("{}"), "messages[0].role", "required");
  expect_refused(with_messages(R"({"role":5})"), "messages[0].role", "a string, not a number");
  expect_refused(with_messages(std::string(kUser) + R"(,{"role":"bot","content":"x"})"),
                 "messages[1].role",
                 "system, developer, user, assistant, tool, function, not 'bot'");
  for (const char* role : {"system", "developer", "user", "assistant", "function"})
    expect_accepted(with_messages(fmt::format(R"({{"role":"{}","content":"x"}})", role)));
  ChatLimits limits;
  limits.max_messages = 1;
  EXPECT_FALSE(parse_chat_request(with_messages(fmt::format("{},{}", kUser, kUser)), limits));
}

TEST(ChatRequest, ContentMayBeTextNullAListOrMissing) {
  for (const char* role : {"system", "developer", "user", "assistant", "function"}) {
    const auto message = [&](std::string_view rest) {
      return with_messages(fmt::format(R"({{"role":"{}"{}}})", role, rest));
    };
    expect_accepted(message(""));
    expect_accepted(message(R"(,"content":null)"));
    expect_accepted(message(R"(,"content":[])"));
    expect_accepted(message(R"(,"content":[{"type":"text","text":"x"},{"type":"anything"}])"));
    expect_refused(message(R"(,"content":5)"), "messages[0].content", "not a number");
    expect_refused(message(R"(,"content":{})"), "messages[0].content");
    expect_refused(message(R"(,"content":["x"])"), "messages[0].content[0]", "an object");
    expect_refused(message(R"(,"content":[{"type":"text"},{"text":"x"}])"),
                   "messages[0].content[1].type", "required");
    expect_refused(message(R"(,"content":[{"type":1}])"), "messages[0].content[0].type");
  }
}

TEST(ChatRequest, ToolCallsNeedIdsAndNames) {
  const auto calls = [](std::string_view list) {
    return with_messages(
        fmt::format(R"({{"role":"assistant","content":null,"tool_calls":{}}})", list));
  };
  expect_accepted(calls("null"));
  expect_accepted(calls("[]"));
  expect_accepted(calls(R"([{"id":"c","function":{"name":"f","arguments":"{}"}}])"));
  expect_accepted(calls(R"([{"id":"c","type":"custom","custom":{"name":"f"}}])"));
  expect_refused(calls("{}"), "messages[0].tool_calls", "an array");
  expect_refused(calls("[5]"), "messages[0].tool_calls[0]", "an object");
  expect_refused(calls(R"([{"type":"function","function":{"name":"f"}}])"),
                 "messages[0].tool_calls[0].id", "required");
  expect_refused(calls(R"([{"id":"","function":{"name":"f"}}])"), "messages[0].tool_calls[0].id");
  expect_refused(calls(R"([{"id":7,"function":{"name":"f"}}])"), "messages[0].tool_calls[0].id");
  expect_refused(calls(R"([{"id":"c","type":"x","function":{"name":"f"}}])"),
                 "messages[0].tool_calls[0].type", "'x'");
  expect_refused(calls(R"([{"id":"c","type":"function","function":{}}])"),
                 "messages[0].tool_calls[0].function.name", "required");
  expect_refused(calls(R"([{"id":"c","function":{"name":"f"}},{"id":"d"}])"),
                 "messages[0].tool_calls[1].function.name");
  expect_refused(calls(R"([{"id":"c","function":"f"}])"),
                 "messages[0].tool_calls[0].function.name");
}

TEST(ChatRequest, ToolMessageMustAnswerAnEarlierCall) {
  const std::string call =
      R"({"tool_calls":[{"id":"a\u0062","function":{"name":"f"}},{"id":"c","function":{"name":"f"}}],)"
      R"("role":"assistant"})";
  const auto answer = [](std::string_view id) {
    return fmt::format(R"({{"role":"tool","content":"x","tool_call_id":"{}"}})", id);
  };
  expect_accepted(with_messages(call + "," + answer("ab") + "," + answer("c")));
  expect_refused(with_messages(R"({"role":"tool","content":"x"})"), "messages[0].tool_call_id");
  expect_refused(with_messages(answer("")), "messages[0].tool_call_id");
  expect_refused(with_messages(R"({"role":"tool","tool_call_id":5})"), "messages[0].tool_call_id",
                 "a string");
  expect_refused(with_messages(answer("c") + "," + call), "messages[0].tool_call_id",
                 "'c' refers to no earlier tool call; there was none");
  expect_refused(with_messages(call + "," + answer("d")), "messages[1].tool_call_id",
                 "'d' refers to no earlier tool call; known ids: 'ab', 'c'");
  std::string many;
  for (int i = 0; i < 9; ++i)
    many += fmt::format(R"({}{{"id":"id{}","function":{{"name":"f"}}}})", i ? "," : "", i);
  expect_refused(with_messages(fmt::format(R"({{"role":"assistant","tool_calls":[{}]}},{})", many,
                                           answer("d"))),
                 "messages[1].tool_call_id", "last known ids: 'id4', 'id5', 'id6', 'id7', 'id8'");
  const std::string user_call =
      R"({"role":"user","tool_calls":[{"id":"c","function":{"name":"f"}}]})";
  expect_refused(with_messages(user_call + "," + answer("c")), "messages[1].tool_call_id");
}

TEST(ChatRequest, ToolsFollowTheRules) {
  const auto function = [](std::string_view members) {
    return with_tools(fmt::format(R"({{"type":"function","function":{{{}}}}})", members));
  };
  expect_accepted(with(R"("tools":null)"));
  expect_accepted(with(R"("tools":[])"));
  expect_accepted(function(R"("name":"f","parameters":null,"description":null)"));
  expect_accepted(function(R"("name":"f","parameters":{},"description":"d","strict":true)"));
  expect_accepted(function(fmt::format(R"("name":"{}")", std::string(64, 'x'))));
  expect_refused(with(R"("tools":{})"), "tools", "an array");
  expect_refused(with_tools(R"("x")"), "tools[0]", "an object");
  expect_refused(with_tools("null"), "tools[0]", "an object, not null");
  expect_refused(with_tools(R"({"function":{"name":"f"}})"), "tools[0].type", "required");
  expect_refused(with_tools(R"({"type":"web","function":{"name":"f"}})"), "tools[0].type", "'web'");
  expect_refused(with_tools(R"({"type":"custom","custom":{"name":"f"}})"), "tools[0].type");
  expect_refused(with_tools(R"({"type":"function"})"), "tools[0].function", "required");
  expect_refused(with_tools(R"({"type":"function","function":"f"})"), "tools[0].function");
  expect_refused(function(""), "tools[0].function.name", "required");
  expect_refused(function(R"("name":"")"), "tools[0].function.name", "empty");
  expect_refused(function(R"("name":5)"), "tools[0].function.name", "a string");
  expect_refused(function(R"("name":"a b")"), "tools[0].function.name", "'a b'");
  expect_refused(function(R"("name":"é")"), "tools[0].function.name");
  expect_refused(function(fmt::format(R"("name":"{}")", std::string(65, 'x'))),
                 "tools[0].function.name", "64");
  expect_refused(function(R"("name":"f","parameters":"x")"), "tools[0].function.parameters",
                 "an object (JSON Schema), not a string");
  expect_refused(function(R"("name":"f","parameters":[])"), "tools[0].function.parameters");
  expect_refused(function(R"("name":"f","description":5)"), "tools[0].function.description");
  expect_refused(with_tools(tool("f") + R"(,{"type":"x"})"), "tools[1].type");
  expect_refused(with_tools(tool("f") + "," + tool("g") + "," + tool("f")),
                 "tools[2].function.name", "tools[0] and tools[2] are both called 'f'");
}

TEST(ChatRequest, AtMost128Tools) {
  const auto many = [](int count) {
    std::string list;
    for (int i = 0; i < count; ++i) list += (i ? "," : "") + tool(fmt::format("t{}", i));
    return with_tools(list);
  };
  expect_accepted(many(128));
  expect_refused(many(129), "tools", "129 tools were given, at most 128 are allowed");
}

TEST(ChatRequest, ToolChoiceIsMapped) {
  const auto mode = [](std::string_view choice) {
    const auto request = parse_chat_request(
        with(fmt::format(R"("tool_choice":{},"tools":[{},{}])", choice, tool("f"), tool("g"))));
    EXPECT_TRUE(request) << choice << (request ? "" : request.error().message);
    return request ? request->tool_mode : ToolMode::Unset;
  };
  EXPECT_EQ(mode("null"), ToolMode::Unset);
  EXPECT_EQ(mode(R"("none")"), ToolMode::None);
  EXPECT_EQ(mode(R"("auto")"), ToolMode::Auto);
  EXPECT_EQ(mode(R"("required")"), ToolMode::Required);
  EXPECT_EQ(mode(R"({"type":"function","function":{"name":"g"}})"), ToolMode::Named);
  EXPECT_EQ(mode(R"({"type":"allowed_tools","allowed_tools":{"mode":"auto"}})"), ToolMode::Subset);
}

TEST(ChatRequest, WrongToolChoiceIsRefused) {
  const auto choice = [](std::string_view value) {
    return with(fmt::format(R"("tools":[{}],"tool_choice":{})", tool("f"), value));
  };
  expect_refused(choice("5"), "tool_choice");
  expect_refused(choice(R"("any")"), "tool_choice", "'any'");
  expect_refused(choice("{}"), "tool_choice.type");
  expect_refused(choice(R"({"type":"custom"})"), "tool_choice.type");
  expect_refused(choice(R"({"type":"function"})"), "tool_choice.function.name");
  expect_refused(choice(R"({"type":"function","function":"f"})"), "tool_choice.function");
  expect_refused(choice(R"({"type":"function","function":{"name":5}})"),
                 "tool_choice.function.name");
  expect_refused(choice(R"({"type":"function","function":{"name":"x"}})"),
                 "tool_choice.function.name", "no tool is called 'x'; available: f");
  expect_refused(with(R"("tool_choice":"required")"), "tool_choice", "offers none");
  expect_refused(with(R"("tools":[],"tool_choice":"required")"), "tool_choice");
  expect_refused(with(R"("tool_choice":{"type":"function","function":{"name":"x"}})"),
                 "tool_choice");
  expect_accepted(with(R"("tool_choice":"auto")"));
}

TEST(ChatRequest, ScalarFieldsAreTypeChecked) {
  expect_accepted(
      with(R"("model":null,"stream":null,"stream_options":null,"max_tokens":null,"n":null)"));
  expect_accepted(with(R"("max_tokens":1,"max_completion_tokens":2,"n":3,"temperature":"hot")"));
  expect_refused(with(R"("model":5)"), "model", "a string, not a number");
  expect_refused(with(R"("stream":"yes")"), "stream", "true or false");
  expect_refused(with(R"("stream_options":true)"), "stream_options", "an object");
  expect_refused(with(R"("stream_options":{"include_usage":1})"), "stream_options.include_usage");
  for (const char* field : {"max_tokens", "max_completion_tokens", "n"}) {
    for (const char* value : {"0", "-1", "1.5", "1e3", "99999999999999999999", "\"1\"", "[]"})
      expect_refused(with(fmt::format("\"{}\":{}", field, value)), field, "integer");
  }
}

TEST(ChatRequest, OwnFieldsAreTypeChecked) {
  const auto request = parse_chat_request(with(
      R"("use_vscode_tools":true,"tool_execution":"auto","max_tool_rounds":0,"session_id":"s",)"
      R"("includeTools":["a"],"toolsExclude":[],"confirmation":"return")"));
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_TRUE(request->use_registered_tools);
  EXPECT_TRUE(request->auto_execute);
  EXPECT_EQ(request->session_id, "s");
  expect_refused(with(R"("use_vscode_tools":1)"), "use_vscode_tools");
  expect_refused(with(R"("tool_execution":"always")"), "tool_execution", "'always'");
  expect_refused(with(R"("max_tool_rounds":-1)"), "max_tool_rounds", "at least 0");
  expect_refused(with(R"("include_tools":"a")"), "include_tools", "an array of strings");
  expect_refused(with(R"("excludeTools":["a",5])"), "excludeTools[1]", "a string");
  expect_refused(with(R"("confirmation":"ask")"), "confirmation", "\"wait\"");
  expect_refused(with(R"("session_id":5)"), "session_id");
  expect_refused(with(fmt::format(R"("session_id":"{}")", std::string(257, 's'))), "session_id",
                 "256");
  expect_refused(with(R"("toolsInclude":[],"include_tools":[])"), "include_tools", "only one of");
  expect_refused(with(R"("excludeTools":[],"toolsExclude":[])"), "excludeTools", "only one of");
  expect_accepted(with(R"("includeTools":[],"excludeTools":[])"));
}

TEST(ChatRequest, WhatIsDecidedOnMayStandOnce) {
  expect_refused(with(R"("model":"a","model":"b")"), "model", "twice");
  expect_refused(with(R"("model":"a","mod\u0065l":"b")"), "model", "twice");
  expect_refused(with(R"("messages":[])"), "messages", "twice");
  expect_refused(with(R"("session_id":"a","session_id":"b")"), "session_id", "twice");
  expect_accepted(with(R"("seed":1,"seed":2)"));
  expect_refused(with_messages(R"({"role":"user","role":"system"})"), "messages[0].role", "twice");
  expect_refused(with_messages(R"({"role":"user","content":"a","content":"b"})"),
                 "messages[0].content", "twice");
  expect_refused(with_messages(R"({"role":"user","tool_calls":null,"tool_calls":null})"),
                 "messages[0].tool_calls", "twice");
  expect_refused(with_messages(R"({"role":"tool","tool_call_id":"a","tool_call_id":"b"})"),
                 "messages[0].tool_call_id", "twice");
  expect_refused(with_tools(R"({"type":"function","type":"function","function":{"name":"f"}})"),
                 "tools[0].type", "twice");
  expect_refused(
      with_tools(R"({"type":"function","function":{"name":"f"},"function":{"name":"g"}})"),
      "tools[0].function", "twice");
  expect_refused(with_tools(R"({"type":"function","function":{"name":"f","name":"g"}})"),
                 "tools[0].function.name", "twice");
  expect_refused(
      with_tools(R"({"type":"function","function":{"name":"f","parameters":{},"parameters":{}}})"),
      "tools[0].function.parameters", "twice");
  expect_refused(with_tools(R"({"function":{"name":"f","description":"a","description":"b"}})"),
                 "tools[0].function.description", "twice");
  const auto with_call = [](std::string_view members) {
    return with_messages(fmt::format(
        R"({{"role":"assistant","tool_calls":[{{"id":"a","type":"function",{}}}]}})", members));
  };
  const std::string call = "messages[0].tool_calls[0]";
  expect_accepted(with_call(R"("function":{"name":"f"})"));
  expect_refused(with_call(R"("function":{"name":"f"},"id":"b")"), call + ".id", "twice");
  expect_refused(with_call(R"("function":{"name":"f"},"type":"custom")"), call + ".type", "twice");
  expect_refused(with_call(R"("function":7,"function":{"name":"f"})"), call + ".function", "twice");
  expect_refused(with_call(R"("function":{"name":"f","name":"g"})"), call + ".function.name",
                 "twice");
}

TEST(ChatRequest, AnOptionOfOursIsKeptFromTheUpstreamHoweverItIsWritten) {
  const auto sent = [](std::string_view options) {
    return upstream(with(fmt::format(R"("stream_options":{})", options)));
  };
  for (const std::string_view key : {"include_tool_events", R"(include_tool_event\u0073)"}) {
    const std::string text = sent(fmt::format(R"({{"include_usage":true,"{}":true}})", key));
    EXPECT_NE(text.find(R"("stream_options":{"include_usage":true})"), text.npos) << text;
  }
  const std::string_view foreign = R"({"include_\u0075sage": true})";
  EXPECT_NE(sent(foreign).find(foreign), std::string::npos) << "left as it is";
}

TEST(ChatRequest, KeysAreComparedUnescaped) {
  const std::string body = R"({"m\u006fdel":"x","messages":[{"r\u006fle":"\u0075ser"}]})";
  const auto request = parse_chat_request(body);
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_EQ(request->model, "x");
  EXPECT_EQ(request->members[0].key, "model");
  EXPECT_EQ(upstream(body, "y"), R"({"m\u006fdel":"y","messages":[{"r\u006fle":"\u0075ser"}]})");
}

TEST(UpstreamBody, ChangesOnlyWhatMustChange) {
  const std::string user = std::string(kUser);
  EXPECT_EQ(upstream(R"({"messages":[)" + user + R"(], "model" : "a" , "seed":1})", "b\"c"),
            R"({"messages":[)" + user + R"(], "model" : "b\"c" , "seed":1})");
  EXPECT_EQ(upstream(with(R"("seed":1)")),
            R"({"model":"m","messages":[)" + user + R"(],"seed":1})");
  EXPECT_EQ(upstream(with(R"("model":null)")), with(R"("model":"m")"));
  EXPECT_EQ(upstream(with(R"("model":"m", "session_id":"s", "seed":1)")),
            with(R"("model":"m", "seed":1)"));
  EXPECT_EQ(upstream(with(R"("model":"m", "session_id":"s" , "confirmation":"wait" )")),
            R"({"messages":[)" + user + R"(],"model":"m" })");
  EXPECT_EQ(upstream(R"({"session_id":"s","messages":[)" + user + R"(],"model":"m"})"),
            with(R"("model":"m")"));
  EXPECT_EQ(upstream(R"({"session_id":"s","messages":[)" + user + R"(]})"),
            R"({"model":"m","messages":[)" + user + "]}");
}

TEST(UpstreamBody, ToolChoiceShapesTheTools) {
  const std::string tools = fmt::format(R"("tools":[{}, {}])", tool("f"), tool("g"));
  const std::string named = R"("tool_choice":{"type":"function","function":{"name":"g"}})";
  EXPECT_EQ(upstream(with(R"("model":"m",)" + tools +
                          R"(,"tool_choice":"none","parallel_tool_calls":true)")),
            with(R"("model":"m")"));
  EXPECT_EQ(
      upstream(with(R"("tools":[],"tool_choice":"auto","parallel_tool_calls":true,"model":"m")")),
      with(R"("model":"m")"));
  EXPECT_EQ(upstream(with(R"("model":"m",)" + tools + "," + named)),
            with(R"("model":"m","tools":[)" + tool("g") + "]," + named));
  const std::string required = with(R"("model":"m",)" + tools + R"(,"tool_choice":"required")");
  EXPECT_EQ(upstream(required), required);
  const std::string one = with(R"("model":"m","tools":[ )" + tool("g") + " ]," + named);
  EXPECT_EQ(upstream(one), one);
}

// Every subset of these members, in two orders and two spacings, against Boost.JSON on both sides.
TEST(UpstreamBody, IsRightInEveryCombination) {
  const std::vector<std::string> members{
      R"("model":"a")",
      R"("session_id":"s")",
      R"("messages":[{"role":"user","content":"},\"model\":"}])",
      R"("tools":[{"type":"function","function":{"name":"f"}},{"type":"function","function":{"name":"g"}}])",
      R"("max_tool_rounds":3)",
      R"("parallel_tool_calls":false)",
      R"("x":{"model":"inner","tools":[]})",
      R"("use_vscode_tools":false)",
  };
  const std::vector<std::string> choices{
      "", R"("tool_choice":"none")", R"("tool_choice":"auto")",
      R"("tool_choice":{"type":"function","function":{"name":"g"}})"};
  std::size_t checked = 0;
  for (unsigned set = 0; set < 1u << members.size(); ++set) {
    for (unsigned form = 0; form < 16; ++form) {
      std::vector<std::string> chosen;
      for (std::size_t i = 0; i < members.size(); ++i)
        if (set & 1u << i) chosen.push_back(members[i]);
      const auto& choice = choices[form & 3];
      if (!choice.empty()) chosen.insert(chosen.begin() + chosen.size() / 2, choice);
      if (form & 4) std::ranges::reverse(chosen);
      const std::string body = (form & 8) ? fmt::format("\n{{ {} }}\n", fmt::join(chosen, " ,\t"))
                                          : fmt::format("{{{}}}", fmt::join(chosen, ","));
      const auto request = read_whole(body);
      if (!request) continue;
      const std::string text = join(make_upstream_body(*request, "m"));
      const auto sent = parse_json(text);
      ASSERT_TRUE(sent) << body << "\n" << text;

      json::object expected = parse_json(body)->as_object();
      for (const char* key : {"session_id", "max_tool_rounds", "use_vscode_tools"})
        expected.erase(key);
      expected["model"] = "m";
      if (request->tool_mode == ToolMode::None)
        for (const char* key : {"tools", "tool_choice", "parallel_tool_calls"}) expected.erase(key);
      if (request->tool_mode == ToolMode::Named)
        expected["tools"].as_array().erase(expected["tools"].as_array().begin());
      ASSERT_EQ(sent->as_object(), expected) << body << "\n" << text;
      ++checked;
    }
  }
  EXPECT_GT(checked, 1000u);
}

TEST(ChatRequest, BodiesOfAnySizeFollowEachOther) {
  for (const std::size_t size : {10u, 100'000u, 6'000'000u, 20u, 3'000'000u, 70'000u}) {
    const std::string body = with(fmt::format(R"("x":"{}","stream":true)", std::string(size, 'x')));
    const auto request = parse_chat_request(body);
    ASSERT_TRUE(request) << size;
    EXPECT_TRUE(request->stream);
    EXPECT_EQ(request->members[1].value.size(), size + 2);
    expect_broken(body.substr(0, body.size() - 1));
  }
}

TEST(ChatRequest, AcceptsWhatRealClientsSend) {
  const char* given = std::getenv("TOOLGATE_THIRDPARTY");
  const std::filesystem::path folder =
      std::filesystem::path(given ? given : "../shared/thirdparty") / "client-requests";
  if (!std::filesystem::is_directory(folder))
    GTEST_SKIP() << "third-party data: no captured client requests at " << folder;
  std::size_t checked = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      const auto record = parse_json(line);
      ASSERT_TRUE(record) << entry.path();
      const std::string_view path = find(*record, "path")->as_string();
      if (!path.ends_with("chat/completions")) continue;
      const std::string body = write_json(*find(*record, "body"));
      const auto request = parse_chat_request(body);
      ASSERT_TRUE(request) << entry.path() << request.error().message;
      if (request->tool_mode != ToolMode::Named || request->tools.size() < 2)
        EXPECT_EQ(join(make_upstream_body(*request, request->model)), body);
      ++checked;
    }
  }
  EXPECT_GT(checked, 30u);
}

}  // namespace
}  // namespace toolgate
