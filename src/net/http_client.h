// The HTTP/1.1 client of one loop: keeps connections to upstreams and sends requests over them.
// models/ calls it. Retries only what cannot have been answered: see send().
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "async/loop.h"
#include "base/error.h"
#include "net/connection.h"
#include "net/http_parser.h"
#include "net/upstream_address.h"
#include "toolgate/cancel.h"

namespace toolgate {

struct UpstreamTimes {
  std::chrono::milliseconds connect{10'000};
  std::chrono::milliseconds first_byte{600'000};
  std::chrono::milliseconds idle{120'000};  // between bytes, both ways
};

class HttpClient;

// An answer whose header is there and whose body is read on demand. Destroying it early closes the
// connection, which is how the upstream learns that nobody wants the rest.
class HttpResponse {
 public:
  HttpResponse(HttpClient& client, std::string key, std::shared_ptr<Connection> connection,
               std::unique_ptr<HttpParser> parser, UpstreamTimes times, bool without_body);
  ~HttpResponse();

  int status() const { return parser_->head().status; }
  const HttpHead& head() const { return parser_->head(); }

  // Appends what arrives next. False: the body has ended as it should.
  Task<Result<bool>> read_some(std::string& out, const Cancel& cancel);

  // The whole body, or UpstreamBroken when it is over `limit`.
  Task<Result<std::string>> read_all(std::size_t limit, const Cancel& cancel);

  void set_idle_time(std::chrono::milliseconds idle) { times_.idle = idle; }

  // Reads the end of a body that nobody wants, briefly and in the background, to keep the
  // connection.
  static void drain(std::unique_ptr<HttpResponse> response);

 private:
  enum class Framing { None, Sized, Chunked, UntilEnd };

  Result<bool> take_buffered(std::string& out);
  Error broken(IoStatus status, const Cancel& cancel) const;
  void finish();

  HttpClient& client_;
  std::string key_;
  std::shared_ptr<Connection> connection_;
  std::unique_ptr<HttpParser> parser_;
  UpstreamTimes times_;
  Framing framing_;
  std::uint64_t left_ = 0;  // of a sized body
  bool done_ = false;
};

struct HttpCall {
  const UpstreamAddress& to;
  std::string_view method;
  std::string_view head;  // request line to the blank line
  std::span<const std::string_view> body;
  UpstreamTimes times;
  // Connects to no address that is_public_address() refuses, and shares no connection with calls
  // that may.
  bool public_addresses_only = false;
  // Sent at most once, over a connection of its own: for what must not be done twice.
  bool once = false;
};

class HttpClient {
 public:
  explicit HttpClient(Loop& loop);
  ~HttpClient();

  Loop& loop() { return loop_; }

  // How many idle connections are kept per upstream.
  void set_idle_limit(std::size_t limit) { idle_limit_ = limit; }

  // Waits for the header of the answer. Tries again when the connection is refused (three times in
  // all) and, unless it may be sent only once, when it breaks before the first byte of an answer
  // (once); never after that.
  Task<Result<std::unique_ptr<HttpResponse>>> send(HttpCall call, const Cancel& cancel);

 private:
  friend class HttpResponse;
  struct TlsContext;
  struct Attempt;

  Task<Attempt> try_once(const HttpCall& call, bool allow_reuse, const Cancel& cancel);
  struct ConnectFailure;
  using Connected = std::expected<std::shared_ptr<Connection>, ConnectFailure>;
  Task<Connected> connect(const HttpCall& call, const Cancel& cancel);
  Task<Connected> connect_to(const asio::ip::tcp::endpoint& endpoint, const HttpCall& call,
                             const Cancel& cancel);
  Task<Result<void>> pause(std::chrono::milliseconds time, const Cancel& cancel);
  std::shared_ptr<Connection> take_idle(const std::string& key);
  void give_back(const std::string& key, std::shared_ptr<Connection> connection);
  void drop_idle(const std::string& key, const Connection* connection);
  Result<TlsContext*> tls_context();

  Loop& loop_;
  std::size_t idle_limit_ = 64;
  std::unordered_map<std::string, std::vector<std::shared_ptr<Connection>>> idle_;
  std::unique_ptr<TlsContext> tls_;
};

}  // namespace toolgate
