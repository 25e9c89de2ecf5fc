// The demo model through its provider interface: what it calls, what it says, and both wire forms.
#include "models/demo.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include "base/json.h"
#include "base/utf8.h"
#include "models/demo_script.h"
#include "wire/json_padding.h"

namespace toolgate {
namespace {

std::string quote(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

std::string tool(std::string_view name) {
  return fmt::format(R"({{"type":"function","function":{{"name":"{}"}}}})", name);
}

const std::string kTools = fmt::format(R"("tools":[{},{}])", tool("get_weather"), tool("readFile"));

std::string ask(std::string_view text, std::string_view members = kTools) {
  return fmt::format(R"({{"messages":[{{"role":"user","content":{}}}],{}}})", quote(text), members);
}

template <class T>
T run(boost::asio::io_context& context, Task<T> task) {
  std::optional<T> result;
  boost::asio::co_spawn(context, std::move(task), [&](std::exception_ptr failure, T value) {
    if (failure) std::rethrow_exception(failure);
    result = std::move(value);
  });
  context.restart();
  context.run();
  return std::move(*result);
}

Result<ProviderReply> answer(boost::asio::io_context& context, const std::string& body) {
  static char no_client;  // the demo never touches it
  const auto request = parse_chat_request(body);
  if (!request) return std::unexpected(request.error());
  const auto provider = make_demo_provider();
  const CancelSource cancel;
  return run(context, provider->answer(
                          {*request, "req_1", reinterpret_cast<HttpClient&>(no_client)}, cancel));
}

json::value whole(const std::string& body) {
  boost::asio::io_context context;
  auto reply = answer(context, body);
  EXPECT_TRUE(reply) << (reply ? "" : reply.error().message);
  if (!reply) return {};
  EXPECT_EQ(reply->status, 200);
  auto parsed = parse_json(std::get<std::string>(reply->body));
  EXPECT_TRUE(parsed) << std::get<std::string>(reply->body);
  return parsed ? *parsed : json::value();
}

std::vector<std::string> chunks(const std::string& body) {
  boost::asio::io_context context;
  auto reply = answer(context, body);
  EXPECT_TRUE(reply) << (reply ? "" : reply.error().message);
  std::vector<std::string> out;
  if (!reply) return out;
  auto& source = *std::get<std::unique_ptr<ChunkSource>>(reply->body);
  const CancelSource cancel;
  for (auto next = source.next(); next && *next; next = source.next()) {
    out.emplace_back(**next);
    for (std::size_t i = 0; i < kJsonPadding; ++i)
      EXPECT_EQ((*next)->data()[(*next)->size() + i], 0);
  }
  EXPECT_FALSE(run(context, source.fill(cancel)).value());
  return out;
}

json::value message_of(const std::string& body) {
  return whole(body).at("choices").at(0).at("message");
}

std::string text_of(const std::string& body) {
  const auto message = message_of(body);
  EXPECT_FALSE(message.as_object().contains("tool_calls"));
  return std::string(message.at("content").as_string());
}

// "name arguments" of each call.
std::vector<std::string> calls_of(const std::string& body) {
  const auto message = message_of(body);
  std::vector<std::string> out;
  if (const auto* calls = find(message, "tool_calls"))
    for (const auto& call : calls->as_array())
      out.push_back(fmt::format("{} {}",
                                std::string_view(call.at("function").at("name").as_string()),
                                std::string_view(call.at("function").at("arguments").as_string())));
  return out;
}

using Strings = std::vector<std::string>;

TEST(Demo, SaysWhoItIs) {
  const auto provider = make_demo_provider();
  EXPECT_EQ(provider->info().id, "toolgate/demo");
  EXPECT_EQ(provider->info().owned_by, "toolgate");
}

TEST(Demo, WithoutReferenceItTellsWhatItCanDo) {
  const auto reply = whole(ask("hello"));
  const auto& choice = reply.at("choices").at(0);
  EXPECT_EQ(choice.at("finish_reason").as_string(), "stop");
  EXPECT_EQ(reply.at("object").as_string(), "chat.completion");
  EXPECT_EQ(reply.at("model").as_string(), "toolgate/demo");
  EXPECT_NE(text_of(ask("hello")).find("#get_weather, #readFile"), std::string::npos);
  EXPECT_NE(text_of(ask("hello", R"("n":1)")).find("no tools"), std::string::npos);
}

TEST(Demo, CallsWhatIsReferenced) {
  EXPECT_EQ(calls_of(ask("#get_weather")), Strings{"get_weather {}"});
  EXPECT_EQ(calls_of(ask("please #GET_WEATHER now")), Strings{"get_weather {}"});
  EXPECT_EQ(
      calls_of(ask(R"(use #readFile {"filePath":"a}\"{.md", "x":{"y":1}} and (#get_weather))")),
      (Strings{R"(readFile {"filePath":"a}\"{.md", "x":{"y":1}})", "get_weather {}"}));
  EXPECT_EQ(calls_of(R"({"messages":[{"role":"user","content":[{"type":"text","text":"#readFile"},)"
                     R"({"type":"text","text":"{\"a\":1}"}]}],)" +
                     kTools + "}"),
            Strings{R"(readFile {"a":1})"});
  EXPECT_TRUE(calls_of(ask("C#readFile and a # readFile")).empty());
  const auto reply = whole(ask("#get_weather #readFile"));
  const auto& choice = reply.at("choices").at(0);
  EXPECT_EQ(choice.at("finish_reason").as_string(), "tool_calls");
  EXPECT_TRUE(choice.at("message").at("content").is_null());
  EXPECT_NE(choice.at("message").at("tool_calls").at(0).at("id"),
            choice.at("message").at("tool_calls").at(1).at("id"));
}

TEST(Demo, OnlyTheLastUserMessageCounts) {
  const std::string body = R"({"messages":[{"role":"user","content":"#readFile"},)"
                           R"({"role":"user","content":"#get_weather"},{"role":"system"}],)" +
                           kTools + "}";
  EXPECT_EQ(calls_of(body), Strings{"get_weather {}"});
}

TEST(Demo, ToolNotOfferedIsSaid) {
  const auto text = text_of(ask("#nothing"));
  EXPECT_NE(text.find("No tool called 'nothing' is offered."), std::string::npos);
  EXPECT_NE(text.find("#get_weather"), std::string::npos);
  const auto message = message_of(ask("#nothing #readFile"));
  EXPECT_EQ(message.at("tool_calls").as_array().size(), 1u);
  EXPECT_NE(std::string_view(message.at("content").as_string()).find("'nothing'"),
            std::string_view::npos);
}

TEST(Demo, WrongArgumentsAreSaidWithTheirPlace) {
  const auto text = text_of(ask("#readFile {\"a\":\n oops}"));
  EXPECT_NE(text.find("The arguments of #readFile are no JSON"), std::string::npos);
  EXPECT_NE(text.find("line 2"), std::string::npos) << text;
  EXPECT_NE(text_of(ask("#readFile {\"a\":")).find("no JSON"), std::string::npos);
}

TEST(Demo, ToolChoiceIsHonoured) {
  const auto choice = [](std::string_view value) {
    return kTools + ",\"tool_choice\":" + std::string(value);
  };
  const std::string named = choice(R"({"type":"function","function":{"name":"readFile"}})");
  EXPECT_NE(text_of(ask("#readFile", choice("\"none\""))).find("tool_choice"), std::string::npos);
  EXPECT_EQ(calls_of(ask("hello", choice("\"required\""))), Strings{"get_weather {}"});
  EXPECT_EQ(calls_of(ask("hello", named)), Strings{"readFile {}"});
  EXPECT_EQ(calls_of(ask("#get_weather #readFile {\"a\":1}", named)),
            Strings{R"(readFile {"a":1})"});
  EXPECT_EQ(calls_of(ask("#get_weather #readFile", kTools + R"(,"parallel_tool_calls":false)")),
            Strings{"get_weather {}"});
}

std::string after_results(std::string_view content) {
  return fmt::format(
      R"({{"messages":[{{"role":"user","content":"#get_weather #readFile"}},)"
      R"({{"role":"assistant","content":null,"tool_calls":[)"
      R"({{"id":"a","type":"function","function":{{"name":"get_weather","arguments":"{{}}"}}}},)"
      R"({{"id":"b","type":"function","function":{{"name":"readFile","arguments":"{{}}"}}}}]}},)"
      R"({{"role":"tool","tool_call_id":"b","content":{}}},)"
      R"({{"role":"tool","tool_call_id":"a","content":"Sunny"}}],{},"tool_choice":"required"}})",
      content, kTools);
}

TEST(Demo, AnswersWithWhatCameBack) {
  EXPECT_EQ(text_of(after_results(R"([{"type":"text","text":"# Title"}])")),
            "readFile answered: # Title\n\nget_weather answered: Sunny");
}

TEST(Demo, LongResultsAreCutByCharacters) {
  std::string result;
  for (int i = 0; i < 2000; ++i) result += "é";
  EXPECT_EQ(text_of(after_results(quote(result))),
            "readFile answered: " + result + "\n\nget_weather answered: Sunny");
  EXPECT_EQ(text_of(after_results(quote(result + "ab"))),
            "readFile answered: " + result +
                "… (cut, 2002 characters in all)\n\nget_weather answered: Sunny");
}

TEST(Demo, MaxTokensCutsByWords) {
  const auto reply = whole(ask("hi", R"("max_tokens":4)"));
  EXPECT_EQ(reply.at("choices").at(0).at("message").at("content").as_string(),
            "I am Toolgate's demo");
  EXPECT_EQ(reply.at("choices").at(0).at("finish_reason").as_string(), "length");
  EXPECT_EQ(text_of(ask("hi", R"("max_tokens":4,"max_completion_tokens":2)")), "I am");
  EXPECT_EQ(
      whole(ask("hi", R"("max_tokens":4000)")).at("choices").at(0).at("finish_reason").as_string(),
      "stop");
}

TEST(Demo, UsageIsCountedInTokens) {
  const auto usage = whole(ask("hi there", R"("max_tokens":2)")).at("usage");
  constexpr std::size_t kList = 3, kMessage = 3, kRole = 1, kContent = 2;
  EXPECT_EQ(usage.at("prompt_tokens").to_number<std::size_t>(),
            kList + kMessage + kRole + kContent);
  EXPECT_EQ(usage.at("completion_tokens").to_number<std::size_t>(), 2u);
}

TEST(Demo, SameRequestSameAnswer) {
  auto one = whole(ask("#readFile")).as_object();
  auto two = whole(ask("#readFile")).as_object();
  one.erase("created");
  two.erase("created");
  EXPECT_EQ(one, two);
  EXPECT_NE(one.at("id"), whole(ask("#readFile ")).at("id"));
}

TEST(Demo, StreamsTextInPiecesThatJoinToTheWholeAnswer) {
  std::string result;
  for (int i = 0; i < 50; ++i) result += i % 7 ? "naïveté→" : " wörd  ";
  std::string body = after_results(quote(result));
  const std::string expected = text_of(body);
  body.insert(1, R"("stream":true,"stream_options":{"include_usage":true},)");
  const auto list = chunks(body);
  ASSERT_GT(list.size(), 6u);
  EXPECT_EQ(list.back(), "[DONE]");
  std::string text;
  for (std::size_t i = 0; i + 2 < list.size(); ++i) {
    const auto chunk = parse_json(list[i]);
    ASSERT_TRUE(chunk) << list[i];
    EXPECT_EQ(chunk->at("object").as_string(), "chat.completion.chunk");
    EXPECT_TRUE(chunk->at("usage").is_null());
    const auto& choice = chunk->at("choices").at(0);
    const auto* content = find(choice.at("delta"), "content");
    EXPECT_EQ(choice.at("delta").as_object().contains("role"), i == 0);
    EXPECT_EQ(choice.at("finish_reason").is_null(), i + 3 < list.size());
    if (content) EXPECT_TRUE(is_valid_utf8(std::string_view(content->as_string())));
    if (content) text += content->as_string();
  }
  EXPECT_EQ(text, expected);
  const auto usage = parse_json(list[list.size() - 2]);
  ASSERT_TRUE(usage);
  EXPECT_TRUE(usage->at("choices").as_array().empty());
  EXPECT_GT(usage->at("usage").at("total_tokens").to_number<int>(), 0);
}

TEST(Demo, StreamsCallsWithArgumentsInPieces) {
  const std::string arguments = R"({"filePath":"ünïcödé/ünïcödé/ünïcödé.md"})";
  const auto list =
      chunks(ask("#get_weather #readFile " + arguments, kTools + R"(,"stream":true)"));
  std::vector<std::string> joined(2);
  std::vector<int> pieces(2);
  Strings names(2);
  std::string finish;
  for (const auto& text : list) {
    if (text == "[DONE]") continue;
    const auto chunk = parse_json(text);
    ASSERT_TRUE(chunk) << text;
    EXPECT_FALSE(chunk->as_object().contains("usage"));
    const auto& choice = chunk->at("choices").at(0);
    if (choice.at("finish_reason").is_string()) finish = choice.at("finish_reason").as_string();
    const auto* calls = find(choice.at("delta"), "tool_calls");
    if (!calls) continue;
    const auto& call = calls->at(0);
    const auto index = call.at("index").to_number<std::size_t>();
    ASSERT_LT(index, 2u);
    EXPECT_EQ(call.as_object().contains("id"), pieces[index] == 0);
    if (const auto* name = find(call.at("function"), "name")) names[index] = name->as_string();
    joined[index] += call.at("function").at("arguments").as_string();
    ++pieces[index];
  }
  EXPECT_EQ(names, (Strings{"get_weather", "readFile"}));
  EXPECT_EQ(joined, (Strings{"{}", arguments}));
  EXPECT_GE(pieces[1], 3);
  EXPECT_EQ(finish, "tool_calls");
  EXPECT_EQ(list.back(), "[DONE]");
}

TEST(Demo, MessageWithAWrongEscapeIsRefused) {
  boost::asio::io_context context;
  const auto reply = answer(context, R"({"messages":[{"role":"user","content":"\x"}]})");
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, Errc::InvalidJson);
  EXPECT_EQ(reply.error().where, "messages[0]");
}

}  // namespace
}  // namespace toolgate
