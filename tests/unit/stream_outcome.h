// What an exact client makes of a normalised stream, and the chunks to make one from; used by the
// tests of ChatStreamNormalizer.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "wire/json_padding.h"
#include "wire/openai_stream.h"
#include "wire/sse.h"

namespace toolgate::stream_test {

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

inline StreamOptions plain_options() {
  StreamOptions options;
  options.model = "ours";
  options.completion_id = "chatcmpl-ours";
  options.created = 7;
  return options;
}

// What an exact client makes of one choice; fails the test when a rule is broken.
inline void read_choice(const json::value& choice, Outcome& outcome,
                        std::map<int, bool>& has_role) {
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

inline void read_events(Outcome& outcome) {
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

inline Outcome run(const std::vector<std::string>& events, StreamOptions options = plain_options(),
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

inline std::string chunk_with(std::string_view choices) {
  return fmt::format(R"({{"id":"chatcmpl-1","object":"chat.completion.chunk","created":5,)"
                     R"("model":"m","choices":{}}})",
                     choices);
}

inline std::string delta_chunk(std::string_view delta, std::string_view finish = "null") {
  return chunk_with(fmt::format(R"([{{"index":0,"delta":{},"finish_reason":{}}}])", delta, finish));
}

inline const std::string kRole = delta_chunk(R"({"role":"assistant","content":""})");
inline const std::string kHello = delta_chunk(R"({"content":"Hello"})");
inline const std::string kStop = delta_chunk("{}", R"("stop")");
inline const std::string kCallsEnd = delta_chunk("{}", R"("tool_calls")");

inline std::string call_chunk(std::string_view entries) {
  return delta_chunk(fmt::format(R"({{"role":"assistant","tool_calls":[{}]}})", entries));
}

// The calls of a stream whose chunks hold these entries.
inline std::vector<Call> calls_of(const std::vector<std::string>& entries) {
  std::vector<std::string> events;
  for (const std::string& entry : entries) events.push_back(call_chunk(entry));
  events.push_back(kCallsEnd);
  Outcome outcome = run(events);
  EXPECT_EQ(outcome.state, StreamState::Done) << outcome.error.message;
  EXPECT_EQ(outcome.finish[0], outcome.calls[0].empty() ? "stop" : "tool_calls");
  return outcome.calls[0];
}

inline std::vector<std::string> warnings_of(const Outcome& outcome) {
  std::vector<std::string> out;
  for (const json::value& text : outcome.chunks.back().at("toolgate").at("warnings").as_array())
    out.emplace_back(text.as_string());
  return out;
}

using Calls = std::vector<Call>;
using Texts = std::vector<std::string>;

}  // namespace toolgate::stream_test
