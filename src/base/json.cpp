// Parsing with positions in the errors, and a writer of our own: Boost.JSON 1.81 writes 0.7 as
// 7E-1.
#include "base/json.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>

#include <boost/json/parser.hpp>

namespace toolgate {
namespace {

// `shown` is what the caller gave, of the same length: places in messages are places in it.
Result<json::value> parse_with(json::parse_options options, std::string_view text,
                               std::string_view shown) {
  options.max_depth = kMaxJsonDepth;
  json::parser parser({}, options);
  json::error_code error;
  std::size_t parsed = parser.write_some(text.data(), text.size(), error);
  if (!error && parsed < text.size()) error = json::error::extra_data;
  if (error) {
    const TextPosition at = text_position(shown, parsed);
    return fail(Errc::InvalidJson, "not valid JSON: {} at line {}, column {}", error.message(),
                at.line, at.column);
  }
  return parser.release();
}

// Behind the comment that begins at `at`; `at` itself when none does or it never ends.
std::size_t end_of_comment(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  if (rest.starts_with("//")) return std::min(text.find('\n', at), text.size());
  const auto end = rest.starts_with("/*") ? rest.find("*/", 2) : rest.npos;
  return end == rest.npos ? at : at + end + 2;
}

// Each comment becomes as many blanks. Boost.JSON 1.81 reads comments, but not the end of one in
// `**/`: it would pass over what follows, up to the next comment, without a word.
std::string blank_comments(std::string_view text) {
  std::string out(text);
  for (std::size_t at = text.find_first_of("\"/"); at < text.size();
       at = text.find_first_of("\"/", at)) {
    if (text[at] == '"') {
      for (++at; at < text.size() && text[at] != '"'; ++at)
        if (text[at] == '\\') ++at;
      ++at;
      continue;
    }
    const std::size_t end = end_of_comment(text, at);
    if (end == at) return out;  // the parser will say so
    std::fill(out.begin() + static_cast<std::ptrdiff_t>(at),
              out.begin() + static_cast<std::ptrdiff_t>(end), ' ');
    at = end;
  }
  return out;
}

void append_double(std::string& out, double number) {
  if (!std::isfinite(number)) {
    out += "null";
    return;
  }
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  const std::string_view text(digits.data(), static_cast<std::size_t>(end - digits.data()));
  out += text;
  // Without this it would read back as an integer.
  if (text.find_first_of(".e") == std::string_view::npos) out += ".0";
}

template <class Integer>
void append_integer(std::string& out, Integer number) {
  std::array<char, 24> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  out.append(digits.data(), end);
}

void append_object(std::string& out, const json::object& object) {
  out += '{';
  bool first = true;
  for (const auto& member : object) {
    if (!first) out += ',';
    first = false;
    append_json_string(out, {member.key().data(), member.key().size()});
    out += ':';
    append_json(out, member.value());
  }
  out += '}';
}

void append_array(std::string& out, const json::array& array) {
  out += '[';
  bool first = true;
  for (const json::value& item : array) {
    if (!first) out += ',';
    first = false;
    append_json(out, item);
  }
  out += ']';
}

// True when the byte cannot stand as it is in a JSON string.
bool needs_escape(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\' || c == 0x7F;
}

// How many bytes stand before the first that needs an escape, sixteen at a time.
std::size_t length_without_escapes(std::string_view text) {
  using Bytes = unsigned char __attribute__((ext_vector_type(16)));
  using Bits = bool __attribute__((ext_vector_type(16)));
  std::size_t at = 0;
  for (; at + sizeof(Bytes) <= text.size(); at += sizeof(Bytes)) {
    Bytes bytes;
    std::memcpy(&bytes, text.data() + at, sizeof bytes);
    const auto lanes = (bytes < 0x20) | (bytes == '"') | (bytes == '\\') | (bytes == 0x7f);
    const auto found = std::bit_cast<std::uint16_t>(__builtin_convertvector(lanes, Bits));
    if (found != 0) return at + static_cast<std::size_t>(std::countr_zero(found));
  }
  while (at < text.size() && !needs_escape(text[at])) ++at;
  return at;
}

void append_escaped(std::string& out, char c) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    case '\b':
      out += "\\b";
      return;
    case '\f':
      out += "\\f";
      return;
    default:
      break;
  }
  out += "\\u00";
  out += kDigits[static_cast<unsigned char>(c) >> 4U];
  out += kDigits[static_cast<unsigned char>(c) & 15U];
}

}  // namespace

Result<json::value> parse_json(std::string_view text) {
  return parse_with({}, text, text);
}

Result<json::value> parse_json_any_utf8(std::string_view text) {
  json::parse_options options;
  options.allow_invalid_utf8 = true;
  return parse_with(options, text, text);
}

Result<json::value> parse_jsonc(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  json::parse_options options;
  options.allow_trailing_commas = true;
  return parse_with(options, blank_comments(text), text);
}

std::string write_json(const json::value& value) {
  std::string out;
  append_json(out, value);
  return out;
}

void append_json(std::string& out, const json::value& value) {
  switch (value.kind()) {
    case json::kind::null:
      out += "null";
      return;
    case json::kind::bool_:
      out += value.get_bool() ? "true" : "false";
      return;
    case json::kind::int64:
      append_integer(out, value.get_int64());
      return;
    case json::kind::uint64:
      append_integer(out, value.get_uint64());
      return;
    case json::kind::double_:
      append_double(out, value.get_double());
      return;
    case json::kind::string:
      append_json_string(out, value.get_string());
      return;
    case json::kind::array:
      append_array(out, value.get_array());
      return;
    case json::kind::object:
      append_object(out, value.get_object());
      return;
  }
}

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  while (true) {
    const std::size_t plain = length_without_escapes(text);
    out.append(text.substr(0, plain));
    if (plain == text.size()) break;
    append_escaped(out, text[plain]);
    text.remove_prefix(plain + 1);
  }
  out += '"';
}

const json::value* find(const json::value& value, std::string_view key) {
  const json::object* object = value.if_object();
  return object == nullptr ? nullptr : object->if_contains(key);
}

TextPosition text_position(std::string_view text, std::size_t offset) {
  TextPosition position;
  for (const char c : text.substr(0, offset)) {
    if (c == '\n') {
      ++position.line;
      position.column = 1;
    } else if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80) {
      ++position.column;
    }
  }
  return position;
}

}  // namespace toolgate
