// The stream normaliser: what passes unchanged, what is repaired, what fails.
#include "wire/openai_stream.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "base/json.h"
#include "base/utf8.h"
#include "four_bytes_per_token.h"
#include "wire/json_padding.h"
#include "wire/sse.h"
#include "wire/tool_call_deltas.h"

namespace toolgate {
namespace {

struct Call {
  std::string id, name, arguments;
  bool operator==(const Call&) const = default;
};

struct Outcome {
  StreamState state = StreamState::Open;
  std::string text;
  std::vector<json::value> chunks;
  bool done = false;
  ErrorBody error;
  std::map<int, std::string> content;
  std::map<int, std::string> finish;
  std::map<int, std::vector<Call>> calls;
};

StreamOptions plain_options() {
  StreamOptions options;
  options.model = "ours";
  options.completion_id = "chatcmpl-ours";
  options.created = 7;
  return options;
}

// What an exact client makes of one choice; fails the test when a rule is broken.
void read_choice(const json::value& choice, Outcome& outcome, std::map<int, bool>& has_role) {
  const int index = static_cast<int>(choice.at("index").as_int64());
  const json::object& delta = choice.at("delta").as_object();
  if (!has_role[index]) {
    ASSERT_TRUE(delta.contains("role") && delta.at("role") == "assistant") << write_json(choice);
  }
  has_role[index] = true;
  EXPECT_FALSE(outcome.finish.contains(index)) << "something after the finish chunk";
  if (const json::value* content = delta.if_contains("content"); content && content->is_string())
    outcome.content[index] += content->get_string();
  if (const json::value* pieces = delta.if_contains("tool_calls")) {
    for (const json::value& piece : pieces->as_array()) {
      auto& calls = outcome.calls[index];
      const auto number = static_cast<std::size_t>(piece.at("index").as_int64());
      ASSERT_LE(number, calls.size()) << "a gap in the numbers";
      if (number == calls.size()) {
        ASSERT_EQ(piece.at("type"), "function");
        calls.push_back({std::string(piece.at("id").as_string()),
                         std::string(piece.at("function").at("name").as_string()), ""});
        ASSERT_FALSE(calls.back().id.empty());
        ASSERT_FALSE(calls.back().name.empty());
      }
      const json::value* function = find(piece, "function");
      if (const json::value* arguments = function ? find(*function, "arguments") : nullptr)
        calls[number].arguments += arguments->as_string();
    }
  }
  if (const json::value& reason = choice.at("finish_reason"); !reason.is_null())
    outcome.finish[index] = reason.as_string();
}

void read_events(Outcome& outcome) {
  SseReader reader;
  reader.feed(outcome.text);
  std::map<int, bool> has_role;
  for (auto event = reader.next(); event && *event; event = reader.next()) {
    ASSERT_FALSE(outcome.done) << "something after [DONE]";
    if ((*event)->data == "[DONE]") {
      outcome.done = true;
      continue;
    }
    auto chunk = parse_json((*event)->data);
    ASSERT_TRUE(chunk) << (*event)->data;
    EXPECT_EQ(chunk->at("object"), "chat.completion.chunk");
    EXPECT_TRUE(chunk->at("id").is_string());
    EXPECT_TRUE(chunk->at("created").is_int64());
    EXPECT_TRUE(chunk->at("model").is_string());
    for (const json::value& choice : chunk->at("choices").as_array())
      read_choice(choice, outcome, has_role);
    outcome.chunks.push_back(*std::move(chunk));
  }
}

Outcome run(const std::vector<std::string>& events, StreamOptions options = plain_options(),
            StreamEnd end = StreamEnd::Clean) {
  Outcome outcome;
  ChatStreamNormalizer normalizer(std::move(options));
  for (const std::string& event : events) {
    std::string padded = event;
    padded.reserve(padded.size() + kJsonPadding);
    normalizer.add(padded, outcome.text);
  }
  outcome.state = normalizer.finish(end, outcome.text);
  outcome.error = normalizer.error();
  EXPECT_EQ(normalizer.has_output(), !outcome.text.empty());
  read_events(outcome);
  return outcome;
}

std::string chunk_with(std::string_view choices) {
  return fmt::format(R"({{"id":"chatcmpl-1","object":"chat.completion.chunk","created":5,)"
                     R"("model":"m","choices":{}}})",
                     choices);
}

std::string delta_chunk(std::string_view delta, std::string_view finish = "null") {
  return chunk_with(fmt::format(R"([{{"index":0,"delta":{},"finish_reason":{}}}])", delta, finish));
}

const std::string kRole = delta_chunk(R"({"role":"assistant","content":""})");
const std::string kHello = delta_chunk(R"({"content":"Hello"})");
const std::string kStop = delta_chunk("{}", R"("stop")");
const std::string kCallsEnd = delta_chunk("{}", R"("tool_calls")");

std::string call_chunk(std::string_view entries) {
  return delta_chunk(fmt::format(R"({{"role":"assistant","tool_calls":[{}]}})", entries));
}

// The calls of a stream whose chunks hold these entries.
std::vector<Call> calls_of(const std::vector<std::string>& entries) {
  std::vector<std::string> events;
  for (const std::string& entry : entries) events.push_back(call_chunk(entry));
  events.push_back(kCallsEnd);
  Outcome outcome = run(events);
  EXPECT_EQ(outcome.state, StreamState::Done) << outcome.error.message;
  EXPECT_EQ(outcome.finish[0], outcome.calls[0].empty() ? "stop" : "tool_calls");
  return outcome.calls[0];
}

std::vector<std::string> warnings_of(const Outcome& outcome) {
  std::vector<std::string> out;
  for (const json::value& text : outcome.chunks.back().at("toolgate").at("warnings").as_array())
    out.emplace_back(text.as_string());
  return out;
}

using Calls = std::vector<Call>;
using Texts = std::vector<std::string>;

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
  options.meter = std::make_shared<FourBytesPerToken>(401);
  const Outcome outcome = run(
      {kRole, kHello,
       call_chunk(
           R"({"index":0,"id":"c","type":"function","function":{"name":"f","arguments":"{}"}})"),
       kStop},
      options);
  EXPECT_EQ(write_json(outcome.chunks.back().at("usage")),
            R"({"prompt_tokens":101,"completion_tokens":2,"total_tokens":103})");
  EXPECT_EQ(warnings_of(outcome), Texts{"usage was counted by the gateway: the upstream sent none"});
}

TEST(StreamCalls, CanonicalOnesPassUnchanged) {
  const Texts events{
      kRole,
      call_chunk(
          R"({"index":0,"id":"c1","type":"function","function":{"name":"f","arguments":""}})"),
      call_chunk(R"({"index":0,"function":{"arguments":"{\"a\""}})"),
      call_chunk(
          R"({"index":1,"id":"c2","type":"function","function":{"name":"g","arguments":""}})"),
      call_chunk(R"({"index":0,"function":{"arguments":":1}"}})"),
      call_chunk(R"({"index":1,"function":{"arguments":"{}"}})")};
  std::string expected;
  for (const std::string& event : events) expected += "data: " + event + "\n\n";
  Texts all = events;
  all.push_back(kCallsEnd);
  Outcome outcome = run(all);
  EXPECT_TRUE(outcome.text.starts_with(expected)) << outcome.text;
  EXPECT_EQ(outcome.calls[0], (Calls{{"c1", "f", R"({"a":1})"}, {"c2", "g", "{}"}}));
}

TEST(StreamCalls, AreNumberedFromZeroWithoutGaps) {
  EXPECT_EQ(calls_of({R"({"index":1,"id":"a","function":{"name":"f","arguments":"{"}})",
                      R"({"index":7,"id":"b","function":{"name":"g","arguments":"{}"}})",
                      R"({"index":1,"function":{"arguments":"}"}})"}),
            (Calls{{"a", "f", "{}"}, {"b", "g", "{}"}}));
}

TEST(StreamCalls, WithoutIndexAreJoinedById) {
  EXPECT_EQ(calls_of({R"({"id":"a","function":{"name":"f","arguments":"{\"x"}})",
                      R"({"id":"b","function":{"name":"f","arguments":"{\"y"}})",
                      R"({"id":"a","function":{"arguments":"\":1}"}})",
                      R"({"id":"b","function":{"arguments":"\":2}"}})"}),
            (Calls{{"a", "f", R"({"x":1})"}, {"b", "f", R"({"y":2})"}}));
}

TEST(StreamCalls, WithNeitherIndexNorIdAreToldApartByName) {
  const Calls calls = calls_of(
      {R"({"function":{"name":"f","arguments":"{\"a\":"}})", R"({"function":{"arguments":"1}"}})",
       R"({"function":{"name":"f","arguments":"{}"}})", R"({"function":{"name":"g"}})",
       R"({"function":{"name":"h"}},{"function":{"name":"h"}})"});
  ASSERT_EQ(calls.size(), 5U);
  EXPECT_EQ(calls[0].arguments, R"({"a":1})");
  EXPECT_EQ(calls[1].arguments, "{}");
  EXPECT_EQ(calls[2].name, "g");
  EXPECT_EQ(calls[2].arguments, "{}");
  EXPECT_NE(calls[3].id, calls[4].id);
  EXPECT_TRUE(calls[0].id.starts_with("call_"));
}

TEST(StreamCalls, IndexThatIsAlwaysZeroDoesNotMergeThem) {
  EXPECT_EQ(calls_of({R"({"index":0,"id":"a","function":{"name":"f","arguments":"{}"}})",
                      R"({"index":0,"id":"b","function":{"name":"g","arguments":"{"}})",
                      R"({"index":0,"function":{"arguments":"}"}})"}),
            (Calls{{"a", "f", "{}"}, {"b", "g", "{}"}}));
  const Calls without_ids = calls_of({R"({"index":0,"function":{"name":"f","arguments":"{}"}})",
                                      R"({"index":0,"function":{"name":"g","arguments":"{}"}})"});
  ASSERT_EQ(without_ids.size(), 2U);
  EXPECT_EQ(without_ids[1].name, "g");
}

TEST(StreamCalls, ANewIdOnEveryPieceDoesNotSplitThem) {
  EXPECT_EQ(calls_of({R"({"index":0,"id":"a","function":{"name":"f","arguments":"{\"a\""}})",
                      R"({"index":0,"id":"b","function":{"arguments":":1"}})",
                      R"({"index":0,"id":"c","function":{"arguments":"}"}})"}),
            (Calls{{"a", "f", R"({"a":1})"}}));
}

TEST(StreamCalls, SameIdForTwoIsMadeUnique) {
  const Calls calls =
      calls_of({R"({"index":0,"id":"a","function":{"name":"f","arguments":"{}"}})",
                R"({"index":1,"id":"a","function":{"name":"g","arguments":"{}"}})"});
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_EQ(calls[0].id, "a");
  EXPECT_NE(calls[1].id, "a");
}

TEST(StreamCalls, RepeatedNamesAndIdsAreSentOnce) {
  const Outcome outcome =
      run({call_chunk(
               R"({"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"{"}})"),
           call_chunk(
               R"({"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"}"}})"),
           kCallsEnd});
  const json::value& piece =
      outcome.chunks[1].at("choices").at(0).at("delta").at("tool_calls").at(0);
  EXPECT_EQ(write_json(piece), R"({"index":0,"type":"function","function":{"arguments":"}"}})");
}

TEST(StreamCalls, AreHeldUntilTheirNameIsKnown) {
  EXPECT_EQ(calls_of({R"({"index":0,"id":"a"})", R"({"index":0,"function":{"arguments":"{\"x\""}})",
                      R"({"index":1,"id":"b","function":{"name":"g","arguments":"{}"}})",
                      R"({"index":0,"function":{"name":"f","arguments":":1}"}})"}),
            (Calls{{"b", "g", "{}"}, {"a", "f", R"({"x":1})"}}));
}

TEST(StreamCalls, WithoutANameAreLeftOutWithAWarning) {
  Outcome outcome =
      run({kRole, kHello, call_chunk(R"({"index":0,"id":"a","function":{"arguments":"{}"}})"),
           kCallsEnd});
  EXPECT_TRUE(outcome.calls[0].empty());
  EXPECT_EQ(outcome.finish[0], "stop");
  EXPECT_EQ(warnings_of(outcome),
            (Texts{"a tool call without a name was left out",
                   "the upstream gave the finish_reason tool_calls without a call"}));
}

TEST(StreamCalls, ArgumentsAreAlwaysText) {
  const Calls calls =
      calls_of({R"({"index":0,"id":"a","function":{"name":"f","arguments":{"x":[0.7]}}})",
                R"({"index":1,"id":"b","function":{"name":"f","arguments":null}})",
                R"({"index":2,"id":"c","function":{"name":"f","arguments":""}})",
                R"({"index":3,"id":"d","function":{"name":"f"}})",
                R"({"index":4,"id":"e","function":{"name":"f","arguments":7}})"});
  const std::string expected[]{R"({"x":[0.7]})", "{}", "{}", "{}", "7"};
  ASSERT_EQ(calls.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(calls[i].arguments, expected[i]);
}

TEST(StreamCalls, FinishReasonSaysSo) {
  for (const std::string_view given : {R"("stop")", "null", R"("function_call")", R"("odd")"}) {
    Outcome outcome =
        run({call_chunk(R"({"index":0,"id":"a","function":{"name":"f","arguments":"{}"}})"),
             delta_chunk("{}", given)});
    EXPECT_EQ(outcome.finish[0], "tool_calls") << given;
  }
  Outcome outcome =
      run({call_chunk(R"({"index":0,"id":"a","function":{"name":"f","arguments":"{"}})"),
           delta_chunk("{}", R"("length")")});
  EXPECT_EQ(outcome.finish[0], "length");
}

TEST(StreamCalls, TooManyFail) {
  ChatStreamNormalizer normalizer(plain_options());
  std::string out;
  StreamState state = StreamState::Open;
  for (int i = 0; i <= 1024; ++i) {
    ASSERT_NE(state, StreamState::Failed) << i;
    std::string event = call_chunk(fmt::format(
        R"({{"index":{0},"id":"c{0}","type":"function","function":{{"name":"f","arguments":"{{}}"}}}})",
        i));
    event.reserve(event.size() + kJsonPadding);
    state = normalizer.add(event, out);
  }
  EXPECT_EQ(state, StreamState::Failed);
  EXPECT_EQ(normalizer.error().status, 502);
}

TEST(StreamCalls, WhatIsHeldIsBounded) {
  ChatStreamNormalizer normalizer(plain_options());
  std::string out;
  std::string event =
      call_chunk(R"({"index":0,"function":{"arguments":")" + std::string(1 << 20, 'x') + R"("}})");
  event.reserve(event.size() + kJsonPadding);
  StreamState state = StreamState::Open;
  for (int i = 0; i < 20 && state == StreamState::Open; ++i) state = normalizer.add(event, out);
  EXPECT_EQ(state, StreamState::Failed);
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

// The published vectors: the classic joining is reproduced, ours does the quirks right.
TEST(StreamCalls, VectorsAreJoinedRight) {
  const auto tests = std::filesystem::path(__FILE__).parent_path().parent_path();
  std::ifstream stream(tests / "golden/stream_deltas/stream_deltas.json");
  ASSERT_TRUE(stream);
  const auto file = parse_json(std::string{std::istreambuf_iterator<char>(stream), {}});
  ASSERT_TRUE(file);
  int quirks = 0;
  for (const json::value& entry : file->at("cases").as_array()) {
    const std::string note(entry.at("note").as_string());
    Texts events;
    for (const json::value& chunk : entry.at("chunks").as_array())
      events.push_back(write_json(chunk));
    const Calls got = run(events).calls[0];
    Calls expected;
    for (const json::value& call : entry.at("calls").as_array()) {
      const json::value& id = call.at("id");
      std::string arguments(call.at("arguments").as_string());
      expected.push_back({id.is_string() ? std::string(id.as_string()) : "",
                          std::string(call.at("name").as_string()),
                          arguments.empty() ? "{}" : arguments});
    }
    if (note.find("quirk") == std::string::npos) {
      EXPECT_EQ(got, expected) << note;
      continue;
    }
    ++quirks;
    ASSERT_EQ(got.size(), 2U) << note;
    EXPECT_EQ(got[0].name, "f") << note;
    EXPECT_EQ(got[1].name, "g") << note;
    EXPECT_NE(got[0].id, got[1].id) << note;
    const bool interleaved = note.starts_with("interleaved");
    EXPECT_EQ(got[0].arguments, interleaved ? R"({"a":1})" : "{}") << note;
    EXPECT_EQ(got[1].arguments, interleaved ? R"({"b":2})" : "{}") << note;
  }
  EXPECT_EQ(quirks, 3);
}

TEST(ClassicJoin, TakesTheLastCallWhenTheIdIsUnknown) {
  const ToolCallDelta deltas[]{
      {0, "a", "f", "1"}, {1, "b", "g", "2"}, {0, "", "", "3"}, {0, "a", "h", "4"}};
  const auto calls = join_classic(deltas);
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_EQ(calls[0].name, "h");
  EXPECT_EQ(calls[0].arguments, "14");
  EXPECT_EQ(calls[1].arguments, "23");
}

}  // namespace
}  // namespace toolgate
