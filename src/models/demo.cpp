// The demo's replies as a whole answer and as chunks, complete as OpenAI's are.
#include "models/demo.h"

#include <algorithm>
#include <cstdint>

#include "base/clock.h"
#include "base/json.h"
#include "models/demo_script.h"
#include "models/token_meter.h"
#include "wire/json_padding.h"

namespace toolgate {
namespace {

std::uint64_t hash(std::string_view text) {
  std::uint64_t value = 0xcbf29ce484222325;  // FNV-1a
  for (const unsigned char byte : text) value = (value ^ byte) * 0x100000001b3;
  return value;
}

std::string quote(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

bool is_word_border(std::string_view text, std::size_t at) {
  return at == text.size() || (text[at - 1] == ' ' && text[at] != ' ');
}

bool is_character_border(std::string_view text, std::size_t at) {
  return at == text.size() || (static_cast<unsigned char>(text[at]) & 0xC0) != 0x80;
}

// Pieces of at least `least` bytes that end at a border.
std::vector<std::string_view> split(std::string_view text, std::size_t least,
                                    bool (*is_border)(std::string_view, std::size_t)) {
  std::vector<std::string_view> pieces;
  while (!text.empty()) {
    std::size_t end = std::min(least, text.size());
    while (!is_border(text, end)) ++end;
    pieces.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return pieces;
}

// One reply in OpenAI's two forms.
class DemoWriter {
 public:
  DemoWriter(const ChatRequest& request, std::string_view model, DemoReply reply)
      : request_(request), model_(model), reply_(std::move(reply)), hash_(hash(request.body)) {}

  std::string whole() const {
    std::string message = R"({"role":"assistant","content":)";
    message += reply_.text.empty() ? "null" : quote(reply_.text);
    message += R"(,"refusal":null)";
    for (std::size_t i = 0; i < reply_.calls.size(); ++i) {
      message += i == 0 ? R"(,"tool_calls":[)" : ",";
      message +=
          fmt::format(R"({{"id":"{}","type":"function","function":{{"name":{},"arguments":{}}}}})",
                      call_id(i), quote(reply_.calls[i].name), quote(reply_.calls[i].arguments));
    }
    message += reply_.calls.empty() ? "}" : "]}";
    return fmt::format(
        R"({}"choices":[{{"index":0,"message":{},"logprobs":null,"finish_reason":"{}"}}],"usage":{}}})",
        head("chat.completion"), message, finish_reason(), usage());
  }

  std::vector<std::string> chunks() const {
    std::vector<std::string> out;
    out.push_back(chunk(R"({"role":"assistant","content":"","refusal":null})"));
    for (const auto piece : split(reply_.text, 12, is_word_border))
      out.push_back(chunk(fmt::format(R"({{"content":{}}})", quote(piece))));
    for (std::size_t i = 0; i < reply_.calls.size(); ++i) append_call(i, out);
    out.push_back(chunk("{}", quote(finish_reason())));
    if (request_.include_usage)
      out.push_back(
          fmt::format(R"({}"choices":[],"usage":{}}})", head("chat.completion.chunk"), usage()));
    out.push_back("[DONE]");
    return out;
  }

 private:
  std::string head(std::string_view object) const {
    return fmt::format(R"({{"id":"chatcmpl-demo{:016x}","object":"{}","created":{},"model":"{}",)",
                       hash_, object, created_, model_);
  }

  std::string chunk(std::string_view delta, std::string_view finish = "null") const {
    return fmt::format(
        R"({}"choices":[{{"index":0,"delta":{},"logprobs":null,"finish_reason":{}}}]{}}})",
        head("chat.completion.chunk"), delta, finish,
        request_.include_usage ? R"(,"usage":null)" : "");
  }

  // The name first, then the arguments in pieces, as real models do.
  void append_call(std::size_t number, std::vector<std::string>& out) const {
    const auto& call = reply_.calls[number];
    out.push_back(chunk(fmt::format(
        R"({{"tool_calls":[{{"index":{},"id":"{}","type":"function","function":{{"name":{},"arguments":""}}}}]}})",
        number, call_id(number), quote(call.name))));
    for (const auto piece : split(call.arguments, 16, is_character_border))
      out.push_back(
          chunk(fmt::format(R"({{"tool_calls":[{{"index":{},"function":{{"arguments":{}}}}}]}})",
                            number, quote(piece))));
  }

  std::string call_id(std::size_t number) const {
    return fmt::format("call_demo{:016x}{}", hash_, number);
  }

  std::string_view finish_reason() const {
    if (!reply_.calls.empty()) return "tool_calls";
    return reply_.cut ? "length" : "stop";
  }

  std::string usage() const {
    const auto meter = make_token_meter(request_, Encoding::O200kBase);
    meter->add_output(0, reply_.text);
    for (const auto& call : reply_.calls) {
      meter->add_output(0, call.name);
      meter->add_output(0, call.arguments);
    }
    const std::int64_t prompt = meter->prompt_tokens();
    const std::int64_t completion = meter->output_tokens();
    return fmt::format(R"({{"prompt_tokens":{},"completion_tokens":{},"total_tokens":{}}})", prompt,
                       completion, prompt + completion);
  }

  const ChatRequest& request_;
  std::string_view model_;
  DemoReply reply_;
  std::uint64_t hash_;
  std::int64_t created_ = unix_seconds();
};

class PreparedChunks final : public ChunkSource {
 public:
  explicit PreparedChunks(std::vector<std::string> chunks) : chunks_(std::move(chunks)) {
    for (auto& chunk : chunks_) chunk.append(kJsonPadding, '\0');
  }

  Result<std::optional<std::string_view>> next() override {
    if (at_ == chunks_.size()) return std::nullopt;
    const auto& chunk = chunks_[at_++];
    return std::string_view(chunk).substr(0, chunk.size() - kJsonPadding);
  }

  Task<Result<bool>> fill(const Cancel&) override { co_return false; }

 private:
  std::vector<std::string> chunks_;
  std::size_t at_ = 0;
};

class DemoProvider final : public ChatProvider {
 public:
  explicit DemoProvider(std::string id) {
    info_.id = std::move(id);
    info_.owned_by = "toolgate";
    info_.family = "demo";
    info_.provider = "demo";
  }

  const ModelInfo& info() const override { return info_; }

  Task<Result<ProviderReply>> answer(ProviderCall call, const Cancel& cancel) const override {
    if (cancel.requested()) co_return fail(Errc::Cancelled, "the request was cancelled");
    auto reply = make_demo_reply(call.request);
    if (!reply) co_return std::unexpected(reply.error());
    const DemoWriter writer(call.request, info_.id, std::move(*reply));
    ProviderReply out;
    if (call.request.stream) {
      out.body = std::make_unique<PreparedChunks>(writer.chunks());
    } else {
      out.body = writer.whole();
    }
    co_return out;
  }

 private:
  ModelInfo info_;
};

}  // namespace

std::unique_ptr<ChatProvider> make_demo_provider(std::string id) {
  return std::make_unique<DemoProvider>(std::move(id));
}

}  // namespace toolgate
