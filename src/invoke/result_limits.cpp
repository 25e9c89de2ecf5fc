#include "invoke/result_limits.h"

#include <algorithm>

#include "base/json.h"
#include "base/json_object.h"
#include "base/json_tree.h"
#include "base/utf8.h"
#include "tokens/base64.h"
#include "tokens/prompt_tsx.h"

namespace toolgate {
namespace {

// The beginning of a part that was spilled: enough to know what it is.
constexpr std::size_t kPreviewBytes = 16 << 10;

void render_tree(ToolContent& part, std::optional<std::size_t> budget, Encoding encoding) {
  JsonTree tree;
  const auto root = tree.parse(part.text);
  if (root)
    part.text = budget ? render_prompt_tsx(**root, *budget,
                                           [encoding](std::string_view text) {
                                             return count_tokens(encoding, text);
                                           })
                             .text
                       : render_prompt_tsx(**root);
  part.is_prompt_tsx = false;
}

// Part of the text, with a sentence on where the rest is.
std::string shorten(std::string_view text, std::size_t bytes, std::string_view handle) {
  const std::string_view shown = first_characters(text, bytes);
  std::string out =
      fmt::format("{}\n\n[The first {} of {} bytes.", shown, shown.size(), text.size());
  if (!handle.empty()) out += fmt::format(" All of it: {} ({} reads on)", handle, kReadResult);
  out += ']';
  return out;
}

// As many bytes as make up `most` tokens, or a little less.
std::size_t bytes_of_tokens(std::string_view text, std::size_t tokens, std::size_t most,
                            Encoding encoding) {
  while (tokens > most) {
    text = first_characters(text, text.size() * most / (tokens + 1));
    tokens = count_tokens(encoding, text);
  }
  return text.size();
}

// What the model has room for: each part takes from what those before it left.
class TokenRoom {
 public:
  TokenRoom(std::size_t tokens, Encoding encoding) : left_(tokens), encoding_(encoding) {}

  // How many bytes of the text there is room for.
  std::size_t take(std::string_view text) {
    constexpr std::size_t kOwnTokens = 60;  // of the sentence that follows what is shown
    const std::size_t tokens = count_tokens(encoding_, text);
    if (tokens <= left_) {
      left_ -= tokens;
      return text.size();
    }
    const std::size_t room = left_ - std::min(left_, kOwnTokens);
    left_ = 0;
    return bytes_of_tokens(text, tokens, room, encoding_);
  }

 private:
  std::size_t left_;
  Encoding encoding_;
};

class ResultShaper {
 public:
  ResultShaper(const ResultLimits& limits, ResultSpill* spill, std::string_view invocation_id,
               std::optional<TokenRoom> room)
      : limits_(limits), spill_(spill), invocation_id_(invocation_id), room_(std::move(room)) {}

  Result<void> shape(ToolContent& part, std::size_t index) {
    if (!part.mime_type.empty()) return shape_data(part, index);
    const std::size_t shown = shown_bytes(part);
    if (shown == part.text.size()) return {};
    const auto handle = keep(part, index);
    if (!handle) return std::unexpected(handle.error());
    part.text = shorten(part.text, shown, *handle);
    return {};
  }

 private:
  std::size_t shown_bytes(const ToolContent& part) {
    std::size_t shown = part.text.size();
    if (shown > limits_.part_bytes) shown = std::min(kPreviewBytes, limits_.part_bytes);
    return room_ && is_for_model(part) ? room_->take(first_characters(part.text, shown)) : shown;
  }

  Result<void> shape_data(ToolContent& part, std::size_t index) {
    if (part.text.size() <= limits_.part_bytes) return {};
    const auto handle = keep(part, index);
    if (!handle) return std::unexpected(handle.error());
    part.text = fmt::format("[{} bytes of {}: {}]", part.text.size(), part.mime_type, *handle);
    part.mime_type.clear();
    return {};
  }

  // Empty: there is nowhere to keep it, and it may be cut.
  Result<std::string> keep(const ToolContent& part, std::size_t index) {
    if (spill_) return spill_->keep(invocation_id_, index, part.text);
    if (part.text.size() <= limits_.part_bytes) return {};
    return fail(Errc::TooLarge,
                "the result has {} bytes in one part, and toolgate.limits.resultBytes is {}",
                part.text.size(), limits_.part_bytes);
  }

  const ResultLimits& limits_;
  ResultSpill* spill_;
  std::string_view invocation_id_;
  std::optional<TokenRoom> room_;
};

void append_part(std::string& out, const ToolContent& part) {
  JsonObjectWriter object(out);
  object.text("type", part.mime_type.empty() ? "text" : "data");
  if (part.mime_type.empty()) {
    object.text("text", part.text);
  } else {
    object.text("mimeType", part.mime_type);
    object.text("data", encode_base64(part.text));
  }
  object.end();
}

std::string indented(const json::value& value, std::size_t depth = 0) {
  const std::string inner(2 * (depth + 1), ' ');
  const std::string outer(2 * depth, ' ');
  std::string out;
  if (const auto* object = value.if_object(); object && !object->empty()) {
    for (const auto& [key, member] : *object) {
      out += out.empty() ? "{\n" : ",\n";
      out += inner;
      append_json_string(out, key);
      out += ": " + indented(member, depth + 1);
    }
    return out + '\n' + outer + '}';
  }
  if (const auto* array = value.if_array(); array && !array->empty()) {
    for (const json::value& item : *array)
      out += (out.empty() ? "[\n" : ",\n") + inner + indented(item, depth + 1);
    return out + '\n' + outer + ']';
  }
  return write_json(value);
}

}  // namespace

Result<void> shape_result(ToolResult& result, const ResultLimits& limits, ResultSpill* spill,
                          std::string_view invocation_id, std::optional<std::size_t> token_budget,
                          Encoding encoding) {
  if (result.content.size() > limits.parts)
    return fail(Errc::TooLarge, "the result has {} parts, and toolgate.limits.resultParts is {}",
                result.content.size(), limits.parts);
  if (const std::size_t bytes = content_bytes(result); bytes > limits.total_bytes)
    return fail(Errc::TooLarge,
                "the result has {} bytes, and toolgate.limits.resultTotalBytes is {}", bytes,
                limits.total_bytes);
  std::optional<TokenRoom> room;  // a token has a byte at least
  if (token_budget && content_bytes(result) > *token_budget) room.emplace(*token_budget, encoding);
  ResultShaper shaper(limits, spill, invocation_id, room);
  for (std::size_t i = 0; i < result.content.size(); ++i) {
    ToolContent& part = result.content[i];
    if (part.is_prompt_tsx) render_tree(part, token_budget, encoding);
    if (part.mime_type.empty()) part.text = mend_utf8(part.text);
    if (auto shaped = shaper.shape(part, i); !shaped) return shaped;
  }
  return {};
}

bool is_for_model(const ToolContent& part) {
  return part.audience.empty() ||
         std::ranges::find(part.audience, ToolContent::Audience::Assistant) != part.audience.end();
}

std::string write_content(const ToolResult& result, bool for_model) {
  std::string out;
  out.reserve(content_bytes(result) + 40 * result.content.size() + 40);
  out += R"({"content":[)";
  for (const ToolContent& part : result.content) {
    if (for_model && !is_for_model(part)) continue;
    if (out.back() == '}') out += ',';
    append_part(out, part);
  }
  out += result.is_error ? R"(],"isError":true})" : "]}";
  return out;
}

std::size_t content_bytes(const ToolResult& result) {
  std::size_t bytes = 0;
  for (const ToolContent& part : result.content) bytes += part.text.size();
  return bytes;
}

bool wants_details(const ToolResult& result, bool always_display) {
  return result.details.empty() &&
         (always_display || std::ranges::any_of(result.content, [](const ToolContent& part) {
            return part.mime_type.starts_with("image/");
          }));
}

std::string write_details(const ToolResult& result, std::string_view input_json, bool is_error) {
  json::array output;
  for (const ToolContent& part : result.content) {
    const bool is_text = part.mime_type.empty();
    json::object item{{"type", "embed"},
                      {"value", is_text ? part.text : encode_base64(part.text)},
                      {"isText", is_text}};
    if (!is_text) item["mimeType"] = part.mime_type;
    output.push_back(std::move(item));
  }
  const auto input = parse_json(input_json);
  json::object out{{"input", input ? indented(*input) : std::string(input_json)},
                   {"output", std::move(output)}};
  if (is_error) out["isError"] = true;
  return write_json(json::value(std::move(out)));
}

}  // namespace toolgate
