// HttpServer through its socket, with handlers made for each test.
#include "net/http_server.h"

#include <atomic>
#include <chrono>
#include <future>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include <boost/asio/steady_timer.hpp>
#include <gtest/gtest.h>

#include "captured_log.h"
#include "raw_socket.h"
#include "test_loop.h"

namespace toolgate {
namespace {

using namespace std::chrono_literals;

class TestServer {
 public:
  explicit TestServer(HttpHandler handler, HttpServerLimits limits = {})
      : server_(loop_.loop(), limits, std::move(handler)) {
    port_ = loop_.call([this] {
      const auto port = server_.listen({asio::ip::address_v4::loopback(), 0});
      server_.start();
      return port.value();
    });
  }
  TestServer(const TestServer&) = delete;
  TestServer& operator=(const TestServer&) = delete;
  ~TestServer() {
    loop_.call([this] {
      server_.stop_gently();
      server_.stop_now();
      server_.close_all();
    });
    loop_.finish();
  }

  RawSocket connect(int receive_buffer = 0) { return RawSocket::connect(port_, receive_buffer); }
  template <class Function>
  auto call(Function function) {
    return loop_.call([this, &function] { return function(server_); });
  }
  // Waits until the server has that many connections.
  bool reaches_connections(std::size_t count) {
    for (int i = 0; i < 2000; ++i) {
      if (call([](HttpServer& server) { return server.connections(); }) == count) return true;
      std::this_thread::sleep_for(5ms);
    }
    return false;
  }

 private:
  TestLoop loop_;
  HttpServer server_;
  std::uint16_t port_ = 0;
};

// Answers with the method, the path and the body; what fails with its status.
Task<> echo(HttpExchange& exchange) {
  const auto body = co_await exchange.read_body();
  HttpReply reply;
  reply.content_type = "text/plain";
  if (body) {
    reply.body = fmt::format("{} {} {}", exchange.head().method(), exchange.path(), *body);
  } else {
    reply.status = error_info(body.error().code).http_status;
    reply.body = body.error().message;
  }
  (void)co_await exchange.reply(std::move(reply));
}

// Waits until the exchange is cancelled and tells why.
Task<CancelReason> cancelled(HttpExchange& exchange) {
  asio::steady_timer timer(co_await asio::this_coro::executor, 20s);
  const CancelHook hook(exchange.cancel(), [&timer](CancelReason) { timer.cancel(); });
  if (!exchange.cancel().requested()) co_await timer.async_wait(kAwait);
  co_return exchange.cancel().reason();
}

HttpHandler tell_reason(std::promise<CancelReason>& reason, std::promise<void>& begun) {
  return [&reason, &begun](HttpExchange& exchange) -> Task<> {
    begun.set_value();
    reason.set_value(co_await cancelled(exchange));
  };
}

std::string request(std::string_view first_line, std::string_view fields = "",
                    std::string_view body = "") {
  return fmt::format("{} HTTP/1.1\r\nHost: localhost\r\n{}\r\n{}", first_line, fields, body);
}

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

Task<> stream(HttpExchange& exchange) {
  exchange.begin_stream(200, "text/event-stream", {{"X-Stream", "1"}});
  for (const std::string_view part : {"one ", "", "two "}) (void)co_await exchange.write(part);
  (void)co_await exchange.end_stream(exchange.path() == "/last" ? "three" : "");
}

TEST(HttpServer, StreamsInChunks) {
  TestServer server(stream);
  auto client = server.connect();
  client.send(request("GET /") + request("GET /last"));
  const auto answer = client.receive_answer();
  EXPECT_NE(answer.head.find("\r\nTransfer-Encoding: chunked\r\n"), std::string::npos);
  EXPECT_NE(answer.head.find("\r\nX-Stream: 1\r\n"), std::string::npos);
  EXPECT_EQ(answer.body, "one two ");
  EXPECT_EQ(client.receive_answer().body, "one two three");
}

TEST(HttpServer, StreamsUntilTheEndToHttp10) {
  TestServer server(stream);
  auto client = server.connect();
  client.send("GET /last HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  const auto answer = client.receive_answer();
  EXPECT_EQ(answer.head.find("chunked"), std::string::npos);
  EXPECT_EQ(answer.body, "one two three");
}

TEST(HttpServer, AStreamLeftOpenIsBroken) {
  TestServer server([](HttpExchange& exchange) -> Task<> {
    exchange.begin_stream(200, "text/plain", {});
    (void)co_await exchange.write("half");
  });
  auto client = server.connect();
  client.send(request("GET /"));
  const std::string all = client.receive_to_end();
  EXPECT_TRUE(all.ends_with("\r\n\r\n4\r\nhalf\r\n")) << all;
}

TEST(HttpServer, AStreamWaitsForAClientThatDoesNotRead) {
  constexpr std::size_t kBlock = 64 << 10;
  constexpr std::size_t kBlocks = 512;
  std::atomic<std::size_t> written = 0;
  TestServer server([&written](HttpExchange& exchange) -> Task<> {
    const std::string block(kBlock, 'x');
    exchange.begin_stream(200, "text/plain", {});
    for (std::size_t i = 0; i < kBlocks; ++i) {
      if (!co_await exchange.write(block)) co_return;
      ++written;
    }
    (void)co_await exchange.end_stream();
  });
  auto client = server.connect(32 << 10);
  client.send(request("GET /"));
  client.receive_head();
  for (std::size_t before = kBlocks + 1; before != written;) {
    before = written;
    std::this_thread::sleep_for(100ms);
  }
  EXPECT_LT(written, kBlocks / 2);

  // Others are served meanwhile.
  EXPECT_EQ(server.call([](HttpServer& running) { return running.connections(); }), 1u);

  std::size_t received = 0;
  for (std::size_t i = 0; i < kBlocks; ++i) {
    client.receive_until("\r\n");
    received += client.receive(kBlock).size();
    client.receive(2);
  }
  EXPECT_EQ(client.receive(5), "0\r\n\r\n");
  EXPECT_EQ(received, kBlock * kBlocks);
  EXPECT_EQ(written, kBlocks);
}

TEST(HttpServer, AClientThatNeverReadsIsGivenUp) {
  std::promise<Errc> failure;
  TestServer server(
      [&failure](HttpExchange& exchange) -> Task<> {
        const std::string block(1 << 20, 'x');
        exchange.begin_stream(200, "text/plain", {});
        while (true)
          if (const auto sent = co_await exchange.write(block); !sent) {
            failure.set_value(sent.error().code);
            co_return;
          }
      },
      {.write_stall = 50ms});
  auto client = server.connect(32 << 10);
  client.send(request("GET /"));
  EXPECT_EQ(get_soon(failure.get_future()), Errc::Cancelled);
  EXPECT_TRUE(server.reaches_connections(0));
}

TEST(HttpServer, AClientThatGoesAwayCancelsItsRequest) {
  for (const bool with_body : {false, true})
    for (const bool reset : {false, true}) {
      std::promise<CancelReason> reason;
      TestServer server([&reason](HttpExchange& exchange) -> Task<> {
        (void)co_await exchange.read_body();
        reason.set_value(co_await cancelled(exchange));
      });
      auto client = server.connect();
      client.send(with_body ? request("POST /", "Content-Length: 3\r\n", "abc") : request("GET /"));
      EXPECT_TRUE(server.reaches_connections(1));
      std::this_thread::sleep_for(20ms);
      reset ? client.reset() : client.close();
      EXPECT_EQ(get_soon(reason.get_future()), CancelReason::ClientGone);
      EXPECT_TRUE(server.reaches_connections(0));
    }
}

TEST(HttpServer, AClientThatGoesAwayInItsBodyIsNoticed) {
  std::promise<Errc> failure;
  TestServer server([&failure](HttpExchange& exchange) -> Task<> {
    const auto body = co_await exchange.read_body();
    failure.set_value(body ? Errc::Internal : body.error().code);
  });
  auto client = server.connect();
  client.send(request("POST /", "Content-Length: 30\r\n", "abc"));
  client.close();
  EXPECT_EQ(get_soon(failure.get_future()), Errc::Cancelled);
  EXPECT_TRUE(server.reaches_connections(0));
}

TEST(HttpServer, StoppingGentlyClosesIdleConnectionsAndLetsAnswersFinish) {
  Event finish;
  std::promise<void> begun;
  TestServer server([&](HttpExchange& exchange) -> Task<> {
    if (exchange.path() == "/slow") {
      exchange.begin_stream(200, "text/plain", {});
      (void)co_await exchange.write("first ");
      begun.set_value();
      co_await finish.wait();
      (void)co_await exchange.end_stream("last");
    } else {
      co_await echo(exchange);
    }
  });
  auto idle = server.connect();
  idle.send(request("GET /"));
  idle.receive_answer();
  auto fresh = server.connect();
  auto busy = server.connect();
  busy.send(request("GET /slow"));
  get_soon(begun.get_future());
  EXPECT_TRUE(server.reaches_connections(3));

  server.call([](HttpServer& running) { running.stop_gently(); });
  EXPECT_TRUE(idle.ends());
  EXPECT_TRUE(fresh.ends());
  EXPECT_TRUE(server.reaches_connections(1));
  EXPECT_THROW(server.connect(), std::runtime_error);
  server.call([&finish](HttpServer& running) {
    EXPECT_TRUE(running.stopping());
    finish.set();
  });
  EXPECT_EQ(busy.receive_answer().body, "first last");
  EXPECT_TRUE(busy.ends());
  EXPECT_TRUE(server.reaches_connections(0));
}

TEST(HttpServer, AnAnswerGivenWhileStoppingSaysThatItIsTheLast) {
  Event finish;
  std::promise<void> begun;
  TestServer server([&](HttpExchange& exchange) -> Task<> {
    begun.set_value();
    co_await finish.wait();
    (void)co_await exchange.reply({.body = fmt::format("{}", exchange.stopping())});
  });
  auto client = server.connect();
  client.send(request("GET /"));
  get_soon(begun.get_future());
  server.call([&finish](HttpServer& running) {
    running.stop_gently();
    finish.set();
  });
  const auto answer = client.receive_answer();
  EXPECT_EQ(answer.body, "true");
  EXPECT_NE(answer.head.find("\r\nConnection: close\r\n"), std::string::npos);
  EXPECT_TRUE(client.ends());
}

TEST(HttpServer, StoppingNowCancelsWhatRuns) {
  std::promise<CancelReason> reason;
  std::promise<void> begun;
  TestServer server(tell_reason(reason, begun));
  auto client = server.connect();
  client.send(request("GET /"));
  get_soon(begun.get_future());
  server.call([](HttpServer& running) {
    running.stop_gently();
    running.stop_now();
  });
  EXPECT_EQ(get_soon(reason.get_future()), CancelReason::Shutdown);
  EXPECT_EQ(client.receive_answer().status, 500);
  EXPECT_TRUE(client.ends());
}

TEST(HttpServer, ClosingAllEndsWhatDoesNotReact) {
  std::promise<void> begun;
  std::promise<bool> sent;
  TestServer server([&](HttpExchange& exchange) -> Task<> {
    const std::string block(1 << 20, 'x');
    exchange.begin_stream(200, "text/plain", {});
    (void)co_await exchange.write("x");
    begun.set_value();
    while (co_await exchange.write(block)) continue;
    sent.set_value(false);
  });
  auto client = server.connect(32 << 10);
  client.send(request("GET /"));
  get_soon(begun.get_future());
  server.call([](HttpServer& running) {
    running.stop_gently();
    running.close_all();
  });
  EXPECT_FALSE(get_soon(sent.get_future()));
  EXPECT_TRUE(server.reaches_connections(0));
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
