#include "wire/jsonrpc.h"

#include <charconv>

#include "base/ascii.h"

namespace toolgate {
namespace {

constexpr std::string_view kHeaderEnd = "\r\n\r\n";
constexpr std::string_view kLengthName = "content-length";

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::optional<std::size_t> parse_size(std::string_view digits) {
  std::size_t size = 0;
  const char* end = digits.data() + digits.size();
  const auto [stopped, error] = std::from_chars(digits.data(), end, size);
  if (digits.empty() || error != std::errc() || stopped != end) return std::nullopt;
  return size;
}

// Fields other than the length (there is Content-Type) say nothing that we need.
Result<std::size_t> find_length(std::string_view header) {
  std::optional<std::size_t> length;
  while (!header.empty()) {
    const std::size_t end = header.find("\r\n");
    const std::string_view line = header.substr(0, end);
    header.remove_prefix(end == std::string_view::npos ? header.size() : end + 2);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos)
      return fail(Errc::UpstreamBroken, "a message's header has a line without a colon");
    if (!equal_ignoring_case(line.substr(0, colon), kLengthName)) continue;
    if (length) return fail(Errc::UpstreamBroken, "a message's header has two lengths");
    length = parse_size(trimmed(line.substr(colon + 1)));
    if (!length) return fail(Errc::UpstreamBroken, "a message's Content-Length is no number");
  }
  if (!length) return fail(Errc::UpstreamBroken, "a message's header has no Content-Length");
  return *length;
}

json::object begin_message() {
  return {{"jsonrpc", "2.0"}};
}

}  // namespace

void RpcFrameReader::feed(std::string_view bytes) {
  if (!broken_) buffer_.append(bytes);
}

// True: the header is read.
Result<bool> RpcFrameReader::read_header() {
  const std::size_t end = buffer_.find(kHeaderEnd);
  const std::size_t size = end == std::string::npos ? buffer_.size() : end;
  const std::size_t most =
      kMostHeaderBytes + (end == std::string::npos ? kHeaderEnd.size() - 1 : 0);
  if (size > most)
    return fail(Errc::UpstreamBroken, "a message's header is longer than {} bytes",
                kMostHeaderBytes);
  if (end == std::string::npos) return false;
  const auto length = find_length(std::string_view(buffer_).substr(0, end));
  if (!length) return std::unexpected(length.error());
  if (*length > most_body_bytes_)
    return fail(Errc::UpstreamBroken, "a message of {} bytes is over the limit of {}", *length,
                most_body_bytes_);
  buffer_.erase(0, end + kHeaderEnd.size());
  body_size_ = *length;
  return true;
}

Result<std::optional<std::string>> RpcFrameReader::next() {
  if (broken_) return std::unexpected(*broken_);
  if (!body_size_) {
    const auto read = read_header();
    if (!read) {
      broken_ = read.error();
      buffer_.clear();
      return std::unexpected(*broken_);
    }
    if (!*read) return std::nullopt;
  }
  if (buffer_.size() < *body_size_) return std::nullopt;
  std::string body = buffer_.substr(0, *body_size_);
  buffer_.erase(0, *body_size_);
  body_size_.reset();
  return body;
}

std::string write_rpc_frame(std::string_view body) {
  return fmt::format("Content-Length: {}\r\n\r\n{}", body.size(), body);
}

Result<RpcMessage> parse_rpc_message(std::string_view text) {
  auto parsed = parse_json_any_utf8(text);
  if (!parsed) return std::unexpected(parsed.error());
  auto* object = parsed->if_object();
  if (!object) return fail(Errc::UpstreamBroken, "a message is no JSON object");
  const auto take = [&](std::string_view name) {
    auto* found = object->if_contains(name);
    return found ? std::move(*found) : json::value();
  };
  RpcMessage message;
  const bool has_id = object->contains("id");
  message.id = take("id");
  if (const auto* method = object->if_contains("method")) {
    if (!method->is_string()) return fail(Errc::UpstreamBroken, "a message's method is no text");
    message.kind = has_id ? RpcMessage::Kind::Request : RpcMessage::Kind::Notification;
    message.method = method->get_string();
    message.content = take("params");
    return message;
  }
  if (!has_id) return fail(Errc::UpstreamBroken, "a message has neither a method nor an id");
  message.kind = RpcMessage::Kind::Answer;
  message.is_error = object->contains("error");
  message.content = take(message.is_error ? "error" : "result");
  return message;
}

std::string write_rpc_request(std::int64_t id, std::string_view method, const json::value& params) {
  json::object message = begin_message();
  message["id"] = id;
  message["method"] = method;
  message["params"] = params;
  return write_json(message);
}

std::string write_rpc_notification(std::string_view method, const json::value& params) {
  json::object message = begin_message();
  message["method"] = method;
  message["params"] = params;
  return write_json(message);
}

std::string write_rpc_answer(const json::value& id, const Result<json::value>& result) {
  json::object message = begin_message();
  message["id"] = id;
  if (result)
    message["result"] = *result;
  else
    message["error"] = json::object{{"code", error_info(result.error().code).jsonrpc_code},
                                    {"message", result.error().message}};
  return write_json(message);
}

}  // namespace toolgate
