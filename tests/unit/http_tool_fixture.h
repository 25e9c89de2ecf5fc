// Tools behind URLs on a loop of their own, against a server that the test's thread plays on the
// loopback.
#pragma once

#include <cstdlib>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "hosts/http_tool.h"
#include "net/loop_client.h"
#include "raw_socket.h"
#include "test_loop.h"

namespace toolgate::http_tool_test {

inline constexpr std::string_view kSentinel = "sentinel-9f8e7d6c5b4a";

using Answer = Result<ToolResult>;
using Variables = std::map<std::string, std::string>;

// A loop that tools run on.
class ToolLoop {
 public:
  ToolLoop() : client_(std::in_place, loop_.loop()), found_(std::in_place, *client_) {}
  ToolLoop(const ToolLoop&) = delete;
  ToolLoop& operator=(const ToolLoop&) = delete;
  ~ToolLoop() {
    loop_.call([this] {
      found_.reset();
      client_.reset();
    });
    loop_.finish();
  }

  std::future<Answer> start(Tool& tool, std::string input = "{}") {
    return loop_.start(run(tool, std::move(input)));
  }
  Answer call(Tool& tool, std::string input = "{}") {
    return get_soon(start(tool, std::move(input)));
  }
  void cancel() {
    loop_.call([this] { cancel_.request(CancelReason::User); });
  }

 private:
  Task<Answer> run(Tool& tool, std::string input) {
    const ToolCall call{.input = std::move(input)};
    co_return co_await tool.invoke(call, cancel_);
  }

  TestLoop loop_;
  CancelSource cancel_;
  std::optional<HttpClient> client_;
  std::optional<LoopClient> found_;
};

inline std::unique_ptr<HttpTool> make_tool(std::string_view url, std::string_view more = "",
                                           Variables variables = {},
                                           HttpToolSettings settings = {}) {
  auto definition =
      parse_http_tool(fmt::format(R"({{"name":"weather","description":"d","url":"{}"{}{}}})", url,
                                  more.empty() ? "" : ",", more));
  if (!definition) throw std::runtime_error(definition.error().message);
  return std::make_unique<HttpTool>(
      std::move(*definition), settings, [variables](const char* name) {
        const auto found = variables.find(name);
        return found == variables.end() ? std::nullopt : std::optional(found->second);
      });
}

// At `path` of the listener, which is on a private address.
inline std::unique_ptr<HttpTool> local_tool(const RawListener& listener, std::string_view path,
                                            std::string_view more = "", Variables variables = {}) {
  return make_tool(
      fmt::format("http://127.0.0.1:{}{}", listener.port(), path),
      fmt::format(R"("allowPrivateAddresses":true{}{})", more.empty() ? "" : ",", more),
      std::move(variables));
}

inline std::string ok(std::string_view type, std::string_view body, std::string_view fields = "") {
  return fmt::format("HTTP/1.1 200 OK\r\nContent-Type: {}\r\nContent-Length: {}\r\n{}\r\n{}", type,
                     body.size(), fields, body);
}

inline std::string redirect(std::string_view location, int status = 302) {
  return fmt::format("HTTP/1.1 {} Found\r\nLocation: {}\r\nContent-Length: 0\r\n\r\n", status,
                     location);
}

struct Received {
  std::string head;
  std::string body;

  std::string first_line() const { return head.substr(0, head.find("\r\n")); }
  bool has(std::string_view line) const { return head.contains(fmt::format("\r\n{}\r\n", line)); }
};

inline Received receive(RawSocket& peer) {
  Received received{peer.receive_head(), {}};
  if (const auto at = received.head.find("Content-Length: "); at != std::string::npos)
    received.body = peer.receive(std::strtoull(received.head.c_str() + at + 16, nullptr, 10));
  return received;
}

// One call whose request is answered with `reply`.
struct Exchange {
  Received request;
  Answer answer;
};
inline Exchange exchange(RawListener& listener, Tool& tool, std::string input,
                         std::string_view reply) {
  ToolLoop loop;
  auto answer = loop.start(tool, std::move(input));
  auto peer = listener.accept();
  Received request = receive(peer);
  peer.send(reply);
  return {std::move(request), get_soon(std::move(answer))};
}

inline std::string text_of(const ToolResult& result) {
  if (result.content.size() != 1 || !result.content[0].mime_type.empty()) return "(not one text)";
  return result.content[0].text;
}

inline Error failure(const Answer& answer) {
  if (answer) return {Errc::Internal, "it succeeded: " + text_of(*answer), {}};
  return answer.error();
}

}  // namespace toolgate::http_tool_test
