#include "hosts/http_tool_result.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/ascii.h"
#include "base/json_tree.h"
#include "base/utf8.h"
#include "net/http_status.h"
#include "tokens/base64.h"
#include "toolgate/function_tool.h"

namespace toolgate {
namespace {

using Kind = JsonNode::Kind;

constexpr std::array<std::string_view, 9> kTextTypes{
    "application/json",  "application/xml",     "application/javascript",
    "application/yaml",  "application/x-yaml",  "application/x-ndjson",
    "application/jsonl", "application/graphql", "application/x-www-form-urlencoded",
};

// "text/html; charset=utf-8" is "text/html".
std::string media_type(std::string_view content_type) {
  content_type = content_type.substr(0, content_type.find(';'));
  std::string type;
  for (const char c : content_type)
    if (c != ' ' && c != '\t') type += ascii_lower(c);
  return type;
}

bool is_media_type(std::string_view text) {
  const std::size_t slash = text.find('/');
  return slash != text.npos && slash > 0 && slash + 1 < text.size() &&
         text.find('/', slash + 1) == text.npos && std::ranges::all_of(text, [](char c) {
           return is_ascii_letter_or_digit(c) || std::string_view("!#$&-^_.+/").contains(c);
         });
}

bool is_json(std::string_view type) {
  return type == "application/json" || type.ends_with("+json");
}

std::optional<std::string> decode_base64(std::string_view text) {
  const std::size_t digits = text.find_last_not_of('=') + 1;
  std::string bytes = decode_base64_prefix(text, text.size());
  if (digits % 4 == 1 || bytes.size() != base64_bytes(text)) return std::nullopt;
  return bytes;
}

std::optional<ToolContent> read_part(const JsonNode& part) {
  const auto member = [&part](std::string_view name) -> std::optional<std::string_view> {
    const JsonNode* found = part.find(name);
    if (found == nullptr || !found->is(Kind::String)) return std::nullopt;
    return found->text;
  };
  const auto type = member("type");
  const auto text = member("text");
  if (type == "text" && text) return ToolContent{.text = std::string(*text)};
  const auto mime_type = member("mimeType");
  const auto data = member("data");
  if ((type != "data" && type != "image") || !mime_type || !data) return std::nullopt;
  auto bytes = decode_base64(*data);
  if (!bytes || !is_media_type(*mime_type)) return std::nullopt;
  return ToolContent{.text = std::move(*bytes), .mime_type = std::string(*mime_type)};
}

// Nothing unless all of it is of that form: then it is some JSON, and the model sees all of it.
std::optional<ToolResult> read_content_form(std::string_view body) {
  JsonTree tree;
  const auto root = tree.parse(body);
  if (!root) return std::nullopt;
  const JsonNode* content = (*root)->find("content");
  const JsonNode* is_error = (*root)->find("isError");
  if (content == nullptr || !content->is(Kind::Array)) return std::nullopt;
  if (is_error != nullptr && !is_error->is(Kind::Bool)) return std::nullopt;
  if ((*root)->size != (is_error != nullptr ? 2 : 1)) return std::nullopt;
  ToolResult result;
  result.is_error = is_error != nullptr && is_error->truth;
  for (const JsonNode* item = content->first; item != nullptr; item = item->next) {
    auto part = read_part(*item);
    if (!part) return std::nullopt;
    result.content.push_back(std::move(*part));
  }
  return result;
}

ToolResult map_failure(HttpToolAnswer answer) {
  std::string text = fmt::format("HTTP {} {}", answer.status, http_reason(answer.status));
  if (answer.status >= 300 && answer.status < 400)
    text = fmt::format("HTTP {}: redirects are followed for GET only, where a Location says so",
                       answer.status);
  if (answer.body.empty()) {
    // Nothing more to say.
  } else if (!is_text(answer)) {
    text += fmt::format("\n(the body is data of type {})", media_type(answer.content_type));
  } else {
    std::string_view shown = std::string_view(answer.body).substr(0, kShownErrorBytes);
    const bool cut = shown.size() < answer.body.size();
    if (cut) shown.remove_suffix(incomplete_utf8_tail(shown));
    text.append("\n").append(mend_utf8(shown)).append(cut ? "\n(cut off here)" : "");
  }
  ToolResult result = text_result(std::move(text));
  result.is_error = true;
  return result;
}

}  // namespace

bool is_text(const HttpToolAnswer& answer) {
  const std::string type = media_type(answer.content_type);
  if (type.empty()) return is_valid_utf8(answer.body) && !answer.body.contains('\0');
  return type.starts_with("text/") || is_json(type) || type.ends_with("+xml") ||
         type.ends_with("+yaml") || std::ranges::find(kTextTypes, type) != kTextTypes.end();
}

ToolResult map_http_answer(HttpToolAnswer answer) {
  if (answer.status < 200 || answer.status > 299) return map_failure(std::move(answer));
  if (answer.body.empty()) return text_result({});
  std::string type = media_type(answer.content_type);
  if (!is_text(answer)) {
    ToolResult result;
    if (!is_media_type(type)) type = "application/octet-stream";
    result.content.push_back({.text = std::move(answer.body), .mime_type = std::move(type)});
    return result;
  }
  std::string text = is_valid_utf8(answer.body) ? std::move(answer.body) : mend_utf8(answer.body);
  if (is_json(type))
    if (auto result = read_content_form(text)) return std::move(*result);
  return text_result(std::move(text));
}

}  // namespace toolgate
