// HTTP messages in every cut, and those that must be refused.
#include "net/http_parser.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace toolgate {
namespace {

using Kind = HttpParser::Kind;

constexpr std::size_t kLimit = 8 << 10;

// A parser with the buffer its caller keeps: bytes that were not taken are put again with more.
struct Reader {
  explicit Reader(Kind kind, std::size_t limit = kLimit) : parser(kind, limit) {}

  bool feed(std::string_view bytes) {
    waiting += bytes;
    while (!waiting.empty() && !parser.done()) {
      const auto used = parser.put(waiting, body);
      if (!used) {
        error = used.error();
        return false;
      }
      waiting.erase(0, *used);
      if (*used == 0) break;
    }
    return true;
  }

  HttpParser parser;
  std::string waiting;
  std::string body;
  Error error;
};

bool accepts(Kind kind, std::string_view message) {
  Reader reader(kind);
  return reader.feed(message) && reader.parser.header_done();
}

bool accepts_request(std::string_view fields) {
  return accepts(Kind::Request, "POST / HTTP/1.1\r\n" + std::string(fields) + "\r\n");
}

// What is left of the body when the message comes in two parts cut at every place.
void expect_body_at_every_cut(std::string_view message, std::string_view body,
                              std::string_view behind) {
  for (std::size_t cut = 0; cut <= message.size(); ++cut) {
    Reader reader(Kind::Request);
    ASSERT_TRUE(reader.feed(message.substr(0, cut))) << cut << ": " << reader.error.message;
    ASSERT_TRUE(reader.feed(message.substr(cut))) << cut << ": " << reader.error.message;
    ASSERT_TRUE(reader.parser.done()) << cut;
    ASSERT_EQ(reader.body, body) << cut;
    ASSERT_EQ(reader.waiting, behind) << cut;
  }
}

TEST(HttpParser, ReadsARequest) {
  Reader reader(Kind::Request);
  ASSERT_TRUE(reader.feed("GET /a?b=c HTTP/1.1\r\nHost: here\r\nX-Empty:\r\nX-Two:  a b \r\n\r\n"));
  ASSERT_TRUE(reader.parser.header_done());
  const HttpHead& head = reader.parser.head();
  EXPECT_EQ(head.method(), "GET");
  EXPECT_EQ(head.target(), "/a?b=c");
  EXPECT_TRUE(head.http_1_1);
  EXPECT_EQ(head.find("host"), "here");
  EXPECT_EQ(head.find("x-empty"), "");
  EXPECT_EQ(head.find("x-two"), "a b");
  EXPECT_FALSE(reader.parser.chunked());
  EXPECT_EQ(reader.parser.content_length(), std::nullopt);
}

TEST(HttpParser, ReadsAResponse) {
  Reader reader(Kind::Response);
  ASSERT_TRUE(reader.feed("HTTP/1.1 404 Not Found Here\r\nContent-Length: 3\r\n\r\nabcHTTP"));
  ASSERT_TRUE(reader.parser.header_done());
  EXPECT_EQ(reader.parser.head().status, 404);
  EXPECT_EQ(reader.parser.content_length(), 3u);
  EXPECT_FALSE(reader.parser.body_until_end());
  EXPECT_EQ(reader.waiting, "abcHTTP");
}

TEST(HttpParser, ReadsAResponseWithoutAReason) {
  Reader reader(Kind::Response);
  ASSERT_TRUE(reader.feed("HTTP/1.1 200 \r\n\r\n")) << reader.error.message;
  EXPECT_EQ(reader.parser.head().status, 200);
  EXPECT_TRUE(reader.parser.body_until_end());
}

TEST(HttpParser, TheHeaderMayComeByteByByte) {
  const std::string_view message = "POST /path HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n";
  Reader reader(Kind::Request);
  for (std::size_t i = 0; i < message.size(); ++i) {
    EXPECT_FALSE(reader.parser.header_done()) << i;
    ASSERT_TRUE(reader.feed(message.substr(i, 1))) << i << ": " << reader.error.message;
  }
  EXPECT_TRUE(reader.parser.header_done());
  EXPECT_EQ(reader.parser.head().method(), "POST");
  EXPECT_EQ(reader.parser.head().target(), "/path");
  EXPECT_EQ(reader.parser.content_length(), 2u);
  EXPECT_EQ(reader.waiting, "");
}

TEST(HttpParser, NoFieldIsTakenBeforeAllAreThere) {
  Reader reader(Kind::Request);
  ASSERT_TRUE(reader.feed("GET / HTTP/1.1\r\nHost: h\r\n"));
  EXPECT_TRUE(reader.waiting.ends_with("Host: h\r\n")) << reader.waiting;
  EXPECT_EQ(reader.parser.head().find("host"), std::nullopt);
  EXPECT_FALSE(reader.parser.header_done());
}

TEST(HttpParser, ASizedBodyIsLeftToTheCaller) {
  Reader reader(Kind::Request);
  ASSERT_TRUE(reader.feed("POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello"));
  EXPECT_EQ(reader.waiting, "hello");
  EXPECT_EQ(reader.body, "");
  ASSERT_TRUE(reader.feed(" and more"));
  EXPECT_EQ(reader.waiting, "hello and more");
}

TEST(HttpParser, AChunkedBodyMayBeCutAnywhere) {
  expect_body_at_every_cut(
      "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
      "5\r\nhello\r\n9;name=value\r\n, \r\nworld\r\n01\r\n!\r\n0\r\n\r\nGET /next",
      "hello, \r\nworld!", "GET /next");
}

TEST(HttpParser, AChunkedBodyMayComeByteByByte) {
  const std::string_view message =
      "POST / HTTP/1.1\r\ntransfer-encoding: Chunked\r\n\r\n"
      "3\r\nabc\r\n2;x\r\nde\r\n0\r\nTrailer: t\r\n\r\n";
  Reader reader(Kind::Request);
  for (std::size_t i = 0; i < message.size(); ++i) {
    EXPECT_FALSE(reader.parser.done()) << i;
    ASSERT_TRUE(reader.feed(message.substr(i, 1))) << i << ": " << reader.error.message;
  }
  EXPECT_TRUE(reader.parser.done());
  EXPECT_EQ(reader.body, "abcde");
}

TEST(HttpParser, TrailersAreIgnored) {
  Reader reader(Kind::Request);
  ASSERT_TRUE(
      reader.feed("POST / HTTP/1.1\r\nHost: real\r\nTransfer-Encoding: chunked\r\n\r\n"
                  "1\r\nx\r\n0\r\nHost: forged\r\nX-Late: y\r\n\r\n"))
      << reader.error.message;
  EXPECT_TRUE(reader.parser.done());
  EXPECT_EQ(reader.body, "x");
  EXPECT_EQ(reader.parser.head().count("host"), 1u);
  EXPECT_EQ(reader.parser.head().find("host"), "real");
  EXPECT_EQ(reader.parser.head().find("x-late"), std::nullopt);
}

TEST(HttpParser, DamagedChunksAreRefused) {
  const std::string head = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const std::string_view body : {
           "x\r\n",
           "\r\n",
           "-1\r\n",
           "+1\r\na\r\n",
           "0x1\r\na\r\n",
           "1 \n",
           "3\r\nabcd\r\n",
           "1\nx\n",
           "10000000000000000\r\n",
           "FFFFFFFFFFFFFFFFF\r\n",
           "1\r\na0\r\n\r\n",
       }) {
    Reader reader(Kind::Request);
    const bool taken = reader.feed(head + std::string(body) + "0\r\n\r\n");
    EXPECT_FALSE(taken && reader.parser.done()) << body;
  }
}

TEST(HttpParser, AHugeChunkIsNotAllocatedAhead) {
  Reader reader(Kind::Request);
  ASSERT_TRUE(
      reader.feed("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n7FFFFFFFFFFFFFFF\r\nab"))
      << reader.error.message;
  EXPECT_FALSE(reader.parser.done());
  EXPECT_EQ(reader.body, "ab");
  EXPECT_LT(reader.body.capacity(), 1u << 16);
}

TEST(HttpParser, LengthsThatAreNoLengthsAreRefused) {
  EXPECT_TRUE(accepts_request("Content-Length: 0\r\n"));
  EXPECT_TRUE(accepts_request("Content-Length: 18446744073709551614\r\n"));
  for (const std::string_view length :
       {"", "-1", "+1", "1x", "0x10", "1 2", "1,2", "99999999999999999999", "1e3", "1.0"})
    EXPECT_FALSE(accepts_request("Content-Length: " + std::string(length) + "\r\n")) << length;
}

TEST(HttpParser, LengthsThatContradictAreRefused) {
  EXPECT_FALSE(accepts_request("Content-Length: 1\r\nContent-Length: 2\r\n"));
  EXPECT_FALSE(
      accepts(Kind::Response, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"));
}

TEST(HttpParser, LengthAndChunkedTogetherAreRefused) {
  EXPECT_FALSE(accepts_request("Content-Length: 4\r\nTransfer-Encoding: chunked\r\n"));
  EXPECT_FALSE(accepts_request("Transfer-Encoding: chunked\r\nContent-Length: 4\r\n"));
}

TEST(HttpParser, MalformedLinesAreRefused) {
  EXPECT_TRUE(accepts_request("Name: value\r\n"));
  EXPECT_FALSE(accepts_request("Name : value\r\n")) << "space before the colon";
  EXPECT_FALSE(accepts_request(" Name: value\r\n")) << "space before the name";
  EXPECT_FALSE(accepts_request("Name value\r\n")) << "no colon";
  EXPECT_FALSE(accepts_request(": value\r\n")) << "no name";
  EXPECT_FALSE(accepts_request("Na me: value\r\n")) << "space in the name";
  EXPECT_FALSE(accepts_request("Na(me: value\r\n")) << "delimiter in the name";
  EXPECT_FALSE(accepts_request("Name: a\x01z\r\n")) << "control character";
  EXPECT_FALSE(accepts_request(std::string_view("Name: a\0z\r\n", 11))) << "zero byte";
  EXPECT_FALSE(accepts_request("Name: a\rz\r\n")) << "bare CR";
}

TEST(HttpParser, BareLineFeedsAreNoLineEnds) {
  EXPECT_FALSE(accepts(Kind::Request, "GET / HTTP/1.1\nHost: h\n\n"));
  EXPECT_FALSE(accepts(Kind::Request, "GET / HTTP/1.1\r\nHost: h\nX: y\r\n\r\n"));
  EXPECT_FALSE(accepts(Kind::Request, "GET / HTTP/1.1\nHost: h\r\n\r\n"));
}

TEST(HttpParser, ALineFoldedTheOldWayIsOneValue) {
  Reader reader(Kind::Response);
  ASSERT_TRUE(reader.feed("HTTP/1.1 200 OK\r\nX-Long: one\r\n two\r\n\tthree\r\nY: z\r\n\r\n"))
      << reader.error.message;
  EXPECT_EQ(reader.parser.head().find("x-long"), "one two three");
  EXPECT_EQ(reader.parser.head().find("y"), "z");
}

TEST(HttpParser, FirstLinesThatAreNoneAreRefused) {
  for (const std::string_view line :
       {"GET /", "GET  / HTTP/1.1", "GET / HTTP/2.0", "GET / HTTP/1.1 x", "GET / http/1.1",
        "G@T / HTTP/1.1", " GET / HTTP/1.1", "GET\t/ HTTP/1.1", "GET / HTTP/11"})
    EXPECT_FALSE(accepts(Kind::Request, std::string(line) + "\r\nHost: h\r\n\r\n")) << line;
  for (const std::string_view line :
       {"HTTP/1.1 20 OK", "HTTP/1.1 abc OK", "HTTP/3.0 200 OK", "200 OK", "ICY 200 OK"})
    EXPECT_FALSE(accepts(Kind::Response, std::string(line) + "\r\n\r\n")) << line;
}

TEST(HttpParser, OddMethodsAreTokens) {
  Reader reader(Kind::Request);
  ASSERT_TRUE(reader.feed("BREW-IT /pot HTTP/1.1\r\n\r\n")) << reader.error.message;
  EXPECT_EQ(reader.parser.head().method(), "BREW-IT");
}

TEST(HttpParser, AHeaderOverItsLimitIsRefusedWhetherWholeOrNot) {
  const std::string field = "X: " + std::string(kLimit, 'a') + "\r\n";
  Reader whole(Kind::Request);
  EXPECT_FALSE(whole.feed("GET / HTTP/1.1\r\n" + field + "\r\n"));
  EXPECT_EQ(whole.error.code, Errc::HeaderTooLarge);

  Reader unfinished(Kind::Request);
  EXPECT_FALSE(unfinished.feed("GET / HTTP/1.1\r\n" + field));
  EXPECT_EQ(unfinished.error.code, Errc::HeaderTooLarge);

  Reader many(Kind::Request);
  std::string fields;
  while (fields.size() < kLimit) fields += "X: y\r\n";
  EXPECT_FALSE(many.feed("GET / HTTP/1.1\r\n" + fields + "\r\n"));
  EXPECT_EQ(many.error.code, Errc::HeaderTooLarge);
}

TEST(HttpParser, AHeaderJustUnderItsLimitIsTaken) {
  const std::string start = "GET / HTTP/1.1\r\nX: ";
  const std::string message = start + std::string(kLimit - start.size() - 8, 'a') + "\r\n\r\n";
  EXPECT_TRUE(accepts(Kind::Request, message));
}

TEST(HttpParser, ResetBeginsANewMessage) {
  Reader reader(Kind::Response);
  ASSERT_TRUE(
      reader.feed("HTTP/1.1 100 Continue\r\nX-Interim: 1\r\n\r\n"
                  "HTTP/1.1 103 Early Hints\r\n\r\n"
                  "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"));
  EXPECT_EQ(reader.parser.head().status, 100);
  reader.parser.reset(kLimit);
  ASSERT_TRUE(reader.feed(""));
  EXPECT_EQ(reader.parser.head().status, 103);
  EXPECT_EQ(reader.parser.head().find("x-interim"), std::nullopt);
  reader.parser.reset(kLimit);
  ASSERT_TRUE(reader.feed(""));
  EXPECT_EQ(reader.parser.head().status, 200);
  EXPECT_EQ(reader.waiting, "hi");
}

TEST(HttpParser, KeepsAliveByVersionAndConnectionField) {
  const auto keeps = [](std::string_view version, std::string_view fields) {
    Reader reader(Kind::Request);
    EXPECT_TRUE(
        reader.feed("GET / HTTP/" + std::string(version) + "\r\n" + std::string(fields) + "\r\n"))
        << reader.error.message;
    return reader.parser.keep_alive();
  };
  EXPECT_TRUE(keeps("1.1", ""));
  EXPECT_FALSE(keeps("1.1", "Connection: close\r\n"));
  EXPECT_FALSE(keeps("1.1", "Connection: Close\r\n"));
  EXPECT_FALSE(keeps("1.1", "Connection: te, close\r\n"));
  EXPECT_FALSE(keeps("1.0", ""));
  EXPECT_TRUE(keeps("1.0", "Connection: keep-alive\r\n"));
  EXPECT_FALSE(keeps("1.0", "Connection: close\r\n"));
}

TEST(HttpParser, AResponseWithoutLengthLastsUntilTheEnd) {
  Reader reader(Kind::Response);
  ASSERT_TRUE(reader.feed("HTTP/1.1 200 OK\r\n\r\nabc"));
  EXPECT_TRUE(reader.parser.body_until_end());
  EXPECT_FALSE(reader.parser.keep_alive());
  EXPECT_EQ(reader.waiting, "abc");

  Reader chunked(Kind::Response);
  ASSERT_TRUE(chunked.feed("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"));
  EXPECT_FALSE(chunked.parser.body_until_end());
  EXPECT_TRUE(chunked.parser.keep_alive());
}

}  // namespace
}  // namespace toolgate
