#include <algorithm>
#include <array>
#include <charconv>
#include <ctime>

#include "net/http_status.h"
#include "net/server_connection.h"

namespace toolgate {
namespace {

// A client may claim more than it sends, so memory follows what has arrived.
constexpr std::size_t kFirstBodyBlock = 1 << 20;
// Below this a copy is cheaper than a change of blocks.
constexpr std::size_t kLeastHandedOver = 8 << 10;

// A body may take this many times the stall limit in all.
constexpr int kBodyPatience = 20;

// The Date field, made once per second.
std::string_view http_date() {
  thread_local std::time_t second = 0;
  thread_local std::array<char, 48> text{};
  thread_local std::size_t size = 0;
  const std::time_t now = std::time(nullptr);
  if (now != second) {
    std::tm parts{};
    gmtime_r(&now, &parts);
    size = std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
    second = now;
  }
  return {text.data(), size};
}

Error read_failure(IoStatus status) {
  if (status == IoStatus::Timeout)
    return {Errc::RequestTimeout, "the body took too long (toolgate.limits.bodySeconds)", {}};
  return {Errc::Cancelled, "the client has gone", {}};
}

Error too_large(std::size_t limit) {
  return {Errc::TooLarge,
          fmt::format("the body is over {} bytes (toolgate.limits.requestBodyBytes)", limit),
          {}};
}

}  // namespace

HttpExchange::HttpExchange(ServerConnection& connection, const Cancel& server_cancel)
    : connection_(connection),
      cancel_(server_cancel),
      next_ping_(connection.server_.loop_.deadlines(), [this] { start_ping(); }) {
  const std::string_view target = head().target();
  const std::size_t question = target.find('?');
  path_ = target.substr(0, question);
  if (question != std::string_view::npos) query_ = target.substr(question + 1);
  if (!connection_.body_pending_) {
    body_read_ = true;
    watch_client();
  }
}

HttpExchange::~HttpExchange() {
  connection_.connection_->forget_ended();
}

const HttpHead& HttpExchange::head() const {
  return connection_.parser_.head();
}

bool HttpExchange::stopping() const {
  return connection_.server_.stopping_;
}

std::string HttpExchange::local_address() const {
  error_code error;
  const auto endpoint = connection_.connection_->socket().local_endpoint(error);
  if (error) return {};
  const auto address = endpoint.address();
  if (address.is_v6() && address.to_v6().is_v4_mapped())
    return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()).to_string();
  return address.to_string();
}

void HttpExchange::add_header(std::string name, std::string value) {
  extra_headers_.emplace_back(std::move(name), std::move(value));
}

void HttpExchange::watch_client() {
  connection_.connection_->read_ahead([this] { cancel_.request(CancelReason::ClientGone); });
}

Result<void> HttpExchange::check_encoding() const {
  const auto encoding = head().find("content-encoding");
  if (encoding && !equal_ignoring_case(*encoding, "identity"))
    return fail(Errc::UnsupportedMedia, "the body's Content-Encoding must be identity");
  return {};
}

Task<Result<std::string_view>> HttpExchange::read_body() {
  if (!body_read_) {
    if (auto encoding = check_encoding(); !encoding) co_return std::unexpected(encoding.error());
    const HttpParser& parser = connection_.parser_;
    const std::uint64_t size = parser.content_length().value_or(0);
    const std::size_t limit = connection_.server_.limits_.body_bytes;
    if (size > limit) co_return std::unexpected(too_large(limit));
    const auto expect = head().find("expect");
    if (expect && equal_ignoring_case(*expect, "100-continue") &&
        connection_.connection_->unread().empty())
      co_await connection_.connection_->write("HTTP/1.1 100 Continue\r\n\r\n",
                                              connection_.server_.limits_.write_stall);
    if (auto whole = take_whole_body(size))
      body_ = std::move(*whole);
    else
      body_ = connection_.server_.buffers_.take();
    const auto done =
        parser.chunked() ? co_await read_chunked_body() : co_await read_sized_body(size);
    if (!done) co_return std::unexpected(done.error());
    body_read_ = true;
    connection_.body_pending_ = false;
    watch_client();
  }
  bytes_in_ = body_.size();
  co_return body_.view();
}

std::optional<BodyBuffer> HttpExchange::take_whole_body(std::uint64_t size) {
  if (connection_.parser_.chunked() || size < kLeastHandedOver) return std::nullopt;
  return connection_.connection_->hand_over(size, connection_.server_.buffers_);
}

Task<Result<void>> HttpExchange::read_sized_body(std::uint64_t size) {
  const auto stall = connection_.server_.limits_.body_stall;
  const auto latest = std::chrono::steady_clock::now() + stall * kBodyPatience;
  while (body_.size() < size) {
    const std::size_t block = std::max(kFirstBodyBlock, body_.size() * 2);
    body_.reserve(std::min<std::uint64_t>(size, block));
    const std::size_t step = std::min<std::uint64_t>(size, body_.capacity()) - body_.size();
    const IoStatus status = co_await connection_.connection_->read_exactly(
        body_.data() + body_.size(), step, stall, latest);
    if (status != IoStatus::Ok) co_return std::unexpected(read_failure(status));
    body_.resize(body_.size() + step);
  }
  connection_.connection_->disarm();
  co_return Result<void>{};
}

Task<Result<void>> HttpExchange::read_chunked_body() {
  Connection& connection = *connection_.connection_;
  HttpParser& parser = connection_.parser_;
  std::string& text = connection_.chunked_body_;
  const HttpServerLimits& limits = connection_.server_.limits_;
  text.clear();
  const auto started = std::chrono::steady_clock::now();
  while (true) {
    const auto used = parser.put(connection.unread(), text);
    if (!used) co_return std::unexpected(used.error());
    connection.consume(*used);
    if (text.size() > limits.body_bytes) co_return std::unexpected(too_large(limits.body_bytes));
    if (parser.done()) break;
    if (std::chrono::steady_clock::now() - started > limits.body_stall * kBodyPatience)
      co_return std::unexpected(read_failure(IoStatus::Timeout));
    const std::size_t before = connection.unread().size();
    connection.arm(limits.body_stall);
    const IoStatus status = co_await connection.fill();
    if (status != IoStatus::Ok) co_return std::unexpected(read_failure(status));
    if (connection.unread().size() == before)
      co_return fail(Errc::InvalidRequest, "a chunk header is too long");
  }
  connection.disarm();
  body_.reserve(text.size());
  std::copy(text.begin(), text.end(), body_.data());
  body_.resize(text.size());
  std::string().swap(text);
  co_return Result<void>{};
}

void HttpExchange::append_head(int status, std::string_view content_type,
                               const HttpHeaders& headers, std::optional<std::size_t> body_size) {
  status_ = status;
  head_text_.reserve(512);
  head_text_.append("HTTP/1.1 ").append(std::to_string(status)).append(" ");
  head_text_.append(http_reason(status)).append("\r\nDate: ").append(http_date()).append("\r\n");
  if (!content_type.empty())
    head_text_.append("Content-Type: ").append(content_type).append("\r\n");
  if (body_size)
    head_text_.append("Content-Length: ").append(std::to_string(*body_size)).append("\r\n");
  if (chunked_) head_text_.append("Transfer-Encoding: chunked\r\n");
  for (const HttpHeaders* list : {&std::as_const(extra_headers_), &headers})
    for (const auto& [name, value] : *list)
      head_text_.append(name).append(": ").append(value).append("\r\n");
  if (connection_.body_pending_ || connection_.server_.stopping_) connection_.keep_alive_ = false;
  if (!connection_.keep_alive_)
    head_text_.append("Connection: close\r\n");
  else if (!head().http_1_1)
    head_text_.append("Connection: keep-alive\r\n");
  head_text_.append("\r\n");
}

Task<Result<void>> HttpExchange::send(std::span<const std::string_view> slices) {
  for (std::string_view slice : slices) bytes_out_ += slice.size();
  const IoStatus status =
      co_await connection_.connection_->write(slices, connection_.server_.limits_.write_stall);
  head_text_.clear();
  if (status == IoStatus::Ok) co_return Result<void>{};
  connection_.keep_alive_ = false;
  cancel_.request(status == IoStatus::Timeout ? CancelReason::Timeout : CancelReason::ClientGone);
  co_return fail(Errc::Cancelled, "the client {}",
                 status == IoStatus::Timeout ? "does not read" : "has gone");
}

Task<Result<void>> HttpExchange::reply(HttpReply reply) {
  if (started()) co_return fail(Errc::Internal, "the request was answered twice");
  const bool bodiless = reply.status == 204 || reply.status == 304;
  const std::string_view body = reply.shared_body ? *reply.shared_body : reply.body;
  append_head(reply.status, reply.content_type, reply.headers,
              bodiless ? std::nullopt : std::optional(body.size()));
  finished_ = true;
  const bool without_body = bodiless || head().method() == "HEAD";
  const std::array<std::string_view, 2> slices{head_text_,
                                               without_body ? std::string_view() : body};
  co_return co_await send(slices);
}

void HttpExchange::begin_stream(int status, std::string_view content_type,
                                const HttpHeaders& headers) {
  chunked_ = head().http_1_1;
  if (!chunked_) connection_.keep_alive_ = false;
  append_head(status, content_type, headers, std::nullopt);
}

// A stream that waits says so now and then, lest something on the way takes it for dead.
void HttpExchange::start_ping() {
  pinging_ = true;
  connection_.server_.loop_.scope().spawn(send_ping(), "keep-alive comment");
}

Task<> HttpExchange::send_ping() {
  const std::string_view ping = chunked_ ? "d\r\n: keepalive\n\n\r\n" : ": keepalive\n\n";
  const auto sent = co_await send(std::span(&ping, 1));
  pinging_ = false;
  if (sent && !pinged_.awaited()) next_ping_.arm(connection_.server_.limits_.stream_keep_alive);
  pinged_.set();
}

Task<> HttpExchange::stop_pings() {
  next_ping_.disarm();
  while (pinging_) co_await pinged_.wait();
}

Task<Result<void>> HttpExchange::write(std::string_view bytes) {
  if (bytes.empty()) co_return Result<void>{};
  co_await stop_pings();
  auto written = co_await write_piece(bytes);
  if (written) next_ping_.arm(connection_.server_.limits_.stream_keep_alive);
  co_return written;
}

Task<Result<void>> HttpExchange::write_piece(std::string_view bytes) {
  if (!chunked_) {
    const std::array slices{std::string_view(head_text_), bytes};
    co_return co_await send(slices);
  }
  std::array<char, 20> size_line;
  char* end = std::to_chars(size_line.data(), size_line.data() + 16, bytes.size(), 16).ptr;
  *end++ = '\r';
  *end++ = '\n';
  const std::array slices{std::string_view(head_text_), std::string_view(size_line.data(), end),
                          bytes, std::string_view("\r\n")};
  co_return co_await send(slices);
}

Task<Result<void>> HttpExchange::end_stream(std::string_view bytes) {
  co_await stop_pings();
  finished_ = true;
  if (!chunked_) {
    const std::array slices{std::string_view(head_text_), bytes};
    co_return co_await send(slices);
  }
  if (bytes.empty()) {
    const std::array slices{std::string_view(head_text_), std::string_view("0\r\n\r\n")};
    co_return co_await send(slices);
  }
  const std::string size_line = fmt::format("{:x}\r\n", bytes.size());
  const std::array slices{std::string_view(head_text_), std::string_view(size_line), bytes,
                          std::string_view("\r\n0\r\n\r\n")};
  co_return co_await send(slices);
}

}  // namespace toolgate
