// HttpServer through its socket: requests, bodies, what is refused, and what handlers answer.
#include "net/http_server.h"

#include <chrono>
#include <future>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include <gtest/gtest.h>

#include "captured_log.h"
#include "raw_socket.h"
#include "test_loop.h"
#include "test_server.h"

namespace toolgate {
namespace {

using namespace std::chrono_literals;
using namespace server_test;

TEST(HttpServer, AnswersARequestAndKeepsTheConnection) {
  TestServer server(echo);
  auto client = server.connect();
  for (int i = 0; i < 3; ++i) {
    client.send(request("GET /a?b=c"));
    const auto answer = client.receive_answer();
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, "GET /a ");
    EXPECT_NE(answer.head.find("\r\nDate: "), std::string::npos);
    EXPECT_NE(answer.head.find("\r\nContent-Type: text/plain\r\n"), std::string::npos);
    EXPECT_EQ(answer.head.find("Connection:"), std::string::npos) << answer.head;
  }
  EXPECT_TRUE(server.reaches_connections(1));
}

TEST(HttpServer, ClosesWhereTheClientAsksForIt) {
  TestServer server(echo);
  auto client = server.connect();
  client.send(request("GET /", "Connection: close\r\n"));
  const auto answer = client.receive_answer();
  EXPECT_NE(answer.head.find("\r\nConnection: close\r\n"), std::string::npos);
  EXPECT_TRUE(client.ends());
}

TEST(HttpServer, Http10IsClosedUnlessItAsksToStay) {
  TestServer server(echo);
  auto client = server.connect();
  client.send("GET /1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  const auto answer = client.receive_answer();
  EXPECT_EQ(answer.body, "GET /1 ");
  EXPECT_NE(answer.head.find("\r\nConnection: keep-alive\r\n"), std::string::npos);
  client.send("GET /2 HTTP/1.0\r\n\r\n");
  EXPECT_EQ(client.receive_answer().body, "GET /2 ");
  EXPECT_TRUE(client.ends());
}

TEST(HttpServer, TheRequestMayComeByteByByte) {
  TestServer server(echo);
  auto client = server.connect();
  for (const char c : request("POST /slow", "Content-Length: 3\r\n", "abc"))
    client.send(std::string_view(&c, 1));
  EXPECT_EQ(client.receive_answer().body, "POST /slow abc");
}

TEST(HttpServer, BlankLinesBeforeARequestArePassedOver) {
  TestServer server(echo);
  auto client = server.connect();
  client.send("\r\n\r\n" + request("GET /a") + "\r\n" + request("GET /b"));
  EXPECT_EQ(client.receive_answer().body, "GET /a ");
  EXPECT_EQ(client.receive_answer().body, "GET /b ");
}

TEST(HttpServer, TheBlankLineBehindAFirstLineEndsTheHeader) {
  TestServer server(echo);
  auto client = server.connect();
  client.send("GET / HTTP/1.0\r\n");
  std::this_thread::sleep_for(50ms);
  client.send("\r\n");
  EXPECT_EQ(client.receive_answer().body, "GET / ");
}

TEST(HttpServer, PipelinedRequestsAreAnsweredInOrder) {
  TestServer server(echo);
  auto client = server.connect();
  std::string all;
  for (int i = 0; i < 50; ++i)
    all += i % 2 ? request(fmt::format("GET /{}", i))
                 : request(fmt::format("POST /{}", i), "Content-Length: 4\r\n", "body");
  client.send(all);
  for (int i = 0; i < 50; ++i)
    EXPECT_EQ(client.receive_answer().body,
              i % 2 ? fmt::format("GET /{} ", i) : fmt::format("POST /{} body", i));
}

// The rest of the second request's body comes while the read that watches the first one's client
// is still under way.
TEST(HttpServer, APipelinedBodyMayComeInParts) {
  const std::string body(300'000, 'b');
  for (const std::string_view fields :
       {"Content-Length: 300000\r\n", "Transfer-Encoding: chunked\r\n"}) {
    TestServer server(echo);
    auto client = server.connect();
    const bool chunked = fields.starts_with("T");
    const std::string sent =
        chunked ? fmt::format("{:x}\r\n{}\r\n0\r\n\r\n", body.size(), body) : body;
    client.send(request("GET /1") + request("POST /2", fields, sent.substr(0, 10)));
    EXPECT_EQ(client.receive_answer().body, "GET /1 ");
    std::this_thread::sleep_for(20ms);
    client.send(sent.substr(10, 1000));
    std::this_thread::sleep_for(20ms);
    client.send(sent.substr(1010) + request("GET /3"));
    EXPECT_EQ(client.receive_answer().body, "POST /2 " + body) << fields;
    EXPECT_EQ(client.receive_answer().body, "GET /3 ");
  }
}

TEST(HttpServer, HeadGetsTheHeaderOfTheAnswerOnly) {
  TestServer server(echo);
  auto client = server.connect();
  client.send(request("HEAD /a") + request("GET /b"));
  const auto answer = client.receive_answer(true);
  EXPECT_NE(answer.head.find("\r\nContent-Length: 8\r\n"), std::string::npos) << answer.head;
  EXPECT_EQ(client.receive_answer().body, "GET /b ");
}

TEST(HttpServer, AnAnswerWithoutContentHasNoLength) {
  TestServer server([](HttpExchange& exchange) -> Task<> {
    HttpReply reply;
    reply.status = 204;
    reply.content_type = {};
    (void)co_await exchange.reply(std::move(reply));
  });
  auto client = server.connect();
  client.send(request("GET /") + request("GET /"));
  for (int i = 0; i < 2; ++i) {
    const auto answer = client.receive_answer();
    EXPECT_EQ(answer.status, 204);
    EXPECT_EQ(answer.head.find("Content-"), std::string::npos) << answer.head;
  }
}

TEST(HttpServer, HeadersOfTheExchangeStandInTheAnswer) {
  TestServer server([](HttpExchange& exchange) -> Task<> {
    exchange.add_header("X-One", "1");
    HttpReply reply;
    reply.headers = {{"X-Two", "2"}};
    (void)co_await exchange.reply(std::move(reply));
  });
  auto client = server.connect();
  client.send(request("GET /"));
  const auto answer = client.receive_answer();
  EXPECT_NE(answer.head.find("\r\nX-One: 1\r\n"), std::string::npos);
  EXPECT_NE(answer.head.find("\r\nX-Two: 2\r\n"), std::string::npos);
}

TEST(HttpServer, PathAndQueryAreSplit) {
  TestServer server([](HttpExchange& exchange) -> Task<> {
    HttpReply reply;
    reply.body = fmt::format("{}|{}", exchange.path(), exchange.query());
    (void)co_await exchange.reply(std::move(reply));
  });
  auto client = server.connect();
  for (const auto& [target, expected] :
       {std::pair{"/", "/|"}, {"/a?", "/a|"}, {"/a?b?c", "/a|b?c"}, {"/a%3Fb", "/a%3Fb|"}}) {
    client.send(request(fmt::format("GET {}", target)));
    EXPECT_EQ(client.receive_answer().body, expected);
  }
}

TEST(HttpServer, SaysContinueToAClientThatWaitsForIt) {
  TestServer server(echo);
  auto client = server.connect();
  client.send(request("POST /", "Content-Length: 2\r\nExpect: 100-continue\r\n"));
  EXPECT_EQ(client.receive_answer().status, 100);
  client.send("hi");
  const auto answer = client.receive_answer();
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "POST / hi");
}

TEST(HttpServer, DoesNotSayContinueToARequestItRefuses) {
  TestServer server(echo, {.body_bytes = 10});
  auto client = server.connect();
  client.send(request("POST /", "Content-Length: 11\r\nExpect: 100-continue\r\n"));
  EXPECT_EQ(client.receive_answer().status, 413);
  EXPECT_TRUE(client.ends());
}

TEST(HttpServer, ReadsAChunkedBody) {
  TestServer server(echo);
  auto client = server.connect();
  const std::string fields = "Transfer-Encoding: chunked\r\n";
  client.send(request("POST /", fields, "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nT: u\r\n\r\n") +
              request("GET /next"));
  EXPECT_EQ(client.receive_answer().body, "POST / abcde");
  EXPECT_EQ(client.receive_answer().body, "GET /next ");
  client.send(request("POST /", fields, "0\r\n\r\n"));
  EXPECT_EQ(client.receive_answer().body, "POST / ");
}

TEST(HttpServer, ReadsABigBody) {
  TestServer server(echo);
  auto client = server.connect();
  std::string body(5'000'000, 'x');
  for (std::size_t i = 0; i < body.size(); i += 1000) body[i] = static_cast<char>('a' + i % 17);
  for (int i = 0; i < 2; ++i) {
    client.send(request("POST /", fmt::format("Content-Length: {}\r\n", body.size()), body));
    EXPECT_TRUE(client.receive_answer().body == "POST / " + body);
  }
}

TEST(HttpServer, ABodyOverItsLimitIsRefused) {
  TestServer server(echo, {.body_bytes = 1000});
  auto client = server.connect();
  client.send(request("POST /", "Content-Length: 1000\r\n", std::string(1000, 'x')));
  EXPECT_EQ(client.receive_answer().status, 200);
  client.send(request("POST /", "Content-Length: 1001\r\n", std::string(1001, 'x')));
  const auto answer = client.receive_answer();
  EXPECT_EQ(answer.status, 413);
  EXPECT_NE(answer.body.find("toolgate.limits.requestBodyBytes"), std::string::npos);
  EXPECT_NE(answer.head.find("\r\nConnection: close\r\n"), std::string::npos);
  EXPECT_TRUE(client.ends());
}

TEST(HttpServer, AChunkedBodyOverItsLimitIsRefusedBeforeItsEnd) {
  TestServer server(echo, {.body_bytes = 1000});
  auto client = server.connect();
  client.send(
      request("POST /", "Transfer-Encoding: chunked\r\n", "FFFFFFF\r\n" + std::string(1001, 'x')));
  EXPECT_EQ(client.receive_answer().status, 413);
}

// The client sends far more than both sides' buffers hold before it looks for the answer.
TEST(HttpServer, TheAnswerReachesAClientThatIsStillSending) {
  TestServer server(echo, {.body_bytes = 1000});
  auto client = server.connect();
  client.send(request("POST /", "Content-Length: 20000000\r\n", std::string(20'000'000, 'x')));
  EXPECT_EQ(client.receive_answer().status, 413);
}

TEST(HttpServer, ABodyThatNobodyReadsEndsTheConnection) {
  TestServer server([](HttpExchange& exchange) -> Task<> {
    (void)co_await exchange.reply({.body = "no thanks"});
  });
  auto client = server.connect();
  client.send(request("POST /", "Content-Length: 40\r\n", request("GET /hidden").substr(0, 40)));
  const auto answer = client.receive_answer();
  EXPECT_EQ(answer.body, "no thanks");
  EXPECT_NE(answer.head.find("\r\nConnection: close\r\n"), std::string::npos);
  EXPECT_TRUE(client.ends());
}

TEST(HttpServer, AnEncodedBodyIsRefused) {
  TestServer server(echo);
  auto client = server.connect();
  client.send(request("POST /", "Content-Length: 2\r\nContent-Encoding: gzip\r\n", "xx"));
  EXPECT_EQ(client.receive_answer().status, 415);
}

TEST(HttpServer, RequestsThatCouldBeReadInTwoWaysAreRefused) {
  TestServer server(echo);
  const std::string host = "Host: localhost\r\n";
  for (const std::string& message : {
           "POST / HTTP/1.1\r\n" + host + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
           "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
           "POST / HTTP/1.1\r\n" + host + "Content-Length: 5\r\nContent-Length: 6\r\n",
           "POST / HTTP/1.1\r\n" + host + "Content-Length: 5\r\nContent-Length: 5\r\n",
           "POST / HTTP/1.1\r\n" + host + "Content-Length: 5, 5\r\n",
           "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: gzip, chunked\r\n",
           "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: identity\r\n",
           "POST / HTTP/1.1\r\n" + host +
               "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
           "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding : chunked\r\n",
           "POST / HTTP/1.0\r\n" + host + "Transfer-Encoding: chunked\r\n",
           "GET / HTTP/1.1\r\n" + host + host,
           std::string("GET / HTTP/1.1\r\n"),
           "GET http://localhost/ HTTP/1.1\r\n" + host,
           "CONNECT localhost:80 HTTP/1.1\r\n" + host,
           "GET * HTTP/1.1\r\n" + host,
           "GET / HTTP/1.1\r\n" + host + "Name : value\r\n",
           std::string("GET / HTTP/1.1\nHost: localhost\n"),
           std::string("nonsense\r\n"),
       }) {
    auto client = server.connect();
    client.send(message + "\r\n0\r\n\r\n" + request("GET /smuggled"));
    const std::string all = client.receive_to_end();
    EXPECT_TRUE(all.starts_with("HTTP/1.1 400 ")) << message << all;
    EXPECT_NE(all.find("invalid_request_error"), std::string::npos) << all;
    EXPECT_EQ(all.find("smuggled"), std::string::npos) << message << all;
  }
}

TEST(HttpServer, AHeaderOverItsLimitIsRefused) {
  TestServer server(echo, {.header_bytes = 4096});
  auto client = server.connect();
  client.send(request("GET /", "X: " + std::string(3000, 'x') + "\r\n"));
  EXPECT_EQ(client.receive_answer().status, 200);
  client.send(request("GET /", "X: " + std::string(5000, 'x') + "\r\n"));
  EXPECT_EQ(client.receive_answer().status, 431);
  EXPECT_TRUE(client.ends());
}

TEST(HttpServer, AHeaderThatTakesTooLongIsRefused) {
  TestServer server(echo, {.header_time = 50ms});
  auto client = server.connect();
  client.send("GET / HTTP/1.1\r\nHost: loc");
  EXPECT_EQ(client.receive_answer().status, 408);
  EXPECT_TRUE(client.ends());
}

TEST(HttpServer, ABodyThatStallsIsRefused) {
  TestServer server(echo, {.body_stall = 50ms});
  for (const std::string_view fields :
       {"Content-Length: 10\r\n", "Transfer-Encoding: chunked\r\n"}) {
    auto client = server.connect();
    client.send(request("POST /", fields, "5\r\nab"));
    EXPECT_EQ(client.receive_answer().status, 408) << fields;
  }
}

TEST(HttpServer, AnIdleConnectionIsClosedWithoutAWord) {
  TestServer server(echo, {.keep_alive = 50ms});
  auto silent = server.connect();
  auto client = server.connect();
  client.send(request("GET /"));
  EXPECT_EQ(client.receive_answer().status, 200);
  EXPECT_EQ(client.receive_to_end(), "");
  EXPECT_EQ(silent.receive_to_end(), "");
  EXPECT_TRUE(server.reaches_connections(0));
}

TEST(HttpServer, AHandlerThatThrowsAnswers500AndTheConnectionGoesOn) {
  CapturedLog captured;
  TestServer server([](HttpExchange& exchange) -> Task<> {
    if (exchange.path() == "/throw") throw std::runtime_error("the secret reason");
    co_await echo(exchange);
  });
  auto client = server.connect();
  client.send(request("GET /throw") + request("GET /after"));
  const auto answer = client.receive_answer();
  EXPECT_EQ(answer.status, 500);
  EXPECT_EQ(answer.body.find("secret"), std::string::npos);
  EXPECT_EQ(client.receive_answer().body, "GET /after ");
  EXPECT_NE(captured.take().find("the secret reason"), std::string::npos);
}

TEST(HttpServer, AHandlerThatDoesNotAnswerAnswers500) {
  TestServer server([](HttpExchange&) -> Task<> { co_return; });
  auto client = server.connect();
  client.send(request("GET /"));
  const auto answer = client.receive_answer();
  EXPECT_EQ(answer.status, 500);
  EXPECT_NE(answer.body.find("\"error\""), std::string::npos);
}

TEST(HttpServer, TheSecondAnswerIsRefused) {
  std::promise<bool> second;
  TestServer server([&second](HttpExchange& exchange) -> Task<> {
    (void)co_await exchange.reply({.body = "first"});
    const auto again = co_await exchange.reply({.body = "second"});
    second.set_value(again.has_value());
  });
  auto client = server.connect();
  client.send(request("GET /", "Connection: close\r\n"));
  EXPECT_EQ(client.receive_answer().body, "first");
  EXPECT_TRUE(client.ends());
  EXPECT_FALSE(get_soon(second.get_future()));
}

TEST(HttpServer, OneConnectionTooManyIsTurnedAway) {
  TestServer server(echo, {.connections = 2});
  auto first = server.connect();
  auto second = server.connect();
  EXPECT_TRUE(server.reaches_connections(2));
  auto third = server.connect();
  const auto refusal = third.receive_answer();
  EXPECT_EQ(refusal.status, 503);
  EXPECT_NE(refusal.head.find("\r\nRetry-After: "), std::string::npos);
  EXPECT_NE(refusal.body.find("toolgate.limits.connections"), std::string::npos);
  EXPECT_TRUE(third.ends());

  second.close();
  EXPECT_TRUE(server.reaches_connections(1));
  auto fourth = server.connect();
  fourth.send(request("GET /4"));
  EXPECT_EQ(fourth.receive_answer().body, "GET /4 ");
  first.send(request("GET /1"));
  EXPECT_EQ(first.receive_answer().body, "GET /1 ");
}

TEST(HttpServer, APortInUseIsToldClearly) {
  const RawListener taken;
  TestLoop loop;
  const auto listened = loop.call([&] {
    HttpServer server(loop.loop(), {}, echo);
    return server.listen({asio::ip::address_v4::loopback(), taken.port()});
  });
  ASSERT_FALSE(listened);
  EXPECT_EQ(listened.error().code, Errc::Io);
  EXPECT_NE(listened.error().message.find(std::to_string(taken.port())), std::string::npos);
}

}  // namespace
}  // namespace toolgate
