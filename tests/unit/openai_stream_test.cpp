// The stream normaliser: what passes unchanged, what is repaired, what fails.
#include "wire/openai_stream.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/json.h"
#include "base/utf8.h"
#include "four_bytes_per_token.h"
#include "stream_outcome.h"
#include "wire/json_padding.h"

namespace toolgate {
namespace {

using namespace stream_test;

TEST(Stream, CanonicalChunksKeepTheirBytes) {
  const std::string odd = R"({ "id":"chatcmpl-1","object":"chat.completion.chunk","created":5,)"
                          R"("model":"m","x":{"y":[1.50]},"choices":[{"index":0,"logprobs":null,)"
                          R"("delta":{"content":"\u00e9","reasoning_content":"r"},)"
                          R"("finish_reason":null}],"usage":null})";
  const Outcome outcome = run({kRole, odd, kStop, "[DONE]"});
  EXPECT_TRUE(outcome.text.starts_with("data: " + kRole + "\n\ndata: " + odd + "\n\n"));
  EXPECT_EQ(outcome.state, StreamState::Done);
  EXPECT_TRUE(outcome.done);
  EXPECT_EQ(outcome.chunks.size(), 3U);
}

TEST(Stream, LineEndsInsideAChunkBecomeSpaces) {
  std::string split = kRole;
  split.replace(split.find(','), 1, ",\n");
  const Outcome outcome = run({split, kStop});
  EXPECT_TRUE(outcome.text.starts_with("data: {\"id\":\"chatcmpl-1\", \"object\""));
}

TEST(Stream, FinishIsHeldBackAndOtherContentIsNot) {
  ChatStreamNormalizer normalizer(plain_options());
  std::string first = delta_chunk(R"({"role":"assistant","content":"all"})", R"("stop")");
  first.reserve(first.size() + kJsonPadding);
  std::string out;
  EXPECT_EQ(normalizer.add(first, out), StreamState::Answered);
  EXPECT_NE(out.find(R"("content":"all"})"), std::string::npos);
  EXPECT_NE(out.find(R"("finish_reason":null)"), std::string::npos);
  out.clear();
  EXPECT_EQ(normalizer.finish(StreamEnd::Cut, out), StreamState::Done);
  EXPECT_NE(out.find(R"("delta":{},"finish_reason":"stop"}],"toolgate":{"rounds":1)"),
            std::string::npos)
      << out;
}

TEST(Stream, MissingFieldsAreFilledIn) {
  Outcome outcome = run(
      {R"({"choices":[{"delta":{"content":"a"}}]})", R"({"choices":[{"delta":{"content":"b"}}]})"});
  EXPECT_EQ(outcome.state, StreamState::Done);
  EXPECT_EQ(outcome.content[0], "ab");
  EXPECT_EQ(outcome.finish[0], "stop");
  for (const json::value& chunk : outcome.chunks) {
    EXPECT_EQ(chunk.at("id"), "chatcmpl-ours");
    EXPECT_EQ(chunk.at("model"), "ours");
    EXPECT_EQ(chunk.at("created"), 7);
  }
  EXPECT_EQ(warnings_of(outcome), Texts{"the upstream gave no finish_reason"});
}

TEST(Stream, IdIsTheSameInAllChunks) {
  std::string other = kHello;
  other.replace(other.find("chatcmpl-1"), 10, "chatcmpl-2");
  const Outcome outcome = run({kRole, other, kStop});
  for (const json::value& chunk : outcome.chunks) EXPECT_EQ(chunk.at("id"), "chatcmpl-1");
}

TEST(Stream, UnknownFieldsSurviveRepair) {
  const Outcome outcome = run(
      {R"({"system_fingerprint":"fp","choices":[{"delta":{"content":"a","reasoning":"r"},"x":1}]})",
       R"({"choices":[{"delta":{},"finish_reason":"stop","stop_reason":42}],"timings":{"n":0.7}})"});
  EXPECT_EQ(outcome.chunks[0].at("system_fingerprint"), "fp");
  EXPECT_EQ(outcome.chunks[0].at("choices").at(0).at("delta").at("reasoning"), "r");
  EXPECT_EQ(outcome.chunks[0].at("choices").at(0).at("x"), 1);
  EXPECT_EQ(outcome.chunks[1].at("choices").at(0).at("stop_reason"), 42);
  EXPECT_EQ(write_json(outcome.chunks[1].at("timings")), R"({"n":0.7})");
}

TEST(Stream, WholeMessageIsConverted) {
  Outcome outcome =
      run({R"({"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant",)"
           R"("content":[{"type":"text","text":"hi"}],"tool_calls":[)"
           R"({"function":{"name":"f","arguments":{"a":1}}},{"function":{"name":"f"}}]},)"
           R"("finish_reason":"stop"}],"usage":{"prompt_tokens":1}})"});
  EXPECT_EQ(outcome.content[0], "hi");
  ASSERT_EQ(outcome.calls[0].size(), 2U);
  EXPECT_EQ(outcome.calls[0][0].arguments, R"({"a":1})");
  EXPECT_EQ(outcome.calls[0][1].arguments, "{}");
  EXPECT_EQ(outcome.finish[0], "tool_calls");
}

TEST(Stream, SeveralChoicesEachGetRoleAndFinish) {
  Outcome outcome =
      run({chunk_with(R"([{"delta":{"content":"a"}},{"delta":{"content":"b"}}])"),
           chunk_with(R"([{"index":1,"delta":{},"finish_reason":"length"}])"),
           chunk_with(R"([{"index":0,"delta":{"content":"c"},"finish_reason":"stop"}])")});
  EXPECT_EQ(outcome.content[0], "ac");
  EXPECT_EQ(outcome.content[1], "b");
  EXPECT_EQ(outcome.finish[0], "stop");
  EXPECT_EQ(outcome.finish[1], "length");
}

TEST(Stream, AnswerOfAFinishAloneStillHasARole) {
  Outcome outcome = run({delta_chunk("{}", R"("content_filter")")});
  EXPECT_EQ(outcome.state, StreamState::Done);
  EXPECT_EQ(outcome.finish[0], "content_filter");
}

TEST(Stream, FinishReasonsAreMadeKnownOnes) {
  const auto reason = [](std::string_view given) {
    return run({kRole, kHello, delta_chunk("{}", given)}).finish.at(0);
  };
  EXPECT_EQ(reason(R"("length")"), "length");
  EXPECT_EQ(reason(R"("eos")"), "stop");
  EXPECT_EQ(reason(R"("max_tokens")"), "length");
  EXPECT_EQ(reason(R"("tool_calls")"), "stop");
  EXPECT_EQ(reason("7"), "stop");
  EXPECT_EQ(reason(R"("")"), "stop");
}

TEST(Stream, DeprecatedFunctionCallPasses) {
  Outcome outcome =
      run({delta_chunk(R"({"role":"assistant","function_call":{"name":"f","arguments":""}})"),
           delta_chunk(R"({"function_call":{"arguments":"{}"}})"),
           delta_chunk("{}", R"("function_call")")});
  EXPECT_EQ(outcome.finish[0], "function_call");
  EXPECT_EQ(outcome.chunks[1].at("choices").at(0).at("delta").at("function_call").at("arguments"),
            "{}");
}

TEST(Stream, KeysGivenTwiceAreNotPassedUnchecked) {
  Outcome outcome = run({kRole, delta_chunk(R"({"content":"a","content":{"b":1}})"), kStop});
  EXPECT_EQ(outcome.content[0], R"({"b":1})");
  outcome = run({delta_chunk(R"({"role":"assistant","content":"a"})"),
                 chunk_with(R"([],"choices":[{"index":5}])")});
  EXPECT_EQ(outcome.finish.size(), 2U);
}

TEST(Stream, UpstreamsOwnReportIsReplaced) {
  std::string first = kRole;
  first.insert(1, R"("toolgate":{"rounds":9},)");
  std::string last = kStop;
  last.insert(1, R"("toolgate":{"rounds":9},)");
  const Outcome outcome = run({first, kHello, last});
  EXPECT_EQ(outcome.text.find("\"rounds\":9"), std::string::npos);
  EXPECT_EQ(outcome.chunks.back().at("toolgate").at("rounds"), 1);
}

TEST(StreamUsage, IsSentLastAndOnlyWhenAskedFor) {
  const std::string usage =
      R"({"id":"chatcmpl-1","usage":{"prompt_tokens":3,"completion_tokens":4,"details":{}}})";
  StreamOptions options = plain_options();
  const Outcome without = run({kRole, kHello, kStop, usage, "[DONE]"}, options);
  EXPECT_EQ(without.text.find("\"usage\""), std::string::npos);
  options.include_usage = true;
  const Outcome with = run({kRole, kHello, kStop, usage, "[DONE]"}, options);
  const json::value& last = with.chunks.back();
  EXPECT_EQ(write_json(last.at("choices")), "[]");
  EXPECT_EQ(write_json(last.at("usage")),
            R"({"prompt_tokens":3,"completion_tokens":4,"details":{},"total_tokens":7})");
  EXPECT_TRUE(last.as_object().contains("toolgate"));
  EXPECT_FALSE(with.chunks[with.chunks.size() - 2].as_object().contains("toolgate"));
}

TEST(StreamUsage, LastOneWinsAndIsTakenFromAnyChunk) {
  std::string content = kHello;
  content.insert(1, R"("usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2},)");
  std::string last = kStop;
  last.insert(1, R"("usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10},)");
  StreamOptions options = plain_options();
  options.include_usage = true;
  Outcome outcome = run({kRole, content, last}, options);
  EXPECT_EQ(outcome.content[0], "Hello");
  EXPECT_FALSE(outcome.chunks[1].as_object().contains("usage"));
  EXPECT_EQ(outcome.chunks.back().at("usage").at("total_tokens"), 10);
  EXPECT_TRUE(warnings_of(outcome).empty());
}

TEST(StreamUsage, IsCountedWhenNoneCame) {
  StreamOptions options = plain_options();
  options.include_usage = true;
  FourBytesPerToken meter(401);
  options.meter = &meter;
  const Outcome outcome = run(
      {kRole, kHello,
       call_chunk(
           R"({"index":0,"id":"c","type":"function","function":{"name":"f","arguments":"{}"}})"),
       kStop},
      options);
  EXPECT_EQ(write_json(outcome.chunks.back().at("usage")),
            R"({"prompt_tokens":101,"completion_tokens":2,"total_tokens":103})");
  EXPECT_EQ(warnings_of(outcome),
            Texts{"usage was counted by the gateway: the upstream sent none"});
}

TEST(StreamErrors, AnErrorEventFailsTheStream) {
  for (const std::string_view text :
       {R"({"error":{"message":"boom","type":"t","code":"c"}})", R"({"error":"boom"})",
        R"({"object":"error","message":"boom"})", R"({"code":500123,"message":"boom"})"}) {
    const Outcome outcome = run({kRole, std::string(text), kHello});
    EXPECT_EQ(outcome.state, StreamState::Failed);
    EXPECT_EQ(outcome.error.message, "boom");
    EXPECT_EQ(outcome.error.status, 502);
    EXPECT_EQ(outcome.chunks.size(), 1U);
    EXPECT_FALSE(outcome.done);
  }
  EXPECT_EQ(run({R"({"error":{"message":"m","code":429}})"}).error.status, 429);
}

TEST(StreamErrors, EventIsWrittenAsData) {
  std::string out;
  append_error_event(out, {502, "m", "t", std::nullopt, "c"});
  EXPECT_EQ(
      out,
      "data: {\"error\":{\"message\":\"m\",\"type\":\"t\",\"param\":null,\"code\":\"c\"}}\n\n");
}

TEST(StreamErrors, PingsAndGarbageArePassedOver) {
  Outcome outcome =
      run({"{}", " ", kRole, "not json", "[1]", "7", kHello, kStop, " [DONE] ", kHello});
  EXPECT_EQ(outcome.state, StreamState::Done);
  EXPECT_EQ(outcome.content[0], "Hello");
  EXPECT_EQ(warnings_of(outcome),
            Texts{"3 events of the upstream were no chunks and were left out"});
}

TEST(StreamErrors, GarbageWithoutEndFails) {
  const Outcome outcome = run(Texts(100, "garbage"));
  EXPECT_EQ(outcome.state, StreamState::Failed);
  EXPECT_EQ(run(Texts(99, "garbage")).error.message, "the upstream's stream held no answer");
}

TEST(StreamErrors, AnEventCutInTheMiddleAtTheEndFails) {
  const Outcome cut = run({kRole, kHello, kHello.substr(0, kHello.size() / 2)});
  EXPECT_EQ(cut.state, StreamState::Failed);
  EXPECT_EQ(cut.error.message, "the upstream's stream ended in the middle of an event");
  EXPECT_EQ(run({kRole, kHello, kStop, "{\"cut"}).state, StreamState::Done);
}

TEST(StreamErrors, ChunksThatNoBlankLineSeparatedAreRead) {
  Outcome outcome = run({kRole + "\n" + kHello + "\n" + kStop + "\n[DONE]"});
  EXPECT_EQ(outcome.content[0], "Hello");
  EXPECT_EQ(outcome.finish[0], "stop");
}

TEST(StreamErrors, ChoiceIndexIsBounded) {
  EXPECT_EQ(run({chunk_with(R"([{"index":127,"delta":{"content":"a"}}])")}).state,
            StreamState::Done);
  EXPECT_EQ(run({chunk_with(R"([{"index":128,"delta":{"content":"a"}}])")}).state,
            StreamState::Failed);
}

TEST(StreamErrors, EmptyChoicesAreDroppedUnlessTheyCarryFields) {
  const Outcome outcome = run({R"({"id":"","object":"","created":0,"model":"","choices":[],)"
                               R"("prompt_filter_results":[{"prompt_index":0}]})",
                               chunk_with("[]"), kRole, kHello, kStop});
  ASSERT_EQ(outcome.chunks.size(), 4U);
  EXPECT_EQ(outcome.chunks[0].at("id"), "chatcmpl-1");
  EXPECT_TRUE(outcome.chunks[0].as_object().contains("prompt_filter_results"));
  EXPECT_EQ(write_json(outcome.chunks[0].at("choices")), "[]");
}

TEST(StreamEnd, CutFailsUnlessTheAnswerIsThere) {
  EXPECT_EQ(run({kRole, kHello}, plain_options(), StreamEnd::Cut).state, StreamState::Failed);
  EXPECT_EQ(run({kRole, kHello, kStop}, plain_options(), StreamEnd::Cut).state, StreamState::Done);
  EXPECT_EQ(run({kRole, kHello, "[DONE]"}, plain_options(), StreamEnd::Cut).state,
            StreamState::Done);
}

TEST(StreamEnd, NothingAtAllFails) {
  for (const Texts& events : {Texts{}, Texts{"[DONE]"}, Texts{kRole, "[DONE]"}}) {
    const Outcome outcome = run(events);
    EXPECT_EQ(outcome.state, StreamState::Failed);
    EXPECT_EQ(outcome.error.status, 502);
    EXPECT_EQ(outcome.error.message, "the upstream's stream held no answer");
  }
}

TEST(StreamEnd, InTheMiddleOfACallFails) {
  const std::string open =
      call_chunk(R"({"index":0,"id":"a","function":{"name":"f","arguments":"{\"a\":\"}"}})");
  const Outcome outcome = run({open, "[DONE]"});
  EXPECT_EQ(outcome.state, StreamState::Failed);
  EXPECT_NE(outcome.error.message.find("middle of a tool call"), std::string::npos);
  EXPECT_EQ(run({open, kCallsEnd}).state, StreamState::Done);
}

TEST(StreamEnd, FinishTwiceAddsNothing) {
  ChatStreamNormalizer normalizer(plain_options());
  std::string event = kHello;
  event.reserve(event.size() + kJsonPadding);
  std::string out;
  normalizer.add(event, out);
  normalizer.finish(StreamEnd::Clean, out);
  const std::string before = out;
  EXPECT_EQ(normalizer.finish(StreamEnd::Cut, out), StreamState::Done);
  EXPECT_EQ(out, before);
}

TEST(StreamText, ACharacterSplitBetweenDeltasIsJoined) {
  const std::string text = "a€😀z";
  for (std::size_t at = 0; at <= text.size(); ++at) {
    Outcome outcome = run({delta_chunk(R"({"content":")" + text.substr(0, at) + "\"}"),
                           delta_chunk(R"({"content":")" + text.substr(at) + "\"}"), kStop});
    EXPECT_EQ(outcome.content[0], text) << at;
    const Calls calls =
        calls_of({R"({"index":0,"id":"a","function":{"name":"f","arguments":"\")" +
                      text.substr(0, at) + "\"}}",
                  R"({"index":0,"function":{"arguments":")" + text.substr(at) + "\\\"\"}}"});
    ASSERT_EQ(calls.size(), 1U);
    EXPECT_EQ(calls[0].arguments, "\"" + text + "\"") << at;
  }
}

TEST(StreamText, WhatCannotBeJoinedIsReplaced) {
  Outcome outcome = run({delta_chunk("{\"content\":\"a\xE2\x82\"}"), kStop});
  EXPECT_EQ(outcome.content[0], "a\xEF\xBF\xBD");
  outcome = run({delta_chunk("{\"content\":\"a\xE2\x82\"}"), kHello, kStop});
  EXPECT_EQ(outcome.content[0], "a\xEF\xBF\xBDHello");
  outcome = run({delta_chunk("{\"content\":\"a\xFF\",\"reasoning\xFF\":\"\xFF\"}"), kStop});
  EXPECT_EQ(outcome.content[0], "a\xEF\xBF\xBD");
  EXPECT_TRUE(is_valid_utf8(outcome.text));
}

TEST(StreamText, SurrogatesAreJoinedOrReplaced) {
  Outcome outcome = run(
      {delta_chunk(R"({"content":"a\ud83d"})"), delta_chunk(R"({"content":"\ude00b"})"), kStop});
  EXPECT_EQ(outcome.content[0], "a😀b");
  outcome = run({delta_chunk(R"({"content":"a\ud83d\ude00\\ud83d\ud83dx\ude00"})"), kStop});
  EXPECT_EQ(outcome.content[0], "a😀\\ud83d\xEF\xBF\xBDx\xEF\xBF\xBD");
}

TEST(StreamText, BrokenTextInTheFieldsOfTheEndIsMended) {
  const Outcome outcome =
      run({kRole, kHello,
           "{\"choices\":[{\"delta\":{},\"finish_reason\":\"st\xFF\",\"x\":\"\xFF\"}],"
           "\"y\":\"\xFF\"}"});
  EXPECT_TRUE(is_valid_utf8(outcome.text));
  EXPECT_EQ(outcome.chunks.back().at("y"), "\xEF\xBF\xBD");
}

}  // namespace
}  // namespace toolgate
