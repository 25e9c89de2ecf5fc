#include "invoke/result_limits.h"

#include <algorithm>

#include "base/json.h"
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

std::string_view whole_characters(std::string_view text, std::size_t most) {
  std::size_t end = std::min(most, text.size());
  while (end > 0 && end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
    --end;
  return text.substr(0, end);
}

Result<void> spill_part(ToolContent& part, std::size_t index, ResultSpill* spill,
                        std::string_view invocation_id, std::size_t limit) {
  if (!spill)
    return fail(Errc::TooLarge,
                "the result has {} bytes in one part, and toolgate.limits.resultBytes is {}",
                part.text.size(), limit);
  const auto handle = spill->keep(invocation_id, index, part.text);
  if (!handle) return std::unexpected(handle.error());
  const std::size_t size = part.text.size();
  if (part.mime_type.empty()) {
    const std::string_view shown = whole_characters(part.text, std::min(kPreviewBytes, limit));
    part.text = fmt::format("{}\n\n[The first {} of {} bytes. All of it: {}]", shown, shown.size(),
                            size, *handle);
  } else {
    part.text = fmt::format("[{} bytes of {}: {}]", size, part.mime_type, *handle);
    part.mime_type.clear();
  }
  return {};
}

bool is_for_model(const ToolContent& part) {
  return part.audience.empty() ||
         std::ranges::find(part.audience, ToolContent::Audience::Assistant) != part.audience.end();
}

json::object content_part(const ToolContent& part) {
  if (part.mime_type.empty()) return {{"type", "text"}, {"text", part.text}};
  return {{"type", "data"}, {"mimeType", part.mime_type}, {"data", encode_base64(part.text)}};
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
  for (std::size_t i = 0; i < result.content.size(); ++i) {
    ToolContent& part = result.content[i];
    if (part.is_prompt_tsx) render_tree(part, token_budget, encoding);
    if (part.mime_type.empty()) part.text = mend_utf8(part.text);
    if (part.text.size() <= limits.part_bytes) continue;
    if (auto spilled = spill_part(part, i, spill, invocation_id, limits.part_bytes); !spilled)
      return spilled;
  }
  return {};
}

std::string write_content(const ToolResult& result, bool for_model) {
  json::array content;
  for (const ToolContent& part : result.content)
    if (!for_model || is_for_model(part)) content.push_back(content_part(part));
  json::object out{{"content", std::move(content)}};
  if (result.is_error) out["isError"] = true;
  return write_json(json::value(std::move(out)));
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
