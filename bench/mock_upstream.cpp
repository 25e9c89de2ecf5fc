// The model server of the benchmark: one thread, one epoll loop, fixed answers, so that what is
// measured is the proxy in front of it. Started by bench/run.py.
//   POST anything            -> one chat.completion
//   ... with "stream":true   -> an event stream, one chunk per tick; each carries the time it left
//   ... and "user":"hold"    -> the same, one chunk per second without end
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <memory>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string>
#include <string_view>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>
#include <vector>

namespace {

constexpr size_t kReadSize = 256 * 1024;
constexpr size_t kLargestRequest = 2 * 1024 * 1024;
// Larger requests are never searched for "stream": the benchmark streams small ones only.
constexpr size_t kLargestStreamRequest = 16 * 1024;
constexpr std::string_view kTimeMark = "@0000000000000000";

struct Options {
  uint16_t port = 0;
  int chunks = 200;
  int tick_microseconds = 2000;
};

struct Connection {
  int socket = -1;
  std::string input;   // requests not yet answered
  std::string output;  // what the socket did not take
  int chunks_sent = 0;
  bool streaming = false;
  bool held = false;
  bool wants_usage = false;
  bool closed = false;
};

// What a look at the input found: the length of the first request, 0 when it is not all there.
struct Request {
  size_t length = 0;
  std::string_view body = {};
  bool invalid = false;
};

[[noreturn]] void die(const char* what) {
  std::perror(what);
  std::exit(1);
}

std::string in_http_chunk(std::string_view text) {
  char size[16];
  std::snprintf(size, sizeof size, "%zx\r\n", text.size());
  return std::string(size).append(text).append("\r\n");
}

std::string stream_chunk(std::string_view choices, std::string_view usage = "") {
  std::string text =
      R"(data: {"id":"chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT","object":"chat.completion.chunk",)"
      R"("created":1741569952,"model":"mock",)"
      R"("system_fingerprint":"fp_06737a9306","choices":)";
  return in_http_chunk(text.append(choices).append(usage).append("}\n\n"));
}

std::string plain_answer() {
  std::string body =
      R"({"id":"chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT","object":"chat.completion",)"
      R"("created":1741569952,"model":"mock","choices":[{"index":0,"message":{"role":"assistant",)"
      R"("content":"The loop reads one element past the end of the buffer: the condition has to be)"
      R"( `<`, not `<=`. I changed it and the test passes.","refusal":null,"annotations":[]},)"
      R"("logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":219,)"
      R"("completion_tokens":34,"total_tokens":253,"prompt_tokens_details":{"cached_tokens":0,)"
      R"("audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0,)"
      R"("accepted_prediction_tokens":0,"rejected_prediction_tokens":0}},)"
      R"("service_tier":"default","system_fingerprint":"fp_06737a9306"})";
  return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

const std::string kPlainAnswer = plain_answer();
const std::string kStreamHead =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n"
    "Cache-Control: no-cache\r\nTransfer-Encoding: chunked\r\n\r\n";
const std::string kFirstChunk =
    stream_chunk(R"([{"index":0,"delta":{"role":"assistant","content":"","refusal":null},)"
                 R"("logprobs":null,"finish_reason":null}])");
const std::string kNextChunk =
    stream_chunk(R"([{"index":0,"delta":{"content":")" + std::string(kTimeMark) +
                 R"("},"logprobs":null,"finish_reason":null}])");
const std::string kLastChunk =
    stream_chunk(R"([{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}])");
const std::string kUsageChunk = stream_chunk(
    "[]", R"(,"usage":{"prompt_tokens":219,"completion_tokens":198,"total_tokens":417})");
const std::string kStreamEnd = in_http_chunk("data: [DONE]\n\n") + "0\r\n\r\n";

bool contains(std::string_view text, std::string_view part) {
  return memmem(text.data(), text.size(), part.data(), part.size()) != nullptr;
}

// The value of a header whose name is given in lower case; empty when the head has none.
std::string_view header(std::string_view head, std::string_view name) {
  for (size_t at = head.find("\r\n"); at != head.npos; at = head.find("\r\n", at)) {
    at += 2;
    std::string_view line = head.substr(at, head.find("\r\n", at) - at);
    if (line.size() <= name.size() || line[name.size()] != ':') continue;
    if (strncasecmp(line.data(), name.data(), name.size()) != 0) continue;
    line.remove_prefix(name.size() + 1);
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    return line;
  }
  return {};
}

Request find_chunked_end(std::string_view input, size_t body_start) {
  for (size_t at = body_start;;) {
    size_t line_end = input.find("\r\n", at);
    if (line_end == input.npos) return {};
    size_t size = 0;
    auto parsed = std::from_chars(input.data() + at, input.data() + line_end, size, 16);
    if (parsed.ec != std::errc{} || size > kLargestRequest) return {.invalid = true};
    at = line_end + 2 + size + 2;
    if (at > input.size()) return {};
    if (size == 0) return {.length = at, .body = input.substr(body_start, at - body_start)};
  }
}

Request find_request(std::string_view input) {
  size_t head_end = input.find("\r\n\r\n");
  if (head_end == input.npos) return {};
  std::string_view head = input.substr(0, head_end + 2);
  size_t body_start = head_end + 4;
  if (!header(head, "transfer-encoding").empty()) return find_chunked_end(input, body_start);
  size_t size = 0;
  std::string_view length = header(head, "content-length");
  std::from_chars(length.data(), length.data() + length.size(), size);
  if (size > kLargestRequest) return {.invalid = true};
  if (input.size() < body_start + size) return {};
  return {.length = body_start + size, .body = input.substr(body_start, size)};
}

class Upstream {
 public:
  explicit Upstream(Options options) : options_(options) {
    open_listener();
    loop_ = epoll_create1(EPOLL_CLOEXEC);
    timer_ = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (loop_ < 0 || timer_ < 0) die("epoll or timerfd");
    watch(listener_, EPOLLIN, &listener_);
    watch(timer_, EPOLLIN, &timer_);
  }

  void run() {
    std::vector<epoll_event> events(256);
    for (;;) {
      int count = epoll_wait(loop_, events.data(), static_cast<int>(events.size()), -1);
      if (count < 0 && errno != EINTR) die("epoll_wait");
      for (int i = 0; i < count; ++i) handle(events[i]);
      std::erase_if(connections_, [](const auto& connection) { return connection->closed; });
    }
  }

 private:
  void open_listener() {
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    int on = 1;
    setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in address{};
    socklen_t length = sizeof address;
    address.sin_family = AF_INET;
    address.sin_port = htons(options_.port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* name = reinterpret_cast<sockaddr*>(&address);
    if (bind(listener_, name, length) < 0 || listen(listener_, 4096) < 0) die("listen");
    getsockname(listener_, name, &length);
    std::printf("listening on http://127.0.0.1:%d\n", ntohs(address.sin_port));
    std::fflush(stdout);
  }

  void watch(int descriptor, uint32_t events, void* owner) {
    epoll_event event{.events = events, .data = {.ptr = owner}};
    if (epoll_ctl(loop_, EPOLL_CTL_ADD, descriptor, &event) < 0) die("epoll_ctl");
  }

  void watch_again(Connection& connection, uint32_t events) {
    epoll_event event{.events = events, .data = {.ptr = &connection}};
    if (epoll_ctl(loop_, EPOLL_CTL_MOD, connection.socket, &event) < 0) die("epoll_ctl");
  }

  void handle(const epoll_event& event) {
    if (event.data.ptr == &listener_) return accept_all();
    if (event.data.ptr == &timer_) return tick();
    auto& connection = *static_cast<Connection*>(event.data.ptr);
    if (connection.closed) return;
    if (event.events & EPOLLOUT) flush(connection);
    if (event.events & (EPOLLIN | EPOLLHUP | EPOLLERR)) read(connection);
  }

  void accept_all() {
    for (;;) {
      int socket = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (socket < 0) return;
      int on = 1;
      setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      connections_.push_back(std::make_unique<Connection>());
      connections_.back()->socket = socket;
      watch(socket, EPOLLIN, connections_.back().get());
    }
  }

  void close_connection(Connection& connection) {
    if (connection.closed) return;
    close(connection.socket);
    connection.closed = true;
    if (connection.streaming) stop_streaming(connection);
  }

  void read(Connection& connection) {
    ssize_t received = 0;
    size_t before = connection.input.size();
    connection.input.resize_and_overwrite(before + kReadSize, [&](char* data, size_t) {
      received = recv(connection.socket, data + before, kReadSize, 0);
      return before + static_cast<size_t>(std::max<ssize_t>(received, 0));
    });
    if (received < 0 && errno == EAGAIN) return;
    if (received <= 0) return close_connection(connection);
    answer_requests(connection);
  }

  void answer_requests(Connection& connection) {
    while (!connection.closed && !connection.streaming && !connection.input.empty()) {
      Request request = find_request(connection.input);
      if (request.invalid) return close_connection(connection);
      if (request.length == 0) return;
      answer(connection, request.body);
      connection.input.erase(0, request.length);
    }
  }

  void answer(Connection& connection, std::string_view body) {
    if (body.size() > kLargestStreamRequest || !contains(body, "\"stream\":true")) {
      return write(connection, kPlainAnswer);
    }
    connection.held = contains(body, "\"user\":\"hold\"");
    connection.wants_usage = contains(body, "\"include_usage\":true");
    connection.streaming = true;
    connection.chunks_sent = 1;
    write(connection, kStreamHead + kFirstChunk);
    if (connection.closed) return;
    if (streams_.empty()) set_timer(options_.tick_microseconds);
    streams_.push_back(&connection);
  }

  void stop_streaming(Connection& connection) {
    connection.streaming = false;
    std::erase(streams_, &connection);
    if (streams_.empty()) set_timer(0);
  }

  void set_timer(long microseconds) {
    timespec period{.tv_sec = microseconds / 1'000'000, .tv_nsec = microseconds % 1'000'000 * 1000};
    itimerspec setting{.it_interval = period, .it_value = period};
    if (timerfd_settime(timer_, 0, &setting, nullptr) < 0) die("timerfd_settime");
  }

  // One chunk for every stream; held streams take turns, so that each gets one per second.
  void tick() {
    uint64_t expirations = 0;
    if (::read(timer_, &expirations, sizeof expirations) < 0) return;
    const int ticks_per_second = std::max(1, 1'000'000 / options_.tick_microseconds);
    int turn = static_cast<int>(ticks_++ % static_cast<uint64_t>(ticks_per_second));
    due_ = streams_;
    for (Connection* connection : due_) {
      if (connection->closed) continue;
      if (!connection->held || connection->socket % ticks_per_second == turn) advance(*connection);
    }
  }

  void advance(Connection& connection) {
    ++connection.chunks_sent;
    if (connection.held || connection.chunks_sent < options_.chunks) {
      return write(connection, stamped_chunk());
    }
    write(connection,
          connection.wants_usage ? kLastChunk + kUsageChunk + kStreamEnd : kLastChunk + kStreamEnd);
    if (connection.closed) return;
    stop_streaming(connection);
    answer_requests(connection);
  }

  const std::string& stamped_chunk() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    char digits[24];
    std::snprintf(digits, sizeof digits, "%016lld", now.tv_sec * 1'000'000LL + now.tv_nsec / 1000);
    stamped_.replace(stamp_at_, 16, digits, 16);
    return stamped_;
  }

  void write(Connection& connection, std::string_view bytes) {
    if (!connection.output.empty()) {
      connection.output.append(bytes);
      return;
    }
    ssize_t sent = send(connection.socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN) return close_connection(connection);
    bytes.remove_prefix(static_cast<size_t>(std::max<ssize_t>(sent, 0)));
    if (bytes.empty()) return;
    connection.output.append(bytes);
    watch_again(connection, EPOLLIN | EPOLLOUT);
  }

  void flush(Connection& connection) {
    std::string pending = std::move(connection.output);
    connection.output.clear();
    watch_again(connection, EPOLLIN);
    write(connection, pending);
  }

  Options options_;
  int listener_ = -1;
  int loop_ = -1;
  int timer_ = -1;
  uint64_t ticks_ = 0;
  std::vector<std::unique_ptr<Connection>> connections_;
  std::vector<Connection*> streams_;
  std::vector<Connection*> due_;
  std::string stamped_ = kNextChunk;
  size_t stamp_at_ = kNextChunk.find(kTimeMark) + 1;
};

Options parse_options(int count, char** words) {
  Options options;
  for (int i = 1; i + 1 < count; i += 2) {
    std::string_view name = words[i];
    int value = std::atoi(words[i + 1]);
    if (name == "--port") options.port = static_cast<uint16_t>(value);
    if (name == "--chunks") options.chunks = std::max(2, value);
    if (name == "--tick-us") options.tick_microseconds = std::max(100, value);
  }
  return options;
}

}  // namespace

int main(int count, char** words) {
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  Upstream(parse_options(count, words)).run();
}
