#include <algorithm>

#include "net/http_client.h"

namespace toolgate {
namespace {

// Short, because a gateway that stops waits for it.
constexpr std::chrono::milliseconds kDrainTime{500};
constexpr std::size_t kDrainBytes = 64 << 10;

Task<> read_to_end(std::unique_ptr<HttpResponse> response) {
  const CancelSource never;
  const auto latest = std::chrono::steady_clock::now() + kDrainTime;
  std::string dropped;
  while (dropped.size() < kDrainBytes && std::chrono::steady_clock::now() < latest) {
    const auto more = co_await response->read_some(dropped, never);
    if (!more || !*more) co_return;
  }
}

}  // namespace

void HttpResponse::drain(std::unique_ptr<HttpResponse> response) {
  if (response->done_) return;
  response->set_idle_time(kDrainTime);
  Scope& scope = response->client_.loop_.scope();
  scope.spawn(read_to_end(std::move(response)), "end of an upstream's answer");
}

HttpResponse::HttpResponse(HttpClient& client, std::string key,
                           std::shared_ptr<Connection> connection,
                           std::unique_ptr<HttpParser> parser, UpstreamTimes times,
                           bool without_body)
    : client_(client),
      key_(std::move(key)),
      connection_(std::move(connection)),
      parser_(std::move(parser)),
      times_(times) {
  if (without_body || status() == 204 || status() == 304) {
    framing_ = Framing::None;
  } else if (parser_->chunked()) {
    framing_ = Framing::Chunked;
  } else if (parser_->content_length()) {
    framing_ = Framing::Sized;
    left_ = *parser_->content_length();
  } else {
    framing_ = Framing::UntilEnd;
  }
}

HttpResponse::~HttpResponse() {
  if (connection_) connection_->close();
}

void HttpResponse::finish() {
  done_ = true;
  auto connection = std::move(connection_);
  if (framing_ != Framing::UntilEnd && parser_->keep_alive() && connection->unread().empty() &&
      connection->is_open())
    client_.give_back(key_, std::move(connection));
  else
    connection->close();
}

// True: the body is complete.
Result<bool> HttpResponse::take_buffered(std::string& out) {
  const std::string_view unread = connection_->unread();
  switch (framing_) {
    case Framing::None:
      return true;
    case Framing::Sized: {
      const std::size_t count = std::min<std::uint64_t>(left_, unread.size());
      out.append(unread.substr(0, count));
      connection_->consume(count);
      left_ -= count;
      return left_ == 0;
    }
    case Framing::Chunked: {
      const auto used = parser_->put(unread, out);
      if (!used)
        return fail(Errc::UpstreamBroken, "the upstream's body is damaged: {}",
                    used.error().message);
      connection_->consume(*used);
      return parser_->done();
    }
    case Framing::UntilEnd:
      out.append(unread);
      connection_->consume(unread.size());
      return false;
  }
  return true;
}

Error HttpResponse::broken(IoStatus status, const Cancel& cancel) const {
  if (cancel.requested()) return {Errc::Cancelled, "the request was cancelled", {}};
  if (status == IoStatus::Timeout)
    return {Errc::UpstreamTimeout,
            fmt::format("the upstream sent nothing for {} s (toolgate.limits.upstreamIdleSeconds)",
                        std::chrono::duration<double>(times_.idle).count()),
            {}};
  return {
      Errc::UpstreamBroken, "the upstream closed the connection in the middle of its answer", {}};
}

Task<Result<bool>> HttpResponse::read_some(std::string& out, const Cancel& cancel) {
  if (done_) co_return false;
  const CancelHook hook(cancel, [raw = connection_.get()](CancelReason) { raw->close(); });
  const std::size_t before = out.size();
  while (true) {
    const auto complete = take_buffered(out);
    if (!complete) co_return std::unexpected(complete.error());
    if (*complete) {
      finish();
      co_return out.size() > before;
    }
    if (out.size() > before) co_return true;
    const std::size_t unread = connection_->unread().size();
    connection_->arm(times_.idle);
    const IoStatus status = co_await connection_->fill();
    if (status == IoStatus::End && framing_ == Framing::UntilEnd && !cancel.requested()) {
      finish();
      co_return false;
    }
    if (status != IoStatus::Ok) co_return std::unexpected(broken(status, cancel));
    if (connection_->unread().size() == unread)
      co_return fail(Errc::UpstreamBroken, "the upstream's chunk header is too long");
  }
}

Task<Result<std::string>> HttpResponse::read_all(std::size_t limit, const Cancel& cancel) {
  std::string body;
  if (framing_ == Framing::Sized && left_ <= limit)
    body.reserve(std::min<std::uint64_t>(left_ + 512, 1 << 20));
  while (true) {
    auto more = co_await read_some(body, cancel);
    if (!more) co_return std::unexpected(more.error());
    if (body.size() > limit)
      co_return fail(Errc::UpstreamBroken,
                     "the upstream's answer is over {} bytes (toolgate.limits.answerBytes)", limit);
    if (done_) co_return body;
    if (!*more) co_return body;
  }
}

}  // namespace toolgate
