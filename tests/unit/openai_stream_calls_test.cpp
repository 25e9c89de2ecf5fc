// Tool calls in normalised streams: numbers, ids, names and arguments, and the classic joining.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/json.h"
#include "stream_outcome.h"
#include "wire/json_padding.h"
#include "wire/openai_stream.h"
#include "wire/tool_call_deltas.h"

namespace toolgate {
namespace {

using namespace stream_test;

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
