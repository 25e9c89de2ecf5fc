// Whole answers: what keeps its bytes, what is repaired, and the conversions to and from streams.
#include "wire/openai_answer.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "base/utf8.h"
#include "four_bytes_per_token.h"
#include "wire/answer_check.h"
#include "wire/json_padding.h"

namespace toolgate {
namespace {

constexpr std::string_view kReport =
    R"("toolgate":{"rounds":1,"invocations":[],"warnings":[],"fixes":[]}})";

StreamOptions plain_options() {
  StreamOptions options;
  options.model = "ours";
  options.completion_id = "chatcmpl-ours";
  options.created = 7;
  static FourBytesPerToken meter(40);
  meter = FourBytesPerToken(40);
  options.meter = &meter;
  return options;
}

std::string answer_with(std::string_view message, std::string_view finish = R"("stop")") {
  return fmt::format(
      R"({{"id":"c1","object":"chat.completion","created":5,"model":"m","choices":[{{"index":0,)"
      R"("message":{},"logprobs":null,"finish_reason":{}}}],"usage":{{"prompt_tokens":1,)"
      R"("completion_tokens":2,"total_tokens":3}}}})",
      message, finish);
}

// Checks what OpenAI's schema requires.
json::value complete(const AnswerResult& result) {
  if (!result) {
    ADD_FAILURE() << result.error().message;
    return {};
  }
  auto parsed = parse_json(*result);
  if (!parsed) {
    ADD_FAILURE() << *result;
    return {};
  }
  for (const char* key : {"id", "object", "created", "model", "choices", "usage", "toolgate"})
    EXPECT_TRUE(parsed->as_object().contains(key)) << key;
  EXPECT_EQ(parsed->at("object"), "chat.completion");
  for (const json::value& choice : parsed->at("choices").as_array()) {
    EXPECT_TRUE(choice.at("finish_reason").is_string());
    EXPECT_TRUE(choice.at("index").is_int64());
    EXPECT_TRUE(choice.as_object().contains("logprobs"));
    EXPECT_EQ(choice.at("message").at("role"), "assistant");
    EXPECT_TRUE(choice.at("message").as_object().contains("content"));
    EXPECT_TRUE(choice.at("message").as_object().contains("refusal"));
  }
  for (const char* key : {"prompt_tokens", "completion_tokens", "total_tokens"})
    EXPECT_TRUE(parsed->at("usage").at(key).is_int64()) << key;
  return *parsed;
}

json::value normalized(std::string_view body) {
  return complete(normalize_answer(std::string(body), plain_options()));
}

TEST(Answer, CompleteOneKeepsItsBytes) {
  std::string body =
      answer_with(R"({"role":"assistant","content":"h\u00e9","refusal":null, "x":1.50})");
  const auto result = normalize_answer(body + "\n", plain_options());
  ASSERT_TRUE(result);
  body.pop_back();
  EXPECT_EQ(*result, body + "," + std::string(kReport));
}

TEST(Answer, OnlyMissingNullsAreInsertedCheaply) {
  const auto result = normalize_answer(
      R"({"id":"c1","object":"chat.completion","created":5,"model":"m","choices":[)"
      R"({"index":0,"message":{"role":"assistant","content":"a","x":1.50},"finish_reason":"stop"},)"
      R"({"index":1,"logprobs":null,"message":{"content":"b","role":"assistant"},"finish_reason":"stop"}],)"
      R"("usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}})",
      plain_options());
  complete(result);
  EXPECT_NE(result->find(R"([{"logprobs":null,"index":0,"message":{"refusal":null,"role")"),
            std::string::npos)
      << *result;
  EXPECT_NE(result->find("1.50"), std::string::npos);
}

TEST(Answer, MissingFieldsAreFilledIn) {
  const json::value answer = normalized(R"({"choices":[{"message":{"content":"hello"}}]})");
  EXPECT_EQ(answer.at("id"), "chatcmpl-ours");
  EXPECT_EQ(answer.at("model"), "ours");
  EXPECT_EQ(answer.at("created"), 7);
  EXPECT_EQ(answer.at("choices").at(0).at("finish_reason"), "stop");
  EXPECT_EQ(write_json(answer.at("usage")),
            R"({"prompt_tokens":10,"completion_tokens":2,"total_tokens":12})");
  EXPECT_EQ(
      write_json(answer.at("toolgate").at("warnings")),
      R"(["the upstream gave no finish_reason","usage was counted by the gateway: the upstream sent none"])");
}

TEST(Answer, ToolCallsAreMadeComplete) {
  const json::value answer = normalized(answer_with(
      R"({"role":"assistant","content":null,"tool_calls":[{"function":{"name":"f","arguments":{"a":1}}},)"
      R"({"id":"x","type":"function","function":{"name":"g","arguments":""}},)"
      R"({"id":"x","function":{"name":"h","arguments":null}},{"id":"y","function":{}}]})"));
  const json::value& choice = answer.at("choices").at(0);
  EXPECT_EQ(choice.at("finish_reason"), "tool_calls");
  const json::array& calls = choice.at("message").at("tool_calls").as_array();
  ASSERT_EQ(calls.size(), 3U);
  EXPECT_EQ(calls[0].at("function").at("arguments"), R"({"a":1})");
  EXPECT_EQ(calls[1].at("function").at("arguments"), "{}");
  EXPECT_EQ(calls[2].at("function").at("arguments"), "{}");
  EXPECT_TRUE(calls[0].at("id").as_string().starts_with("call_"));
  EXPECT_EQ(calls[1].at("id"), "x");
  EXPECT_NE(calls[2].at("id"), "x");
  for (const json::value& call : calls) EXPECT_EQ(call.at("type"), "function");
}

TEST(Answer, CallsThatNeedNothingKeepTheirBytes) {
  const std::string body = answer_with(
      R"({"role":"assistant","content":null,"refusal":null,"tool_calls":[{"id":"x","type":"function",)"
      R"("function":{"name":"g","arguments":"{ }"}}]})",
      R"("tool_calls")");
  const auto result = normalize_answer(body, plain_options());
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->starts_with(body.substr(0, body.size() - 1)));
}

TEST(Answer, FinishReasonFollowsTheContent) {
  EXPECT_EQ(
      normalized(answer_with(R"({"content":"a"})", "null")).at("choices").at(0).at("finish_reason"),
      "stop");
  EXPECT_EQ(normalized(answer_with(R"({"content":"a"})", R"("tool_calls")"))
                .at("choices")
                .at(0)
                .at("finish_reason"),
            "stop");
  EXPECT_EQ(normalized(answer_with(R"({"content":"a"})", R"("length")"))
                .at("choices")
                .at(0)
                .at("finish_reason"),
            "length");
}

TEST(Answer, KeysGivenTwiceAreRepaired) {
  const json::value answer = normalized(
      answer_with(R"({"role":"assistant","content":"a","content":{"b":1},"refusal":null})"));
  EXPECT_EQ(answer.at("choices").at(0).at("message").at("content"), R"({"b":1})");
}

TEST(Answer, BrokenTextIsMended) {
  const auto result = normalize_answer(
      answer_with("{\"role\":\"assistant\",\"content\":\"a\xFF\\ud83d\",\"refusal\":null}"),
      plain_options());
  const json::value answer = complete(result);
  EXPECT_TRUE(is_valid_utf8(*result));
  EXPECT_EQ(answer.at("choices").at(0).at("message").at("content"), "a\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(Answer, UpstreamsOwnReportIsReplaced) {
  std::string body = answer_with(R"({"role":"assistant","content":"a","refusal":null})");
  body.insert(1, R"("toolgate":{"rounds":9},)");
  EXPECT_EQ(normalized(body).at("toolgate").at("rounds"), 1);
}

TEST(Answer, ErrorsAreErrors) {
  const auto failing = [](std::string_view body) {
    auto result = normalize_answer(std::string(body), plain_options());
    EXPECT_FALSE(result) << body;
    return result ? ErrorBody{} : result.error();
  };
  EXPECT_EQ(failing(R"({"error":{"message":"boom","code":429}})").status, 429);
  EXPECT_EQ(failing(R"({"error":"boom"})").message, "boom");
  EXPECT_EQ(failing("<html>nope").message, "the upstream's answer is not JSON: <html>nope");
  EXPECT_EQ(failing("").message, "the upstream's answer is empty");
  EXPECT_NE(failing(R"({"choices":[]})").message.find("no choices"), std::string::npos);
  EXPECT_NE(failing(R"({"id":"x"})").message.find("no choices"), std::string::npos);
  EXPECT_NE(failing("[1]").message.find("no choices"), std::string::npos);
  EXPECT_EQ(failing("null").status, 502);
}

TEST(AnswerToStream, GivesCanonicalEvents) {
  std::string out;
  StreamOptions options = plain_options();
  options.include_usage = true;
  ASSERT_TRUE(stream_answer(answer_with(R"({"role":"assistant","content":"hi","tool_calls":[)"
                                        R"({"id":"x","function":{"name":"f","arguments":"{}"}}]})",
                                        R"("tool_calls")"),
                            options, out));
  EXPECT_TRUE(out.starts_with("data: {\"id\":\"c1\",\"object\":\"chat.completion.chunk\"")) << out;
  EXPECT_NE(out.find(R"("content":"hi")"), std::string::npos);
  EXPECT_NE(out.find(R"("id":"x","function":{"name":"f","arguments":"{}"},"index":0)"),
            std::string::npos)
      << out;
  EXPECT_NE(out.find(R"("finish_reason":"tool_calls")"), std::string::npos);
  EXPECT_NE(out.find(R"("choices":[],"usage":{"prompt_tokens":1)"), std::string::npos);
  EXPECT_TRUE(out.ends_with("data: [DONE]\n\n"));
}

TEST(AnswerToStream, FailsWithoutWritingAnything) {
  std::string out;
  EXPECT_FALSE(stream_answer("oops", plain_options(), out));
  EXPECT_FALSE(stream_answer(R"({"error":"boom"})", plain_options(), out));
  EXPECT_TRUE(out.empty());
}

constexpr std::string_view kStreamed =
    "data: "
    "{\"id\":\"c1\",\"created\":5,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"role\":"
    "\"assistant\","
    "\"content\":\"a\",\"reasoning\":\"r1\"},\"logprobs\":{\"content\":[1]},\"finish_reason\":null}"
    "]}\n\n"
    "data: "
    "{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"b\",\"reasoning\":\"r2\"},\"logprobs\":{"
    "\"content\":[2]}}]}\n\n"
    "data: "
    "{\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":1,\"id\":\"x\",\"function\":{"
    "\"name\":\"f\","
    "\"arguments\":\"{\\\"a\\\"\"}}]}}]}\n\n"
    "data: "
    "{\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":1,\"function\":{"
    "\"arguments\":\":1}\"}}]},"
    "\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2}}\n\n"
    "data: [DONE]\n\n";

TEST(StreamToAnswer, JoinsEverything) {
  const json::value answer = complete(assemble_answer(kStreamed, plain_options()));
  EXPECT_EQ(answer.at("id"), "c1");
  const json::value& choice = answer.at("choices").at(0);
  EXPECT_EQ(choice.at("finish_reason"), "tool_calls");
  EXPECT_EQ(choice.at("message").at("content"), "ab");
  EXPECT_EQ(choice.at("message").at("reasoning"), "r1r2");
  EXPECT_EQ(write_json(choice.at("logprobs")), R"({"content":[1,2]})");
  EXPECT_EQ(write_json(choice.at("message").at("tool_calls")),
            R"([{"id":"x","function":{"name":"f","arguments":"{\"a\":1}"},"type":"function"}])");
  EXPECT_EQ(answer.at("usage").at("total_tokens"), 3);
}

TEST(StreamToAnswer, TakesACallThatBeginsWithoutArguments) {
  const json::value answer = complete(
      assemble_answer("data: "
                      "{\"id\":\"c1\",\"object\":\"chat.completion.chunk\",\"created\":5,\"model\":"
                      "\"m\",\"choices\":[{"
                      "\"index\":0,\"delta\":{\"role\":\"assistant\",\"tool_calls\":[{\"index\":0,"
                      "\"id\":\"x\",\"type\":"
                      "\"function\",\"function\":{\"name\":\"f\"}}]},\"finish_reason\":null}]}\n\n",
                      plain_options()));
  EXPECT_EQ(answer.at("choices")
                .at(0)
                .at("message")
                .at("tool_calls")
                .at(0)
                .at("function")
                .at("arguments"),
            "{}");
}

TEST(StreamToAnswer, IsUsedForABodyOfEvents) {
  EXPECT_EQ(normalized(": hi\n\n" + std::string(kStreamed))
                .at("choices")
                .at(0)
                .at("message")
                .at("content"),
            "ab");
}

TEST(StreamToAnswer, ErrorsAreErrors) {
  EXPECT_EQ(assemble_answer("data: {\"error\":\"boom\"}\n\n", plain_options()).error().message,
            "boom");
  EXPECT_EQ(assemble_answer("data: [DONE]\n\n", plain_options()).error().status, 502);
}

// What keeps its bytes must be JSON, whatever is wrong with it: each byte in turn is taken out,
// doubled, and replaced by each that means something to JSON.
TEST(AnswerCheckTest, NothingDamagedKeepsItsBytes) {
  const std::string whole = answer_with(
      R"({"role":"assistant","content":"a\n\u00e4\ud83d\ude00 ä","refusal":null,"tool_calls":[)"
      R"({"id":"1","type":"function","function":{"name":"f","arguments":"{\"a\":[-1.5e+3]}"}}],)"
      R"("more":[true,false,null,{"n":-0.5e-1}]})",
      R"("tool_calls")");
  std::size_t kept = 0;
  const auto look_at = [&](std::string text) {
    text.reserve(text.size() + kJsonPadding);
    if (check_answer(text) == AnswerCheck::Damaged) return;
    ++kept;
    EXPECT_TRUE(parse_json(text)) << text;
  };
  look_at(whole);
  ASSERT_EQ(kept, 1U);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string text = whole;
    for (const char c : std::string_view("\"\\{}[]:,+-.09aeEnutf \t\n\x01\x7F\x80\xC3\xF0")) {
      text[at] = c;
      look_at(text);
    }
    text.erase(at, 1);
    look_at(text);
    text.insert(at, 2, whole[at]);
    look_at(text);
    look_at(whole.substr(0, at));
  }
  EXPECT_GT(kept, 100U);
}

TEST(AnswerCheckTest, FactsAreThoseOfACompleteAnswer) {
  AnswerFacts facts{.wants_names = true};
  std::string whole =
      answer_with(R"({"role":"assistant","content":"hi","refusal":null})", R"("st\u006fp")");
  whole.reserve(whole.size() + kJsonPadding);
  EXPECT_EQ(check_answer(std::string_view(whole).substr(0, whole.size() - 1), &facts),
            AnswerCheck::Damaged);
  EXPECT_EQ(facts.id + facts.model + facts.finish_reason, "");
  EXPECT_EQ(facts.input_tokens, std::nullopt);
  EXPECT_EQ(check_answer(whole, &facts), AnswerCheck::Complete);
  EXPECT_EQ(facts.id, "c1");
  EXPECT_EQ(facts.model, "m");
  EXPECT_EQ(facts.finish_reasons, std::vector<std::string>{"stop"});
  EXPECT_EQ(facts.input_tokens, 1);
  EXPECT_EQ(facts.output_tokens, 2);
}

}  // namespace
}  // namespace toolgate
