#include "net/http_server.h"

#include <sys/socket.h>

#include <boost/asio/steady_timer.hpp>

#include "base/log.h"
#include "net/http_status.h"
#include "net/server_connection.h"
#include "wire/openai_error.h"

namespace toolgate {
namespace {

using ReusePort = asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;

std::string make_refusal() {
  const ErrorBody body =
      make_error_body({Errc::Overloaded, "too many connections (toolgate.limits.connections)", {}});
  const std::string text = write_error_body(body);
  return fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: application/json\r\nRetry-After: 1\r\n"
      "Connection: close\r\nContent-Length: {}\r\n\r\n{}",
      body.status, http_reason(body.status), text.size(), text);
}

bool out_of_descriptors(const error_code& error) {
  return error == asio::error::no_descriptors ||
         error == boost::system::errc::too_many_files_open_in_system ||
         error == asio::error::no_buffer_space || error == asio::error::no_memory;
}

}  // namespace

HttpServer::HttpServer(Loop& loop, HttpServerLimits limits, HttpHandler handler)
    : loop_(loop),
      limits_(limits),
      handler_(std::move(handler)),
      acceptor_(loop.context().get_executor()) {}

HttpServer::~HttpServer() = default;

Result<std::uint16_t> HttpServer::listen(const asio::ip::tcp::endpoint& endpoint) {
  error_code error;
  acceptor_.open(endpoint.protocol(), error);
  if (!error) acceptor_.set_option(asio::socket_base::reuse_address(true), error);
  if (!error) acceptor_.set_option(ReusePort(true), error);
  if (!error) acceptor_.bind(endpoint, error);
  if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
  if (error)
    return fail(Errc::Io, "cannot listen on {}:{}: {}", endpoint.address().to_string(),
                endpoint.port(), error.message());
  return acceptor_.local_endpoint().port();
}

void HttpServer::start() {
  loop_.scope().spawn(accept_loop(), "accept loop");
}

Task<> HttpServer::accept_loop() {
  while (!stopping_) {
    auto [error, socket] = co_await acceptor_.async_accept(kAwait);
    if (stopping_ || error == asio::error::operation_aborted) co_return;
    if (out_of_descriptors(error)) {
      log(LogLevel::Warn, "cannot accept a connection: {}; trying again in 100 ms",
          error.message());
      asio::steady_timer pause(loop_.context(), std::chrono::milliseconds(100));
      co_await pause.async_wait(kAwait);
      continue;
    }
    if (error) continue;  // the client has gone before it was accepted
    if (connections_.size() >= limits_.connections) {
      refuse(std::move(socket));
      continue;
    }
    auto connection = std::make_unique<ServerConnection>(*this, std::move(socket));
    loop_.scope().spawn(
        [](std::unique_ptr<ServerConnection> owned) -> Task<> {
          co_await owned->serve();
        }(std::move(connection)),
        "connection");
  }
}

void HttpServer::refuse(TcpSocket socket) {
  error_code ignored;
  socket.non_blocking(true, ignored);
  socket.write_some(asio::buffer(make_refusal()), ignored);
}

void HttpServer::stop_gently() {
  if (stopping_) return;
  stopping_ = true;
  error_code ignored;
  acceptor_.close(ignored);
  // A copy: closing may end a connection, which leaves the set.
  for (ServerConnection* connection : std::vector(connections_.begin(), connections_.end()))
    if (connections_.contains(connection)) connection->close_if_idle();
}

void HttpServer::close_all() {
  for (ServerConnection* connection : std::vector(connections_.begin(), connections_.end()))
    if (connections_.contains(connection)) connection->close();
}

}  // namespace toolgate
