#include "cli/chat_chunk.h"

#include <gtest/gtest.h>

#include "cli/chat_request.h"
#include "wire/sse.h"

namespace toolgate {
namespace {

constexpr std::string_view kStream =
    ": keepalive\n\n"
    R"(data: {"id":"c1","created":7,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"Hé"},"finish_reason":null}],"usage":null})"
    "\n\n"
    R"(data: {"id":"c1","model":"m","choices":[],"toolgate":{"invocation":{"id":"inv_1","name":"t","state":"WaitingForConfirmation","arguments":{"a":1}}}})"
    "\n\n: keepalive\n\n"
    R"(data: {"id":"c1","model":"m","choices":[{"index":0,"delta":{"content":"llo"},"finish_reason":"stop"}]})"
    "\r\n\r\n"
    R"(data: {"id":"c1","model":"m","choices":[],"usage":{"total_tokens":12},"toolgate":{"rounds":2,"invocations":[{"id":"inv_1"}],"warnings":["careful"],"fixes":[]}})"
    "\n\ndata: [DONE]\n\n";

// The chunks of a stream that comes in pieces of this size.
std::vector<ChatChunk> read(std::string_view stream, std::size_t piece) {
  std::vector<ChatChunk> chunks;
  SseReader reader;
  for (std::size_t at = 0; at < stream.size(); at += piece) {
    reader.feed(stream.substr(at, piece));
    while (true) {
      const auto event = reader.next();
      if (!event || !*event) break;
      auto chunk = read_chat_chunk((*event)->data);
      EXPECT_TRUE(chunk) << (*event)->data;
      chunks.push_back(std::move(*chunk));
    }
  }
  return chunks;
}

TEST(ChatChunk, StreamsAreTheSameWhereverTheyAreCut) {
  for (std::size_t piece = 1; piece < 40; ++piece) {
    const auto chunks = read(kStream, piece);
    ASSERT_EQ(chunks.size(), 5u) << piece;
    ChatAnswer answer;
    for (const ChatChunk& chunk : chunks) answer.add(chunk);
    EXPECT_EQ(answer.text, "Héllo");
    EXPECT_EQ(answer.finish_reason, "stop");
    EXPECT_EQ(answer.tokens, 12);
    EXPECT_EQ(answer.report.rounds, 2);
    EXPECT_EQ(answer.report.calls, 1u);
    EXPECT_EQ(answer.report.warnings, std::vector<std::string>{"careful"});
    ASSERT_TRUE(chunks[1].call);
    EXPECT_TRUE(chunks[1].call->waits());
    EXPECT_EQ(chunks[1].call->arguments, R"({"a":1})");
    EXPECT_TRUE(chunks[4].is_done);
  }
}

TEST(ChatChunk, ErrorsAreReadInTheMidstOfAStream) {
  const auto chunk = read_chat_chunk(
      R"({"error":{"message":"too long","type":"t","param":null,"code":"context_length_exceeded"}})");
  ASSERT_TRUE(chunk && chunk->failure);
  EXPECT_EQ(chunk->failure->message, "too long");
  EXPECT_EQ(chunk->failure->code, "context_length_exceeded");
  EXPECT_FALSE(read_chat_chunk("{no"));
}

TEST(ChatChunk, CallsThatOnlyTheClientCouldMakeAreNamed) {
  const auto chunk = read_chat_chunk(
      R"({"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"a","arguments":"{}"}},{"index":0,"function":{"arguments":"x"}}]}}]})");
  ASSERT_TRUE(chunk);
  EXPECT_EQ(chunk->client_calls, std::vector<std::string>{"a"});
}

TEST(ChatRequest, HasTheConversationAndWhatWasAskedFor) {
  const ChatOptions options{.model = "m",
                            .session = "s",
                            .system = "be kind",
                            .include_tools = {"a", "b"},
                            .max_rounds = 3,
                            .may_ask = false};
  EXPECT_EQ(
      write_chat_request(options, {{"user", "hi"}, {"assistant", "yes?"}}),
      R"({"model":"m","messages":[{"role":"system","content":"be kind"},{"role":"user","content":"hi"},{"role":"assistant","content":"yes?"}],)"
      R"("stream":true,"stream_options":{"include_usage":true,"include_tool_events":true},"session_id":"s","tool_execution":"auto","confirmation":"deny",)"
      R"("use_vscode_tools":true,"include_tools":["a","b"],"max_tool_rounds":3})");
  const std::string without = write_chat_request({.uses_tools = false}, {{"user", "hi"}});
  EXPECT_EQ(without.find("use_vscode_tools"), without.npos);
  EXPECT_NE(without.find(R"("tool_choice":"none")"), without.npos);
}

TEST(ChatRequest, TheAnswerIsOneObject) {
  ChatAnswer answer{.id = "c1", .created = 7, .model = "m", .text = "hi", .finish_reason = "stop"};
  EXPECT_EQ(
      write_chat_answer(answer),
      R"({"id":"c1","object":"chat.completion","created":7,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"hi","refusal":null},"logprobs":null,"finish_reason":"stop"}],"usage":null,"toolgate":null})");
}

}  // namespace
}  // namespace toolgate
