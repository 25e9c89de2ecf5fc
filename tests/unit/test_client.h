// An HttpClient on a loop of its own. The test's thread plays the upstream.
#pragma once

#include <future>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/http_client.h"
#include "test_loop.h"

namespace toolgate {

struct ClientAnswer {
  int status = 0;
  std::string body;
  std::optional<Error> error;  // of the header or of the body
};

class TestClient {
 public:
  explicit TestClient(std::string_view base_url)
      : address_(parse_base_url(base_url).value()), client_(std::in_place, loop_.loop()) {}
  TestClient(const TestClient&) = delete;
  TestClient& operator=(const TestClient&) = delete;
  ~TestClient() {
    loop_.call([this] { client_.reset(); });
    loop_.finish();
  }

  UpstreamTimes times{};  // of requests sent after it is set

  // The answer to a request with that body, read to its end.
  std::future<ClientAnswer> send(std::string body = {}, std::string method = "POST") {
    return loop_.start(ask(std::move(body), std::move(method)));
  }
  // Waits for the header only.
  std::unique_ptr<HttpResponse> open() {
    return loop_.run([this]() -> Task<std::unique_ptr<HttpResponse>> {
      const std::string head = make_head("GET", 0);
      auto sent = co_await client_->send(
          {.to = address_, .method = "GET", .head = head, .body = {}, .times = times}, cancel_);
      co_return sent ? std::move(*sent) : nullptr;
    });
  }
  template <class Function>
  auto call(Function function) {
    return loop_.call([this, &function] { return function(*client_); });
  }
  void cancel() {
    loop_.call([this] { cancel_.request(CancelReason::ClientGone); });
  }
  const Cancel& cancel_token() const { return cancel_; }
  TestLoop& loop() { return loop_; }

 private:
  std::string make_head(std::string_view method, std::size_t size) const {
    return fmt::format("{} {}/x HTTP/1.1\r\nHost: {}\r\nContent-Length: {}\r\n\r\n", method,
                       address_.path, address_.authority, size);
  }

  Task<ClientAnswer> ask(std::string body, std::string method) {
    const std::string head = make_head(method, body.size());
    // In two slices, as real callers do.
    const std::string_view whole = body;
    const std::vector<std::string_view> slices{whole.substr(0, body.size() / 2),
                                               whole.substr(body.size() / 2)};
    ClientAnswer answer;
    auto sent = co_await client_->send(
        {.to = address_, .method = method, .head = head, .body = slices, .times = times}, cancel_);
    if (!sent) {
      answer.error = sent.error();
      co_return answer;
    }
    answer.status = (*sent)->status();
    auto read = co_await (*sent)->read_all(std::size_t{64} << 20, cancel_);
    if (read)
      answer.body = std::move(*read);
    else
      answer.error = read.error();
    co_return answer;
  }

  UpstreamAddress address_;
  TestLoop loop_;
  CancelSource cancel_;
  std::optional<HttpClient> client_;
};

}  // namespace toolgate
