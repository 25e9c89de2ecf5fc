// HttpServer through its socket, while an answer is under way: streams, clients that do not read or
// go away, and stopping.
#include <atomic>
#include <chrono>
#include <future>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include <boost/asio/steady_timer.hpp>
#include <gtest/gtest.h>

#include "net/http_server.h"
#include "test_loop.h"
#include "test_server.h"

namespace toolgate {
namespace {

using namespace std::chrono_literals;
using namespace server_test;

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

}  // namespace
}  // namespace toolgate
