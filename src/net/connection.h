// A connection, plain or TLS, with its read buffer and its one deadline. Both sides of the gateway
// use it: http_server for clients, http_client for upstreams.
//
// A read may be started ahead of need. That is how a client that goes away is noticed while its
// upstream is awaited, and an upstream that closes while its connection is idle: without a system
// call more than the read that would follow anyway.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "async/deadline.h"
#include "async/event.h"
#include "async/loop.h"
#include "base/error.h"
#include "net/body_buffer.h"
#include "net/socket.h"

namespace boost::asio::ssl {
class context;
}  // namespace boost::asio::ssl

namespace toolgate {

enum class IoStatus {
  Ok,
  End,      // the peer has closed its side
  Reset,    // the connection broke
  Timeout,  // our deadline passed
  Closed,   // we closed it
};

// Shared, because a read under way must find its buffer when it ends after everyone else has gone.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Loop& loop, TcpSocket socket);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Bytes that have been read and not consumed. The view holds until the next fill() or
  // read_ahead().
  std::string_view unread() const;
  void consume(std::size_t count);

  // Starts a read unless one is under way. `ended` is called when it finds the end or a fault while
  // nobody waits in fill(). Never reads more than the buffer holds.
  void read_ahead(std::function<void()> ended);
  void forget_ended() { ended_ = nullptr; }

  // Waits until unread() has grown.
  Task<IoStatus> fill();

  // The unread bytes with the block they stand in, if they are just `size` and no read is under
  // way: a body that came in one piece need not be copied. The next block comes from `pool`, which
  // the body is given to when it is no longer needed.
  std::optional<BodyBuffer> hand_over(std::size_t size, BodyBufferPool& pool);

  // Reads exactly `size` bytes, those in the buffer first; each time some arrive the deadline
  // starts anew with `stall`, but not after `latest`.
  Task<IoStatus> read_exactly(char* to, std::size_t size, std::chrono::milliseconds stall,
                              std::chrono::steady_clock::time_point latest);

  // Writes all; each time some bytes are taken the deadline starts anew with `stall`.
  Task<IoStatus> write(std::span<const std::string_view> slices, std::chrono::milliseconds stall);
  Task<IoStatus> write(std::string_view bytes, std::chrono::milliseconds stall) {
    co_return co_await write(std::span(&bytes, 1), stall);
  }

  // Whatever waits on this connection ends with Timeout when this passes. Reading is then over;
  // a last write is still possible.
  void arm(std::chrono::milliseconds after);
  void disarm() { deadline_.disarm(); }

  // What waits ends with Closed. May be called at any time and more than once.
  void close();
  // Tells the peer that nothing more will come, but still reads.
  void shut_down_writing();
  bool is_open() const { return socket_.is_open(); }

  // Client side of a TLS handshake; `host` is verified and sent as server name.
  Task<Result<void>> start_tls(asio::ssl::context& context, const std::string& host);

  TcpSocket& socket() { return socket_; }

 private:
  struct Tls;

  IoStatus status_of(const error_code& error) const;
  void start_read(bool may_grow);
  void read_done(const error_code& error, std::size_t size);
  bool make_room(bool may_grow);

  TcpSocket socket_;
  std::unique_ptr<Tls> tls_;
  Deadline deadline_;
  bool timed_out_ = false;

  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;  // [begin_, end_) is unread
  std::size_t end_ = 0;

  bool reading_ = false;
  IoStatus read_status_ = IoStatus::Ok;  // of the last read; stays once it is not Ok
  Event read_event_;
  std::function<void()> ended_;
};

}  // namespace toolgate
