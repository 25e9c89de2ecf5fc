#include "wire/jsonrpc.h"

#include <gtest/gtest.h>

namespace toolgate {
namespace {

std::string frame(std::string_view body) {
  return write_rpc_frame(body);
}

// The messages, and the error behind them if there is one.
struct Reading {
  std::vector<std::string> messages;
  std::string error;
  bool operator==(const Reading&) const = default;
};

Reading read_all(std::string_view bytes, std::size_t packet, std::size_t limit = 1'000) {
  RpcFrameReader reader(limit);
  Reading reading;
  for (std::size_t at = 0; at < bytes.size(); at += packet) {
    reader.feed(bytes.substr(at, packet));
    auto message = reader.next();
    for (; message && *message; message = reader.next()) reading.messages.push_back(**message);
    if (message) continue;
    reading.error = message.error().message;
    break;
  }
  return reading;
}

TEST(JsonRpcFrames, AreTheSameInAnyPackets) {
  const std::string bytes =
      frame("{}") + "content-type: x\r\nCONTENT-LENGTH:  3 \r\n\r\nabc" + frame("") + frame("last");
  for (std::size_t packet = 1; packet <= bytes.size(); ++packet)
    EXPECT_EQ(read_all(bytes, packet), (Reading{{"{}", "abc", "", "last"}, ""})) << packet;
}

TEST(JsonRpcFrames, WhatBreaksThemIsSaid) {
  const std::pair<std::string, std::string> cases[] = {
      {"Content-Length: 1001\r\n\r\n", "a message of 1001 bytes is over the limit of 1000"},
      {"Content-Length: 99999999999999999999999\r\n\r\n",
       "a message's Content-Length is no number"},
      {"Content-Length: -1\r\n\r\n", "a message's Content-Length is no number"},
      {"Content-Length: 1x\r\n\r\n", "a message's Content-Length is no number"},
      {"Content-Length:\r\n\r\n", "a message's Content-Length is no number"},
      {"Content-Type: x\r\n\r\n", "a message's header has no Content-Length"},
      {"\r\n\r\n", "a message's header has no Content-Length"},
      {"hello\r\n\r\n", "a message's header has a line without a colon"},
      {"Content-Length: 1\r\nContent-Length: 2\r\n\r\n", "a message's header has two lengths"},
      {std::string(5'000, 'x'), "a message's header is longer than 4096 bytes"},
      {"a:" + std::string(5'000, 'x') + "\r\n\r\n", "a message's header is longer than 4096 bytes"},
  };
  for (const auto& [bytes, error] : cases) {
    EXPECT_EQ(read_all(frame("ok") + bytes, 1), (Reading{{"ok"}, error}));
    EXPECT_EQ(read_all(frame("ok") + bytes, 10'000), (Reading{{"ok"}, error}));
  }
}

TEST(JsonRpcFrames, AHeaderAtItsLimitIsReadInAnyPackets) {
  const std::string length = "Content-Length: 1\r\n";
  const std::string bytes =
      length + "a:" + std::string(RpcFrameReader::kMostHeaderBytes - length.size() - 2, 'x') +
      "\r\n\r\nb";
  for (const std::size_t packet : {1, 2, 3, 4'097, 10'000})
    EXPECT_EQ(read_all(bytes, packet), (Reading{{"b"}, ""})) << packet;
}

TEST(JsonRpcFrames, AfterAnErrorNothingIsRead) {
  RpcFrameReader reader(10);
  reader.feed("x\r\n\r\n");
  EXPECT_FALSE(reader.next());
  reader.feed(frame("{}"));
  EXPECT_FALSE(reader.next());
}

TEST(JsonRpcMessages, AreToldApart) {
  const auto request = parse_rpc_message(R"({"id":"a","method":"m","params":[1]})");
  ASSERT_TRUE(request);
  EXPECT_EQ(request->kind, RpcMessage::Kind::Request);
  EXPECT_EQ(request->id, "a");
  EXPECT_EQ(write_json(request->content), "[1]");
  const auto notification = parse_rpc_message(R"({"method":"m"})");
  ASSERT_TRUE(notification);
  EXPECT_EQ(notification->kind, RpcMessage::Kind::Notification);
  EXPECT_TRUE(notification->content.is_null());
  const auto answer = parse_rpc_message(R"({"id":1,"result":{"a":2}})");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->kind, RpcMessage::Kind::Answer);
  EXPECT_FALSE(answer->is_error);
  const auto error = parse_rpc_message(R"({"id":1,"error":{"message":"no"}})");
  ASSERT_TRUE(error);
  EXPECT_TRUE(error->is_error);
  EXPECT_EQ(write_json(error->content), R"({"message":"no"})");
}

TEST(JsonRpcMessages, WhatIsNoneIsRefused) {
  for (const char* text : {"", "x", "[]", "null", "1", "{}", R"({"method":1})", R"({"result":1})"})
    EXPECT_FALSE(parse_rpc_message(text)) << text;
}

TEST(JsonRpcMessages, AreWrittenAsTheyAreRead) {
  const auto request = parse_rpc_message(write_rpc_request(7, "a/b", json::object{{"x", 1}}));
  ASSERT_TRUE(request);
  EXPECT_EQ(request->id, 7);
  EXPECT_EQ(request->method, "a/b");
  EXPECT_EQ(write_json(request->content), R"({"x":1})");
  EXPECT_EQ(write_rpc_answer("i", json::value(nullptr)),
            R"({"jsonrpc":"2.0","id":"i","result":null})");
  EXPECT_EQ(write_rpc_answer(2, fail(Errc::NotFound, "no such method")),
            R"({"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"no such method"}})");
  EXPECT_EQ(write_rpc_notification("exit", nullptr),
            R"({"jsonrpc":"2.0","method":"exit","params":null})");
}

}  // namespace
}  // namespace toolgate
