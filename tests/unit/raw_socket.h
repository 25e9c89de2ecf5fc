// Plain blocking sockets on the loopback, for tests that speak HTTP by hand.
// What does not come within 20 seconds throws.
#pragma once

#include <arpa/inet.h>
#include <cstdint>
#include <cstdlib>
#include <netinet/in.h>
#include <poll.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace toolgate {

struct RawAnswer {
  int status = 0;
  std::string head;  // with the blank line
  std::string body;
};

class RawSocket {
 public:
  explicit RawSocket(int descriptor) : descriptor_(descriptor) {
    if (descriptor < 0) throw std::runtime_error("no socket");
    const timeval limit{20, 0};
    ::setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    ::setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  }
  RawSocket(RawSocket&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)), unread_(std::move(other.unread_)) {}
  RawSocket& operator=(RawSocket&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    std::swap(unread_, other.unread_);
    return *this;
  }
  ~RawSocket() { close(); }

  // A small `receive_buffer` makes the peer's writes wait early.
  static RawSocket connect(std::uint16_t port, int receive_buffer = 0) {
    RawSocket socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (receive_buffer > 0)
      ::setsockopt(socket.descriptor_, SOL_SOCKET, SO_RCVBUF, &receive_buffer,
                   sizeof receive_buffer);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket.descriptor_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
      throw std::runtime_error("cannot connect");
    return socket;
  }

  int descriptor() const { return descriptor_; }

  void close() {
    if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  }
  // The peer sees a reset instead of an end.
  void reset() {
    const linger now{1, 0};
    ::setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    close();
  }
  void shut_down_writing() { ::shutdown(descriptor_, SHUT_WR); }

  void send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0) throw std::runtime_error("cannot send");
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
  }

  std::string receive(std::size_t size) {
    while (unread_.size() < size)
      if (!receive_more()) throw std::runtime_error("ended early, after: " + unread_);
    return take(size);
  }
  // Up to and with `text`.
  std::string receive_until(std::string_view text) {
    std::size_t at = 0;
    while ((at = unread_.find(text)) == std::string::npos)
      if (!receive_more()) throw std::runtime_error("ended early, after: " + unread_);
    return take(at + text.size());
  }
  std::string receive_to_end() {
    while (receive_more()) continue;
    return take(unread_.size());
  }
  std::string receive_head() { return receive_until("\r\n\r\n"); }

  // One answer with its body; without one where the request was HEAD.
  RawAnswer receive_answer(bool without_body = false) {
    RawAnswer answer;
    answer.head = receive_head();
    answer.status = std::atoi(answer.head.substr(9, 3).c_str());
    if (without_body || answer.status == 204 || answer.status < 200) return answer;
    if (const auto at = answer.head.find("Content-Length: "); at != std::string::npos)
      answer.body = receive(std::strtoull(answer.head.c_str() + at + 16, nullptr, 10));
    else if (answer.head.find("Transfer-Encoding: chunked") != std::string::npos)
      answer.body = receive_chunks();
    else
      answer.body = receive_to_end();
    return answer;
  }

  // True once the peer has closed or reset, with nothing left to read.
  bool ends() { return unread_.empty() && !receive_more(); }
  bool has_more_within(int milliseconds) {
    pollfd entry{descriptor_, POLLIN, 0};
    return !unread_.empty() || ::poll(&entry, 1, milliseconds) > 0;
  }

 private:
  std::string take(std::size_t size) {
    std::string taken = unread_.substr(0, size);
    unread_.erase(0, size);
    return taken;
  }

  std::string receive_chunks() {
    std::string body;
    while (true) {
      const auto size = std::strtoull(receive_until("\r\n").c_str(), nullptr, 16);
      body += receive(size);
      if (receive(2) != "\r\n") throw std::runtime_error("a chunk does not end with its line");
      if (size == 0) return body;
    }
  }

  bool receive_more() {
    char block[65536];
    const ssize_t count = ::recv(descriptor_, block, sizeof block, 0);
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
      throw std::runtime_error("nothing came for 20 s, after: " + unread_);
    if (count <= 0) return false;
    unread_.append(block, static_cast<std::size_t>(count));
    return true;
  }

  int descriptor_ = -1;
  std::string unread_;
};

class RawListener {
 public:
  explicit RawListener(int receive_buffer = 0) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    if (receive_buffer > 0)
      ::setsockopt(socket_.descriptor(), SOL_SOCKET, SO_RCVBUF, &receive_buffer,
                   sizeof receive_buffer);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const plain = reinterpret_cast<sockaddr*>(&address);
    if (::bind(socket_.descriptor(), plain, size) != 0 || ::listen(socket_.descriptor(), 16) != 0 ||
        ::getsockname(socket_.descriptor(), plain, &size) != 0)
      throw std::runtime_error("cannot listen");
    port_ = ntohs(address.sin_port);
  }

  std::uint16_t port() const { return port_; }

  RawSocket accept() { return RawSocket(::accept(socket_.descriptor(), nullptr, nullptr)); }

  bool has_connection_within(int milliseconds) {
    pollfd entry{socket_.descriptor(), POLLIN, 0};
    return ::poll(&entry, 1, milliseconds) > 0;
  }
  void close() { socket_.close(); }

 private:
  RawSocket socket_;
  std::uint16_t port_ = 0;
};

}  // namespace toolgate
