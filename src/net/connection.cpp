#include "net/connection.h"

#include <algorithm>
#include <array>
#include <cstring>

#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/ssl/stream.hpp>

namespace toolgate {
namespace {

constexpr std::size_t kFirstCapacity = BodyBufferPool::kReadBlock;
constexpr std::size_t kLastCapacity = 1 << 20;
constexpr std::size_t kBuffersPerWrite = 16;

bool would_block(const error_code& error) {
  return error == asio::error::would_block || error == asio::error::try_again;
}

// Where a write stands in its list of slices.
class Cursor {
 public:
  explicit Cursor(std::span<const std::string_view> slices) : slices_(slices) { skip_empty(); }

  bool at_end() const { return slice_ == slices_.size(); }

  std::span<const asio::const_buffer> next(
      std::array<asio::const_buffer, kBuffersPerWrite>& buffers) const {
    std::size_t count = 0;
    std::size_t offset = offset_;
    for (std::size_t i = slice_; i < slices_.size() && count < buffers.size(); ++i, offset = 0)
      buffers[count++] = asio::const_buffer(slices_[i].data() + offset, slices_[i].size() - offset);
    return {buffers.data(), count};
  }

  void advance(std::size_t written) {
    while (written > 0) {
      const std::size_t step = std::min(written, slices_[slice_].size() - offset_);
      offset_ += step;
      written -= step;
      skip_empty();
    }
  }

 private:
  void skip_empty() {
    while (slice_ < slices_.size() && offset_ == slices_[slice_].size()) {
      ++slice_;
      offset_ = 0;
    }
  }

  std::span<const std::string_view> slices_;
  std::size_t slice_ = 0;
  std::size_t offset_ = 0;
};

}  // namespace

struct Connection::Tls {
  Tls(TcpSocket& socket, asio::ssl::context& context) : stream(socket, context) {}
  asio::ssl::stream<TcpSocket&> stream;
};

Connection::Connection(Loop& loop, TcpSocket socket)
    : socket_(std::move(socket)), deadline_(loop.deadlines(), [this] {
        timed_out_ = true;
        error_code ignored;
        socket_.cancel(ignored);
      }) {
  error_code ignored;
  socket_.non_blocking(true, ignored);
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
  socket_.set_option(asio::socket_base::keep_alive(true), ignored);
}

Connection::~Connection() = default;

void Connection::arm(std::chrono::milliseconds after) {
  timed_out_ = false;
  deadline_.arm(after);
}

std::string_view Connection::unread() const {
  return {buffer_.get() + begin_, end_ - begin_};
}

void Connection::consume(std::size_t count) {
  begin_ += count;
  // While a read is under way its target is behind end_, so the bounds must stay.
  if (begin_ == end_ && !reading_) begin_ = end_ = 0;
}

IoStatus Connection::status_of(const error_code& error) const {
  if (!error) return IoStatus::Ok;
  if (timed_out_) return IoStatus::Timeout;
  if (error == asio::error::eof) return IoStatus::End;
  if (error == asio::error::operation_aborted || error == asio::error::bad_descriptor)
    return IoStatus::Closed;
  return IoStatus::Reset;
}

bool Connection::make_room(bool may_grow) {
  if (begin_ == end_) begin_ = end_ = 0;
  if (end_ < capacity_) return true;
  if (begin_ > 0) {
    std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    return true;
  }
  if (capacity_ > 0 && (!may_grow || capacity_ >= kLastCapacity)) return false;
  const std::size_t capacity = capacity_ == 0 ? kFirstCapacity : capacity_ * 2;
  auto grown = std::make_unique_for_overwrite<char[]>(capacity);
  if (end_ > 0) std::memcpy(grown.get(), buffer_.get(), end_);
  buffer_ = std::move(grown);
  capacity_ = capacity;
  return true;
}

void Connection::start_read(bool may_grow) {
  if (reading_ || read_status_ != IoStatus::Ok || !make_room(may_grow)) return;
  reading_ = true;
  auto target = asio::buffer(buffer_.get() + end_, capacity_ - end_);
  auto done = [self = shared_from_this()](const error_code& error, std::size_t size) {
    self->read_done(error, size);
  };
  if (tls_)
    tls_->stream.async_read_some(target, std::move(done));
  else
    socket_.async_read_some(target, std::move(done));
}

void Connection::read_done(const error_code& error, std::size_t size) {
  reading_ = false;
  end_ += size;
  read_status_ = status_of(error);
  if (read_event_.awaited()) {
    read_event_.set();
  } else if (read_status_ != IoStatus::Ok) {
    if (auto ended = std::exchange(ended_, nullptr)) ended();
  } else if (ended_) {
    start_read(false);  // bytes for later; the end is still to be noticed
  }
}

void Connection::read_ahead(std::function<void()> ended) {
  ended_ = std::move(ended);
  if (read_status_ != IoStatus::Ok) {
    if (auto callback = std::exchange(ended_, nullptr)) callback();
    return;
  }
  start_read(false);
}

Task<IoStatus> Connection::fill() {
  start_read(true);
  if (reading_) co_await read_event_.wait();
  co_return read_status_;
}

std::optional<BodyBuffer> Connection::hand_over(std::size_t size, BodyBufferPool& pool) {
  if (reading_ || unread().size() != size || capacity_ > kFirstCapacity) return std::nullopt;
  BodyBuffer body(std::move(buffer_), capacity_, begin_, size);
  buffer_ = pool.take_read_block();
  capacity_ = buffer_ ? kFirstCapacity : 0;
  begin_ = end_ = 0;
  return body;
}

Task<IoStatus> Connection::read_exactly(char* to, std::size_t size, std::chrono::milliseconds stall,
                                        std::chrono::steady_clock::time_point latest) {
  std::size_t have = 0;
  while (true) {
    const std::size_t here = std::min(size - have, unread().size());
    if (here > 0) std::memcpy(to + have, unread().data(), here);
    consume(here);
    have += here;
    // A read started ahead of need gets the next bytes: two at a time would mix them up.
    if (have == size || !reading_) break;
    arm(stall);
    if (const IoStatus status = co_await fill(); status != IoStatus::Ok) co_return status;
  }
  while (have < size) {
    const auto target = asio::buffer(to + have, size - have);
    error_code error = asio::error::would_block;
    std::size_t count = 0;
    if (!tls_) count = socket_.read_some(target, error);
    if (tls_ || would_block(error)) {
      if (std::chrono::steady_clock::now() > latest) co_return IoStatus::Timeout;
      arm(stall);
      if (tls_)
        std::tie(error, count) = co_await tls_->stream.async_read_some(target, kAwait);
      else
        std::tie(error, count) = co_await socket_.async_read_some(target, kAwait);
    }
    if (error) co_return read_status_ = status_of(error);
    have += count;
  }
  co_return IoStatus::Ok;
}

Task<IoStatus> Connection::write(std::span<const std::string_view> slices,
                                 std::chrono::milliseconds stall) {
  std::array<asio::const_buffer, kBuffersPerWrite> storage;
  Cursor cursor(slices);
  bool waited = false;
  while (!cursor.at_end()) {
    const auto buffers = cursor.next(storage);
    error_code error = asio::error::would_block;
    std::size_t count = 0;
    if (!tls_) count = socket_.write_some(buffers, error);
    if (tls_ || would_block(error)) {
      waited = true;
      arm(stall);
      if (tls_)
        std::tie(error, count) = co_await tls_->stream.async_write_some(buffers, kAwait);
      else
        std::tie(error, count) = co_await socket_.async_write_some(buffers, kAwait);
    }
    if (error) co_return status_of(error);
    cursor.advance(count);
  }
  if (waited) deadline_.disarm();
  co_return IoStatus::Ok;
}

void Connection::close() {
  error_code ignored;
  socket_.close(ignored);
  deadline_.disarm();
}

void Connection::shut_down_writing() {
  error_code ignored;
  socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
}

Task<Result<void>> Connection::start_tls(asio::ssl::context& context, const std::string& host) {
  tls_ = std::make_unique<Tls>(socket_, context);
  auto& stream = tls_->stream;
  if (!SSL_set_tlsext_host_name(stream.native_handle(), host.c_str()))
    co_return fail(Errc::Internal, "cannot set the TLS server name '{}'", host);
  error_code error;
  stream.set_verify_mode(asio::ssl::verify_peer, error);
  stream.set_verify_callback(asio::ssl::host_name_verification(host), error);
  std::tie(error) = co_await stream.async_handshake(asio::ssl::stream_base::client, kAwait);
  if (error && timed_out_)
    co_return fail(Errc::UpstreamTimeout, "the TLS handshake with '{}' took too long", host);
  if (error)
    co_return fail(Errc::UpstreamUnreachable, "the TLS handshake with '{}' failed: {}", host,
                   error.message());
  co_return Result<void>{};
}

}  // namespace toolgate
