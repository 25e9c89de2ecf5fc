#include "tools/jsonc_outline.h"

#include <algorithm>

#include "base/json.h"

namespace toolgate {
namespace {

constexpr std::string_view kBlank = " \t\r\n";
constexpr std::string_view kEndOfScalar = " \t\r\n,:[]{}\"/";

// Behind a comment that begins here, or `offset` when none does or it never ends.
std::size_t skip_comment(std::string_view text, std::size_t offset) {
  const std::string_view rest = text.substr(offset);
  if (rest.starts_with("//")) return std::min(text.find('\n', offset), text.size());
  if (!rest.starts_with("/*")) return offset;
  const auto end = rest.find("*/", 2);
  return end == rest.npos ? offset : offset + end + 2;
}

std::size_t skip_string(std::string_view text, std::size_t offset) {
  for (++offset; offset < text.size() && text[offset] != '"'; ++offset)
    if (text[offset] == '\\') ++offset;
  return std::min(offset + 1, text.size());
}

// One string, bracket, comma, colon or scalar; always goes on, except at the end.
std::size_t skip_token(std::string_view text, std::size_t offset) {
  if (offset >= text.size()) return text.size();
  if (text[offset] == '"') return skip_string(text, offset);
  if (kEndOfScalar.contains(text[offset])) return offset + 1;
  return std::min(text.find_first_of(kEndOfScalar, offset), text.size());
}

bool opens(char c) {
  return c == '{' || c == '[';
}

bool closes(char c) {
  return c == '}' || c == ']';
}

std::size_t skip_value(std::string_view text, std::size_t offset) {
  std::size_t depth = 0;
  do {
    offset = skip_jsonc_blank(text, offset);
    if (offset == text.size()) return offset;
    if (opens(text[offset])) ++depth;
    if (closes(text[offset]) && depth > 0) --depth;
    offset = skip_token(text, offset);
  } while (depth > 0);
  return offset;
}

}  // namespace

std::size_t skip_jsonc_blank(std::string_view text, std::size_t offset) {
  for (;;) {
    offset = std::min(text.find_first_not_of(kBlank, offset), text.size());
    const std::size_t behind = skip_comment(text, offset);
    if (behind == offset) return offset;
    offset = behind;
  }
}

JsoncOutline outline_jsonc(std::string_view text, std::size_t offset) {
  JsoncOutline outline;
  outline.open = outline.close = offset = skip_jsonc_blank(text, offset);
  if (offset == text.size() || !opens(text[offset])) return outline;
  const bool has_names = text[offset] == '{';
  for (offset = skip_jsonc_blank(text, offset + 1);
       offset < text.size() && !closes(text[offset]);) {
    JsoncChild child;
    child.key = child.value = offset;
    if (has_names) {
      offset = skip_jsonc_blank(text, skip_token(text, offset));
      if (offset < text.size() && text[offset] == ':') ++offset;
      child.value = skip_jsonc_blank(text, offset);
    }
    child.value_end = skip_value(text, child.value);
    offset = skip_jsonc_blank(text, child.value_end);
    if (offset < text.size() && text[offset] == ',') {
      child.comma = offset;
      offset = skip_jsonc_blank(text, offset + 1);
    }
    outline.children.push_back(child);
  }
  outline.close = offset;
  return outline;
}

bool has_comment(std::string_view text) {
  std::size_t offset = 0;
  while (offset < text.size()) {
    if (skip_comment(text, offset) != offset) return true;
    offset = kBlank.contains(text[offset]) ? offset + 1 : skip_token(text, offset);
  }
  return false;
}

std::string_view without_bom(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  return text.starts_with(kMark) ? text.substr(kMark.size()) : text;
}

std::optional<std::string> jsonc_string(std::string_view text, std::size_t offset) {
  if (offset >= text.size() || text[offset] != '"') return std::nullopt;
  const auto parsed = parse_json(text.substr(offset, skip_string(text, offset) - offset));
  if (!parsed || !parsed->is_string()) return std::nullopt;
  return std::string(parsed->get_string());
}

}  // namespace toolgate
