#include "wire/round.h"

#include <gtest/gtest.h>

namespace toolgate {
namespace {

std::string chunk(std::string_view id, std::string_view delta, std::string_view finish = "null",
                  std::string_view tail = "") {
  return fmt::format(
      R"(data: {{"id":"{}","object":"chat.completion.chunk","created":7,"model":"m",)"
      R"("choices":[{{"index":0,"delta":{},"finish_reason":{}}}]{}}})"
      "\n\n",
      id, delta, finish, tail);
}

std::vector<json::value> events_in(std::string_view out) {
  std::vector<json::value> events;
  while (!out.empty()) {
    const std::size_t end = out.find("\n\n");
    const std::string_view data = out.substr(6, end - 6);
    if (data != "[DONE]") events.push_back(parse_json(data).value());
    out.remove_prefix(end + 2);
  }
  return events;
}

std::string content_of(const std::vector<json::value>& events) {
  std::string text;
  for (const json::value& event : events)
    for (const json::value& choice : event.at("choices").as_array())
      if (const json::value* content = find(choice.at("delta"), "content"))
        text += content->as_string();
  return text;
}

TEST(RoundReader, KeepsCallsAndLetsTextThrough) {
  AnswerEnvelope envelope;
  RoundReader reader(envelope);
  std::string out;
  reader.add(chunk("a", R"({"role":"assistant","content":""})") +
                 chunk("a", R"({"content":"Hm. "})") +
                 chunk("a", R"({"tool_calls":[{"index":0,"id":"c1","type":"function",)"
                            R"("function":{"name":"look","arguments":""}}]})") +
                 chunk("a", R"({"tool_calls":[{"index":0,"function":{"arguments":"{\"a\":"}}]})") +
                 chunk("a", R"({"tool_calls":[{"index":1,"id":"c2","type":"function",)"
                            R"("function":{"name":"act","arguments":"{}"}}]})") +
                 chunk("a", R"({"tool_calls":[{"index":0,"function":{"arguments":"1}"}}]})"),
             out);
  reader.add(chunk("a", "{}", "\"tool_calls\"", R"(,"toolgate":{"warnings":["w"]})"), out);
  const Round round = reader.take();
  EXPECT_EQ(round.text, "Hm. ");
  EXPECT_EQ(round.finish_reason, "tool_calls");
  EXPECT_EQ(round.warnings, std::vector<std::string>{"w"});
  ASSERT_EQ(round.calls.size(), 2u);
  EXPECT_EQ(round.calls[0].arguments, R"({"a":1})");
  EXPECT_EQ(round.calls[1].name, "act");
  EXPECT_EQ(content_of(events_in(out)), "Hm. ");
  EXPECT_FALSE(out.contains("tool_calls"));
  EXPECT_FALSE(out.contains("\"finish_reason\":\""));
}

TEST(RoundReader, AllRoundsAreOneAnswer) {
  AnswerEnvelope envelope;
  std::string out;
  for (const std::string_view id : {"first", "second"}) {
    RoundReader reader(envelope);
    reader.add(chunk(id, R"({"role":"assistant","content":""})") + chunk(id, R"({"content":"x"})"),
               out);
  }
  append_ending(out, envelope, {.finish_reason = "stop"}, {});
  int roles = 0;
  for (const json::value& event : events_in(out)) {
    EXPECT_EQ(event.at("id").as_string(), "first");
    for (const json::value& choice : event.at("choices").as_array())
      roles += find(choice.at("delta"), "role") ? 1 : 0;
  }
  EXPECT_EQ(roles, 1);
  EXPECT_EQ(content_of(events_in(out)), "xx");
  EXPECT_TRUE(out.ends_with("data: [DONE]\n\n"));
}

TEST(RoundReader, AModelThatOnlyCallsLeavesTheRoleToTheEnding) {
  AnswerEnvelope envelope;
  RoundReader reader(envelope);
  std::string out;
  reader.add(chunk("a", R"({"tool_calls":[{"index":0,"id":"c","function":{"name":"f",)"
                        R"("arguments":"{}"}}]})"),
             out);
  EXPECT_EQ(out, "");
  append_ending(out, envelope,
                {.calls = reader.take().calls, .finish_reason = "tool_calls", .usage = {}}, {});
  const auto events = events_in(out);
  ASSERT_EQ(events.size(), 2u);
  const json::value& delta = events[0].at("choices").at(0).at("delta");
  EXPECT_EQ(delta.at("role").as_string(), "assistant");
  EXPECT_EQ(delta.at("tool_calls").at(0).at("index").as_int64(), 0);
  EXPECT_EQ(events[1].at("choices").at(0).at("finish_reason").as_string(), "tool_calls");
}

TEST(Rounds, UsageIsAddedUp) {
  json::object sum;
  const auto usage =
      parse_json(R"({"prompt_tokens":3,"total_tokens":5,"details":{"cached":1},"note":"x"})");
  add_usage(sum, usage->as_object());
  add_usage(sum, usage->as_object());
  EXPECT_EQ(write_json(sum),
            R"({"prompt_tokens":6,"total_tokens":10,"details":{"cached":2},"note":"x"})");
}

TEST(Rounds, AWholeAnswerIsTakenApartAndPutTogether) {
  constexpr std::string_view kAnswer =
      R"({"id":"b","created":7,"choices":[{"index":0,"message":{"role":"assistant","content":null,)"
      R"("tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},)"
      R"("finish_reason":"tool_calls"}],"usage":{"total_tokens":4},"system_fingerprint":"s"})";
  AnswerEnvelope envelope;
  const auto round = read_round(kAnswer, envelope);
  ASSERT_TRUE(round);
  EXPECT_EQ(envelope.id, "b");
  EXPECT_EQ(envelope.created, 7);
  EXPECT_EQ(round->calls.front().name, "f");
  EXPECT_EQ(round->usage.at("total_tokens").as_int64(), 4);
  const auto written = parse_json(write_answer(kAnswer, {.id = "a", .created = 9},
                                               {.text = "all", .finish_reason = "stop"}, {}));
  EXPECT_EQ(written->at("id").as_string(), "a");
  EXPECT_EQ(written->at("system_fingerprint").as_string(), "s");
  const json::value& message = written->at("choices").at(0).at("message");
  EXPECT_EQ(message.at("content").as_string(), "all");
  EXPECT_EQ(find(message, "tool_calls"), nullptr);
  EXPECT_FALSE(read_round(R"({"choices":[]})", envelope));
}

}  // namespace
}  // namespace toolgate
