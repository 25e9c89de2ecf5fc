// About the least that a proxy can do: what comes on one connection goes out on another of its own,
// unread. One thread, one epoll loop. What it costs is the kernel's part of any proxy's cost.
//   bench_relay --port PORT --upstream PORT
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string>
#include <string_view>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace {

constexpr size_t kReadSize = 256 * 1024;

struct Pair;

struct End {
  int socket = -1;
  Pair* pair = nullptr;
  End* other = nullptr;
  std::string waiting;  // what the socket did not take
  bool ended = false;   // its peer sends no more than what waits to be read
};

struct Pair {
  End client;
  End upstream;
  bool closed = false;
};

[[noreturn]] void die(const char* what) {
  std::perror(what);
  std::exit(1);
}

sockaddr_in loopback(uint16_t port) {
  return {.sin_family = AF_INET,
          .sin_port = htons(port),
          .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)},
          .sin_zero = {}};
}

class Relay {
 public:
  Relay(uint16_t port, uint16_t upstream) : upstream_(loopback(upstream)) {
    int on = 1;
    sockaddr_in address = loopback(port);
    setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) < 0) die("bind");
    if (listen(listener_, 4096) < 0) die("listen");
    watch(listener_, EPOLLIN, nullptr);
  }

  void run() {
    std::array<epoll_event, 256> events;
    while (true) {
      int count = epoll_wait(loop_, events.data(), events.size(), -1);
      if (count < 0 && errno != EINTR) die("epoll_wait");
      for (int i = 0; i < count; ++i) handle(events[static_cast<size_t>(i)]);
      std::erase_if(pairs_, [](const auto& pair) { return pair->closed; });
    }
  }

 private:
  void watch(int descriptor, uint32_t events, End* end) {
    epoll_event event{.events = events, .data = {.ptr = end}};
    if (epoll_ctl(loop_, EPOLL_CTL_ADD, descriptor, &event) < 0) die("epoll_ctl");
  }

  void handle(const epoll_event& event) {
    if (!event.data.ptr) return accept_one();
    auto& end = *static_cast<End*>(event.data.ptr);
    if (end.pair->closed) return;
    if ((event.events & EPOLLOUT) && !end.waiting.empty()) resume(end);
    if (event.events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) end.ended = true;
    if ((event.events & EPOLLIN) || end.ended) move_from(end);
  }

  void accept_one() {
    int client = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK);
    if (client < 0) return;
    int upstream = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(upstream, reinterpret_cast<sockaddr*>(&upstream_), sizeof upstream_) < 0)
      die("connect");
    auto& pair = *pairs_.emplace_back(std::make_unique<Pair>());
    add_end(pair, pair.client, pair.upstream, client);
    add_end(pair, pair.upstream, pair.client, upstream);
  }

  void add_end(Pair& pair, End& end, End& other, int descriptor) {
    int on = 1;
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    end.socket = descriptor;
    end.pair = &pair;
    end.other = &other;
    watch(descriptor, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, &end);
  }

  void move_from(End& from) {
    while (!from.pair->closed && from.other->waiting.empty()) {
      ssize_t count = recv(from.socket, buffer_.data(), buffer_.size(), MSG_DONTWAIT);
      if (count < 0 && errno == EAGAIN) return;
      if (count <= 0) return close_both(*from.pair);
      send_to(*from.other, {buffer_.data(), static_cast<size_t>(count)});
      if (static_cast<size_t>(count) < buffer_.size() && !from.ended) return;
    }
  }

  void send_to(End& end, std::string_view bytes) {
    ssize_t count = send(end.socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0 && errno != EAGAIN) return close_both(*end.pair);
    bytes.remove_prefix(count < 0 ? 0 : static_cast<size_t>(count));
    end.waiting.assign(bytes);
  }

  void resume(End& end) {
    std::string waiting = std::move(end.waiting);
    send_to(end, waiting);
    move_from(*end.other);
  }

  void close_both(Pair& pair) {
    if (pair.closed) return;
    pair.closed = true;
    close(pair.client.socket);
    close(pair.upstream.socket);
  }

  sockaddr_in upstream_;
  int listener_ = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  int loop_ = epoll_create1(0);
  std::vector<std::unique_ptr<Pair>> pairs_;
  std::vector<char> buffer_ = std::vector<char>(kReadSize);
};

}  // namespace

int main(int count, char** words) {
  uint16_t port = 0, upstream = 0;
  for (int i = 1; i + 1 < count; i += 2) {
    auto value = static_cast<uint16_t>(std::atoi(words[i + 1]));
    if (words[i] == std::string_view("--port")) port = value;
    if (words[i] == std::string_view("--upstream")) upstream = value;
  }
  Relay(port, upstream).run();
}
