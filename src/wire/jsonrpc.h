// JSON-RPC 2.0 as language servers speak it: messages behind a header that says how long they are.
// Pure and fuzzed. net/rpc_peer reads and writes pipes with it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/json.h"

namespace toolgate {

// Cuts messages out of whatever pieces arrive. It keeps at most one message, its header, and what
// was fed last.
class RpcFrameReader {
 public:
  static constexpr std::size_t kMostHeaderBytes = 4 << 10;

  explicit RpcFrameReader(std::size_t most_body_bytes) : most_body_bytes_(most_body_bytes) {}

  // Take all that next() has before feeding more.
  void feed(std::string_view bytes);
  // The next whole message; nothing: more bytes are needed. After an error nothing more is read.
  Result<std::optional<std::string>> next();

 private:
  Result<bool> read_header();

  const std::size_t most_body_bytes_;
  std::string buffer_;
  std::optional<std::size_t> body_size_;  // once the header is read
  std::optional<Error> broken_;
};

// The message behind its header.
std::string write_rpc_frame(std::string_view body);

struct RpcMessage {
  enum class Kind : std::uint8_t { Request, Notification, Answer };

  Kind kind = Kind::Notification;
  json::value id = {};       // of requests and answers
  std::string method = {};   // of requests and notifications
  json::value content = {};  // parameters, the result, or the error of an answer
  bool is_error = false;     // of an answer
};

Result<RpcMessage> parse_rpc_message(std::string_view text);

std::string write_rpc_request(std::int64_t id, std::string_view method, const json::value& params);
std::string write_rpc_notification(std::string_view method, const json::value& params);
// `id` is the request's, whatever it was.
std::string write_rpc_answer(const json::value& id, const Result<json::value>& result);

}  // namespace toolgate
