// The HTTP/1.1 server of one loop: accepts, reads requests, hands each to the handler as an
// HttpExchange, and stops in two stages. gateway/ supplies the handler.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "async/loop.h"
#include "base/error.h"
#include "net/body_buffer.h"
#include "net/http_head.h"
#include "net/socket.h"
#include "toolgate/cancel.h"

namespace toolgate {

struct HttpServerLimits {
  std::size_t header_bytes = 64 << 10;
  std::size_t body_bytes = std::size_t{64} << 20;
  std::size_t connections = 10'000;  // of this loop
  std::chrono::milliseconds header_time{30'000};
  std::chrono::milliseconds body_stall{30'000};
  std::chrono::milliseconds write_stall{120'000};
  std::chrono::milliseconds keep_alive{75'000};
  std::chrono::milliseconds stream_keep_alive{15'000};  // a comment in a stream that is silent
};

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

struct HttpReply {
  int status = 200;
  std::string_view content_type = "application/json";
  HttpHeaders headers;
  std::string body;
  std::shared_ptr<const std::string> shared_body;  // instead of `body`, for what is sent often
};

class ServerConnection;

// One request and its answer. The handler answers exactly once: reply(), or begin_stream() and then
// end_stream(). What it leaves open is answered for it.
class HttpExchange {
 public:
  explicit HttpExchange(ServerConnection& connection, const Cancel& server_cancel);
  ~HttpExchange();
  HttpExchange(const HttpExchange&) = delete;
  HttpExchange& operator=(const HttpExchange&) = delete;

  const HttpHead& head() const;
  std::string_view path() const { return path_; }
  std::string_view query() const { return query_; }

  // The whole body; stays until the exchange ends.
  Task<Result<std::string_view>> read_body();

  Task<Result<void>> reply(HttpReply reply);

  // The head goes out with the first bytes. Writes wait for the client: back-pressure.
  void begin_stream(int status, std::string_view content_type, const HttpHeaders& headers);
  Task<Result<void>> write(std::string_view bytes);
  // The last bytes and the end of the body. Without it the client sees a broken stream.
  Task<Result<void>> end_stream(std::string_view bytes = {});

  // Fields that every answer to this request gets.
  void add_header(std::string name, std::string value);

  bool started() const { return status_ != 0; }
  bool finished() const { return finished_; }
  int status() const { return status_; }
  std::uint64_t bytes_in() const { return bytes_in_; }
  std::uint64_t bytes_out() const { return bytes_out_; }

  // The server has begun to stop.
  bool stopping() const;
  // The address the client reached us at, without the port.
  std::string local_address() const;

  // Requested when the client goes away and when the server gives up on stopping gently.
  const Cancel& cancel() const { return cancel_; }

 private:
  friend class ServerConnection;

  std::optional<BodyBuffer> take_whole_body(std::uint64_t size);
  Task<Result<void>> read_sized_body(std::uint64_t size);
  Task<Result<void>> read_chunked_body();
  Result<void> check_encoding() const;
  void watch_client();
  void append_head(int status, std::string_view content_type, const HttpHeaders& headers,
                   std::optional<std::size_t> body_size);
  Task<Result<void>> send(std::span<const std::string_view> slices);
  Task<Result<void>> write_piece(std::string_view bytes);
  void start_ping();
  Task<> send_ping();
  // Ends the pings, and waits for one that is being written.
  Task<> stop_pings();

  ServerConnection& connection_;
  CancelSource cancel_;
  std::string_view path_;
  std::string_view query_;
  BodyBuffer body_;
  bool body_read_ = false;
  HttpHeaders extra_headers_;
  std::string head_text_;  // of the answer, until it is sent
  Deadline next_ping_;     // armed while a stream waits for its next bytes
  bool pinging_ = false;
  Event pinged_;
  int status_ = 0;
  bool chunked_ = false;
  bool finished_ = false;
  std::uint64_t bytes_in_ = 0;
  std::uint64_t bytes_out_ = 0;
};

using HttpHandler = std::function<Task<>(HttpExchange&)>;

class HttpServer {
 public:
  HttpServer(Loop& loop, HttpServerLimits limits, HttpHandler handler);
  ~HttpServer();

  // Binds and listens; the port that was got is the result. SO_REUSEPORT, so each loop has its own.
  Result<std::uint16_t> listen(const asio::ip::tcp::endpoint& endpoint);
  void start();

  // Applies to requests that begin after it.
  void set_limits(HttpServerLimits limits) { limits_ = limits; }

  // First stage: no new connections, idle ones are closed, the others after their current answer.
  void stop_gently();
  // Second stage: what still runs is cancelled.
  void stop_now() { cancel_.request(CancelReason::Shutdown); }
  // Third: sockets are closed under whatever did not react.
  void close_all();

  bool stopping() const { return stopping_; }
  std::size_t connections() const { return connections_.size(); }

 private:
  friend class ServerConnection;
  friend class HttpExchange;

  Task<> accept_loop();
  void refuse(TcpSocket socket);

  Loop& loop_;
  HttpServerLimits limits_;
  HttpHandler handler_;
  TcpAcceptor acceptor_;
  bool stopping_ = false;
  CancelSource cancel_;
  BodyBufferPool buffers_;
  std::unordered_set<ServerConnection*> connections_;
};

}  // namespace toolgate
