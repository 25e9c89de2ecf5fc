// The load generator of the benchmark: a closed loop of keep-alive connections in one thread, each
// sending a request and reading the whole answer before the next. Started by bench/run.py; prints
// one JSON object. Each connection has a body of its own, if there are enough, and numbers the
// turns in it (bench/bodies.py). In event streams it also reads the send times that the mock
// upstream writes into its chunks, which gives the delay of each chunk.
#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string>
#include <string_view>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

namespace {

constexpr size_t kReadSize = 64 * 1024;
constexpr int64_t kDrainMicroseconds = 20'000'000;

struct Options {
  uint16_t port = 0;
  std::string path = "/v1/chat/completions";
  std::string headers;
  std::vector<std::string> bodies;  // none: a GET
  int connections = 1;
  double seconds = 1;
  bool fresh = false;  // every request has the next body
  size_t first = 0;    // which of them comes first then
  bool hold = false;   // one endless stream per connection: say "ready" when all have begun
};

enum class Phase { Head, Sized, ChunkSize, ChunkData, Trailer };

struct Request {
  std::string text;
  size_t turn = 0;  // where its number stands; npos: nowhere
};

struct Connection {
  Request* request = nullptr;
  int socket = -1;
  size_t sent = 0;
  bool busy = false;
  bool writing = false;
  int64_t started = 0;
  Phase phase = Phase::Head;
  std::string input;   // not yet decoded
  std::string events;  // decoded text of a stream that does not yet make up an event
  size_t remaining = 0;
  bool ok = false;
  bool streamed = false;
  bool saw_event = false;
  bool saw_done = false;
};

[[noreturn]] void die(const char* what) {
  std::perror(what);
  std::exit(1);
}

int64_t microseconds_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000LL + now.tv_nsec / 1000;
}

uint32_t quantile(std::vector<uint32_t>& values, double fraction) {
  if (values.empty()) return 0;
  auto at = values.begin() + static_cast<ptrdiff_t>(fraction * static_cast<double>(values.size()));
  at = std::min(at, values.end() - 1);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

Request make_request(const Options& options, const std::string& body) {
  std::string text = (body.empty() ? "GET " : "POST ") + options.path +
                     " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(options.port) +
                     "\r\nContent-Type: application/json\r\nAccept: application/json\r\n"
                     "Authorization: Bearer sk-bench\r\n" +
                     options.headers + "Content-Length: " + std::to_string(body.size()) +
                     "\r\n\r\n" + body;
  const size_t turn = text.find("Turn 00000000");
  return {std::move(text), turn == text.npos ? turn : turn + 5};
}

void number_turn(Request& request, int number) {
  if (request.turn == request.text.npos) return;
  for (size_t digit = 8; digit-- > 0; number /= 10)
    request.text[request.turn + digit] = static_cast<char>('0' + number % 10);
}

class Load {
 public:
  explicit Load(Options options) : options_(std::move(options)) {
    loop_ = epoll_create1(EPOLL_CLOEXEC);
    connections_.resize(static_cast<size_t>(options_.connections));
    if (options_.bodies.empty()) options_.bodies.emplace_back();
    const size_t count = std::max(options_.bodies.size(), connections_.size());
    for (size_t i = 0; i < count; ++i)
      requests_.push_back(make_request(options_, options_.bodies[i % options_.bodies.size()]));
    for (size_t i = 0; i < connections_.size(); ++i) connections_[i].request = &requests_[i];
    next_request_ = options_.first;
  }

  int run() {
    begin_ = microseconds_now();
    deadline_ = begin_ + static_cast<int64_t>(options_.seconds * 1e6);
    for (Connection& connection : connections_) open(connection);
    std::vector<epoll_event> ready(512);
    while (busy_ > 0) {
      int64_t now = microseconds_now();
      if (now > deadline_ + (options_.hold ? 0 : kDrainMicroseconds)) break;
      int count = epoll_wait(loop_, ready.data(), static_cast<int>(ready.size()), 100);
      for (int i = 0; i < count; ++i) handle(ready[i]);
    }
    report();
    return failures_ == 0 ? 0 : 3;
  }

 private:
  void open(Connection& connection) {
    connection = Connection{.request = connection.request};
    connection.socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(options_.port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(connection.socket, reinterpret_cast<sockaddr*>(&address), sizeof address) < 0) {
      die("connect");
    }
    int on = 1;
    setsockopt(connection.socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    epoll_event event{.events = EPOLLIN, .data = {.ptr = &connection}};
    if (epoll_ctl(loop_, EPOLL_CTL_ADD, connection.socket, &event) < 0) die("epoll_ctl");
    start_request(connection);
  }

  void start_request(Connection& connection) {
    connection.sent = 0;
    if (options_.fresh) connection.request = &requests_[next_request_++ % requests_.size()];
    number_turn(*connection.request, ++turns_);
    connection.started = microseconds_now();
    connection.phase = Phase::Head;
    connection.ok = connection.streamed = connection.saw_done = false;
    connection.events.clear();
    connection.busy = true;
    ++busy_;
    send_request(connection);
  }

  void send_request(Connection& connection) {
    const std::string& text = connection.request->text;
    ssize_t sent = send(connection.socket, text.data() + connection.sent,
                        text.size() - connection.sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno != EAGAIN) return fail(connection, "send");
    connection.sent += static_cast<size_t>(std::max<ssize_t>(sent, 0));
    bool unsent = connection.sent < text.size();
    if (unsent == connection.writing) return;
    connection.writing = unsent;
    uint32_t wanted = unsent ? EPOLLIN | EPOLLOUT : EPOLLIN;
    epoll_event event{.events = wanted, .data = {.ptr = &connection}};
    if (epoll_ctl(loop_, EPOLL_CTL_MOD, connection.socket, &event) < 0) die("epoll_ctl");
  }

  void handle(const epoll_event& event) {
    auto& connection = *static_cast<Connection*>(event.data.ptr);
    if (event.events & EPOLLOUT) send_request(connection);
    if (connection.socket < 0 || !(event.events & (EPOLLIN | EPOLLHUP | EPOLLERR))) return;
    ssize_t received = recv(connection.socket, buffer_, sizeof buffer_, MSG_DONTWAIT);
    if (received < 0 && errno == EAGAIN) return;
    if (received <= 0) return fail(connection, "closed by the proxy");
    bytes_ += received;
    connection.input.append(buffer_, static_cast<size_t>(received));
    decode(connection);
  }

  void fail(Connection& connection, const char* what) {
    if (++failures_ <= 3) std::fprintf(stderr, "request failed: %s\n", what);
    close(connection.socket);
    connection.socket = -1;
    if (connection.busy) --busy_;
    connection.busy = false;
    if (failures_ < 100 && microseconds_now() < deadline_) open(connection);
  }

  // Consumes complete parts of the input until more is needed or the answer has ended.
  void decode(Connection& connection) {
    size_t at = 0;
    bool ended = false;
    while (!ended) {
      std::string_view rest = std::string_view(connection.input).substr(at);
      size_t used = decode_part(connection, rest, ended);
      if (used == 0 && !ended) break;
      at += used;
    }
    connection.input.erase(0, at);
    if (ended) finish(connection);
  }

  size_t decode_part(Connection& connection, std::string_view rest, bool& ended) {
    switch (connection.phase) {
      case Phase::Head:
        return decode_head(connection, rest, ended);
      case Phase::Sized: {
        size_t used = std::min(rest.size(), connection.remaining);
        connection.remaining -= used;
        ended = connection.remaining == 0;
        return used;
      }
      case Phase::ChunkSize: {
        size_t end = rest.find("\r\n");
        if (end == rest.npos) return 0;
        connection.remaining = 0;
        std::from_chars(rest.data(), rest.data() + end, connection.remaining, 16);
        connection.phase = connection.remaining == 0 ? Phase::Trailer : Phase::ChunkData;
        return end + 2;
      }
      case Phase::ChunkData: {
        if (rest.size() < connection.remaining + 2) return 0;
        take_events(connection, rest.substr(0, connection.remaining));
        connection.phase = Phase::ChunkSize;
        return connection.remaining + 2;
      }
      case Phase::Trailer: {
        size_t end = rest.find("\r\n");
        if (end == rest.npos) return 0;
        ended = end == 0;
        return end + 2;
      }
    }
    return 0;
  }

  size_t decode_head(Connection& connection, std::string_view rest, bool& ended) {
    size_t end = rest.find("\r\n\r\n");
    if (end == rest.npos) return 0;
    std::string head(rest.substr(0, end + 2));
    connection.ok = head.starts_with("HTTP/1.1 200");
    if (!connection.ok && ++complaints_ <= 3) {
      std::fprintf(stderr, "unexpected answer: %.*s\n",
                   static_cast<int>(std::min<size_t>(rest.size(), 800)), rest.data());
    }
    std::transform(head.begin(), head.end(), head.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    connection.streamed = head.contains("text/event-stream");
    size_t at = head.find("\r\ncontent-length:");
    if (at != head.npos) {
      connection.remaining = std::strtoul(head.c_str() + at + 17, nullptr, 10);
      connection.phase = Phase::Sized;
      ended = connection.remaining == 0;
    } else {
      connection.phase = Phase::ChunkSize;
    }
    return end + 4;
  }

  void take_events(Connection& connection, std::string_view text) {
    if (!connection.streamed) return;
    connection.events.append(text);
    int64_t now = microseconds_now();
    size_t at = 0;
    for (size_t end; (end = connection.events.find("\n\n", at)) != std::string::npos;) {
      take_event(connection, std::string_view(connection.events).substr(at, end - at), now);
      at = end + 2;
    }
    connection.events.erase(0, at);
  }

  void take_event(Connection& connection, std::string_view event, int64_t now) {
    if (!event.starts_with("data:")) return;
    if (event.ends_with("[DONE]")) {
      connection.saw_done = true;
      return;
    }
    ++events_;
    if (!connection.saw_event) {
      connection.saw_event = true;
      if (++begun_ == options_.connections && options_.hold) {
        std::printf("ready\n");
        std::fflush(stdout);
      }
    }
    size_t mark = event.find("\"@");
    if (mark == event.npos) return;
    int64_t stamp = 0;
    std::from_chars(event.data() + mark + 2, event.data() + event.size(), stamp);
    delays_.push_back(static_cast<uint32_t>(std::max<int64_t>(0, now - stamp)));
  }

  void finish(Connection& connection) {
    int64_t now = microseconds_now();
    connection.busy = false;
    --busy_;
    end_ = now;
    if (connection.ok && (!connection.streamed || connection.saw_done)) {
      latencies_.push_back(static_cast<uint32_t>(now - connection.started));
    } else {
      ++failures_;
    }
    if (now < deadline_ && failures_ < 100) start_request(connection);
  }

  void report() {
    double seconds = static_cast<double>(std::max(end_, begin_ + 1) - begin_) / 1e6;
    std::printf(
        "{\"requests\":%zu,\"failures\":%d,\"unfinished\":%d,\"seconds\":%.6f,"
        "\"requests_per_second\":%.1f,\"p50_us\":%u,\"p99_us\":%u,\"bytes\":%lld,"
        "\"events\":%lld,\"stamped\":%zu,\"chunk_p50_us\":%u,\"chunk_p99_us\":%u}\n",
        latencies_.size(), failures_, busy_, seconds,
        static_cast<double>(latencies_.size()) / seconds, quantile(latencies_, 0.5),
        quantile(latencies_, 0.99), static_cast<long long>(bytes_), static_cast<long long>(events_),
        delays_.size(), quantile(delays_, 0.5), quantile(delays_, 0.99));
  }

  Options options_;
  std::vector<Request> requests_;
  size_t next_request_ = 0;
  int turns_ = 0;
  int loop_ = -1;
  std::vector<Connection> connections_;
  char buffer_[kReadSize];
  int busy_ = 0;
  int begun_ = 0;
  int failures_ = 0;
  int complaints_ = 0;
  int64_t begin_ = 0;
  int64_t deadline_ = 0;
  int64_t end_ = 0;
  int64_t bytes_ = 0;
  int64_t events_ = 0;
  std::vector<uint32_t> latencies_;
  std::vector<uint32_t> delays_;
};

std::string file_text(const char* path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) die(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

Options parse_options(int count, char** words) {
  Options options;
  for (int i = 1; i < count; ++i) {
    std::string_view name = words[i];
    if (name == "--hold" || name == "--fresh") {
      (name == "--hold" ? options.hold : options.fresh) = true;
      continue;
    }
    if (i + 1 == count) break;
    const char* value = words[++i];
    if (name == "--port") options.port = static_cast<uint16_t>(std::atoi(value));
    if (name == "--path") options.path = value;
    if (name == "--header") options.headers.append(value).append("\r\n");
    if (name == "--body") options.bodies.push_back(file_text(value));
    if (name == "--connections") options.connections = std::max(1, std::atoi(value));
    if (name == "--first") options.first = std::strtoul(value, nullptr, 10);
    if (name == "--seconds") options.seconds = std::atof(value);
  }
  return options;
}

}  // namespace

int main(int count, char** words) {
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  static Load load(parse_options(count, words));
  return load.run();
}
