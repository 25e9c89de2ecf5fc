#include "models/openai.h"

#include "base/ids.h"
#include "wire/sse.h"

namespace toolgate {
namespace {

// How long the end of a stream is awaited once every choice has finished.
constexpr std::chrono::milliseconds kTailTime{5'000};
constexpr std::size_t kErrorBodyBytes = 1 << 20;
constexpr std::size_t kMostBlankReads = 1'000;

bool is_passed_on(std::string_view name) {
  for (const std::string_view exact : {"retry-after", "retry-after-ms"})
    if (equal_ignoring_case(name, exact)) return true;
  for (const std::string_view prefix : {"x-ratelimit-", "openai-"})
    if (name.size() > prefix.size() && equal_ignoring_case(name.substr(0, prefix.size()), prefix))
      return true;
  return false;
}

class SseChunks final : public ChunkSource {
 public:
  SseChunks(std::unique_ptr<HttpResponse> response, std::string_view begun,
            std::size_t max_event_bytes)
      : response_(std::move(response)), reader_(max_event_bytes) {
    reader_.feed(begun);
  }

  Result<std::optional<std::string_view>> next() override {
    auto event = ended_ ? reader_.finish() : reader_.next();
    if (!event) return std::unexpected(event.error());
    if (!*event) return std::nullopt;
    return (*event)->data;
  }

  Task<Result<bool>> fill(const Cancel& cancel) override {
    if (ended_) co_return false;
    received_.clear();
    auto more = co_await response_->read_some(received_, cancel);
    if (!more) co_return std::unexpected(more.error());
    if (!*more) ended_ = true;
    reader_.feed(received_);
    // An event that no blank line closed is given out once by finish().
    co_return *more || !std::exchange(last_call_, true);
  }

  void expect_end() override { response_->set_idle_time(kTailTime); }

  void discard_rest() override {
    ended_ = true;
    HttpResponse::drain(std::move(response_));
  }

 private:
  std::unique_ptr<HttpResponse> response_;
  SseReader reader_;
  std::string received_;
  bool ended_ = false;
  bool last_call_ = false;
};

class OpenAiProvider final : public ChatProvider {
 public:
  explicit OpenAiProvider(OpenAiOptions options) : options_(std::move(options)) {
    head_ = fmt::format(
        "POST {}/chat/completions HTTP/1.1\r\nHost: {}\r\nUser-Agent: toolgate\r\nVia: 1.1 {}\r\n"
        "Content-Type: application/json\r\n",
        options_.address.path, options_.address.authority, instance_name());
    if (!options_.api_key.empty())
      head_ += fmt::format("Authorization: Bearer {}\r\n", options_.api_key);
  }

  const ModelInfo& info() const override { return options_.info; }

  Task<Result<ProviderReply>> answer(ProviderCall call, const Cancel& cancel) const override {
    const std::string& model =
        options_.upstream_model.empty() ? call.request.model : options_.upstream_model;
    const UpstreamBody body = make_upstream_body(call.request, model);
    std::string head = head_;
    head.append("Accept: ")
        .append(call.request.stream ? "text/event-stream" : "application/json")
        .append("\r\nX-Request-Id: ")
        .append(call.request_id)
        .append("\r\nContent-Length: ")
        .append(std::to_string(body.size))
        .append("\r\n");
    if (call.trace) head.append(write_trace_headers(*call.trace));
    head.append("\r\n");
    auto response = co_await call.client.send(
        {options_.address, "POST", head, body.slices, options_.times}, cancel);
    if (!response) co_return std::unexpected(response.error());
    co_return co_await read_reply(std::move(*response), call.request.stream, cancel);
  }

 private:
  // Some upstreams repeat the key they refuse; it is ours and not the client's to see.
  void hide_key(std::string& text) const {
    constexpr std::string_view kHidden = "(the gateway's key)";
    if (options_.api_key.empty()) return;
    for (std::size_t at = 0; (at = text.find(options_.api_key, at)) != text.npos;
         at += kHidden.size())
      text.replace(at, options_.api_key.size(), kHidden);
  }

  Task<Result<ProviderReply>> read_reply(std::unique_ptr<HttpResponse> response, bool stream,
                                         const Cancel& cancel) const {
    ProviderReply reply;
    reply.status = response->status();
    if (reply.status > 599)
      co_return fail(Errc::UpstreamBroken, "the upstream answered with status {}", reply.status);
    response->head().for_each([&](std::string_view name, std::string_view value) {
      if (is_passed_on(name)) reply.headers.emplace_back(name, value);
    });
    const auto encoding = response->head().find("content-encoding");
    if (encoding && !equal_ignoring_case(*encoding, "identity"))
      co_return fail(Errc::UpstreamBroken,
                     "the upstream compressed its answer ({}) although that was not asked for",
                     *encoding);
    if (stream && reply.status == 200) {
      std::string begun;
      auto looks = co_await looks_like_json(*response, begun, cancel);
      if (!looks) co_return std::unexpected(looks.error());
      if (!*looks) {
        reply.body =
            std::make_unique<SseChunks>(std::move(response), begun, options_.stream_event_bytes);
        co_return reply;
      }
      auto rest = co_await response->read_all(options_.answer_bytes, cancel);
      if (!rest) co_return std::unexpected(rest.error());
      reply.body = begun + *rest;
      co_return reply;
    }
    const std::size_t limit = reply.status == 200 ? options_.answer_bytes : kErrorBodyBytes;
    auto body = co_await response->read_all(limit, cancel);
    // What an error says may be too long or cut off; that it is one is known all the same.
    if (!body && (reply.status < 400 || cancel.requested()))
      co_return std::unexpected(body.error());
    if (body && reply.status >= 400) hide_key(*body);
    reply.body = body ? std::move(*body) : std::string();
    co_return reply;
  }

  // Some upstreams answer a stream request with one JSON document, whatever the content type says;
  // the first character that counts tells. What was read is left in `begun`.
  static Task<Result<bool>> looks_like_json(HttpResponse& response, std::string& begun,
                                            const Cancel& cancel) {
    for (std::size_t reads = 0; reads < kMostBlankReads; ++reads) {
      auto more = co_await response.read_some(begun, cancel);
      if (!more) co_return std::unexpected(more.error());
      begun.erase(0, begun.find_first_not_of(" \t\r\n"));
      if (!begun.empty()) co_return begun[0] == '{' || begun[0] == '[';
      if (!*more) co_return false;
    }
    co_return fail(Errc::UpstreamBroken, "the upstream sends nothing but white space");
  }

  OpenAiOptions options_;
  std::string head_;  // what every request begins with
};

}  // namespace

std::unique_ptr<ChatProvider> make_openai_provider(OpenAiOptions options) {
  return std::make_unique<OpenAiProvider>(std::move(options));
}

}  // namespace toolgate
