// An HttpServer on a port and a thread of its own, with a handler made for each test; used by the
// tests of HttpServer.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <fmt/core.h>

#include "net/http_server.h"
#include "raw_socket.h"
#include "test_loop.h"

namespace toolgate::server_test {

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
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
  }

 private:
  TestLoop loop_;
  HttpServer server_;
  std::uint16_t port_ = 0;
};

// Answers with the method, the path and the body; what fails with its status.
inline Task<> echo(HttpExchange& exchange) {
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

inline std::string request(std::string_view first_line, std::string_view fields = "",
                           std::string_view body = "") {
  return fmt::format("{} HTTP/1.1\r\nHost: localhost\r\n{}\r\n{}", first_line, fields, body);
}

}  // namespace toolgate::server_test
