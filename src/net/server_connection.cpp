#include "net/server_connection.h"

#include "base/log.h"
#include "net/http_status.h"
#include "wire/openai_error.h"

namespace toolgate {
namespace {

// How long a client that is still sending is listened to after its answer, so that closing does not
// destroy the answer on its way.
constexpr std::chrono::milliseconds kLingerTime{2'000};
constexpr std::size_t kLingerBytes = 32 << 20;

Error header_too_large() {
  return {Errc::HeaderTooLarge,
          "the header is over its limit (toolgate.limits.requestHeaderBytes)",
          {}};
}

}  // namespace

ServerConnection::ServerConnection(HttpServer& server, TcpSocket socket)
    : server_(server),
      connection_(std::make_shared<Connection>(server.loop_, std::move(socket))),
      parser_(HttpParser::Kind::Request, server.limits_.header_bytes) {
  server_.connections_.insert(this);
}

ServerConnection::~ServerConnection() {
  connection_->forget_ended();
  connection_->close();
  server_.connections_.erase(this);
}

void ServerConnection::close_if_idle() {
  if (idle_) connection_->close();
}

Task<> ServerConnection::serve() {
  while (keep_alive_ && !server_.stopping_) {
    if (co_await read_head() == HeadRead::Ended) break;
    co_await answer_request();
  }
  co_await leave_politely();
}

Task<ServerConnection::HeadRead> ServerConnection::read_head() {
  idle_ = true;
  connection_->forget_ended();
  parser_.reset(server_.limits_.header_bytes);
  connection_->arm(server_.limits_.keep_alive);
  bool begun = false;  // the parser has taken the first line
  while (true) {
    // Blank lines before a request are to be passed over; behind its first line one is its end.
    while (!begun && connection_->unread().starts_with("\r\n")) connection_->consume(2);
    if (!connection_->unread().empty()) {
      if (std::exchange(idle_, false)) connection_->arm(server_.limits_.header_time);
      const auto used = parser_.put(connection_->unread(), chunked_body_);
      if (!used) {
        co_await reply_error(used.error().code == Errc::HeaderTooLarge ? header_too_large()
                                                                       : used.error());
        co_return HeadRead::Ended;
      }
      connection_->consume(*used);
      begun = begun || *used > 0;
      if (parser_.header_done()) break;
    }
    const std::size_t before = connection_->unread().size();
    const IoStatus status = co_await connection_->fill();
    if (status != IoStatus::Ok) {
      if (status == IoStatus::Timeout && !idle_)
        co_await reply_error(
            {Errc::RequestTimeout, "the header took too long (toolgate.limits.headerSeconds)", {}});
      co_return HeadRead::Ended;
    }
    if (connection_->unread().size() == before) {
      co_await reply_error(header_too_large());
      co_return HeadRead::Ended;
    }
  }
  connection_->disarm();
  if (auto framing = check_framing(); !framing) {
    co_await reply_error(framing.error());
    co_return HeadRead::Ended;
  }
  keep_alive_ = parser_.keep_alive();
  body_pending_ = parser_.chunked() || parser_.content_length().value_or(0) > 0;
  co_return HeadRead::Request;
}

// What two HTTP programs could read differently is refused, so that no request hides in another's
// body.
Result<void> ServerConnection::check_framing() const {
  const HttpHead& head = parser_.head();
  if (const auto encoding = head.find("transfer-encoding")) {
    if (head.count("content-length") > 0)
      return fail(Errc::InvalidRequest,
                  "Content-Length and Transfer-Encoding cannot stand together");
    if (head.count("transfer-encoding") > 1 || !equal_ignoring_case(*encoding, "chunked") ||
        !head.http_1_1)
      return fail(Errc::InvalidRequest, "only 'Transfer-Encoding: chunked' is understood");
  }
  const std::string_view length = head.find("content-length").value_or("");
  if (head.count("content-length") > 1 || length.contains(','))
    return fail(Errc::InvalidRequest, "there is more than one Content-Length");
  for (const std::string_view once : {"origin", "authorization"})
    if (head.count(once) > 1)
      return fail(Errc::InvalidRequest, "there is more than one {} field", once);
  if (head.count("host") > 1) return fail(Errc::InvalidRequest, "there is more than one Host");
  if (head.http_1_1 && head.count("host") == 0)
    return fail(Errc::InvalidRequest, "the Host header is missing");
  if (!head.target().starts_with('/') && !(head.method() == "OPTIONS" && head.target() == "*"))
    return fail(Errc::InvalidRequest, "the request target must be a path");
  return {};
}

Task<> ServerConnection::answer_request() {
  HttpExchange exchange(*this, server_.cancel_);
  std::string failure;
  try {
    co_await server_.handler_(exchange);
  } catch (const std::exception& error) {
    failure = error.what();
  }
  if (!failure.empty()) log(LogLevel::Error, "a request handler threw: {}", failure);
  co_await exchange.stop_pings();
  const bool gone = exchange.cancel().reason() == CancelReason::ClientGone;
  if (!exchange.started() && !gone) {
    HttpReply reply;
    const ErrorBody body =
        make_error_body({Errc::Internal, "the request ended without an answer", {}});
    reply.status = body.status;
    reply.body = write_error_body(body);
    (void)co_await exchange.reply(std::move(reply));
  }
  if (!exchange.finished()) keep_alive_ = false;
  if (body_pending_) keep_alive_ = false;
  if (keep_alive_) server_.buffers_.give(std::move(exchange.body_));
}

Task<> ServerConnection::reply_error(const Error& error) {
  log(LogLevel::Info, "a request was refused before it could be read: {}", error.message);
  const ErrorBody body = make_error_body(error);
  const std::string text = write_error_body(body);
  const std::string answer = fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: application/json\r\nConnection: close\r\n"
      "Content-Length: {}\r\n\r\n{}",
      body.status, http_reason(body.status), text.size(), text);
  co_await connection_->write(answer, server_.limits_.write_stall);
  keep_alive_ = false;
  body_pending_ = true;
}

Task<> ServerConnection::leave_politely() {
  if (!body_pending_ || !connection_->is_open()) co_return;
  connection_->shut_down_writing();
  connection_->arm(kLingerTime);
  for (std::size_t left = kLingerBytes; left > 0;) {
    connection_->consume(connection_->unread().size());
    if (co_await connection_->fill() != IoStatus::Ok) break;
    left -= std::min(left, connection_->unread().size());
  }
  connection_->disarm();
}

}  // namespace toolgate
