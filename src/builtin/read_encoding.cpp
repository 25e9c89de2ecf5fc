#include "builtin/read_encoding.h"

#include <algorithm>

#include "base/utf8.h"
#include "invoke/code_points.h"

namespace toolgate {
namespace {

using std::string_view_literals::operator""sv;

constexpr char32_t kReplacement = 0xFFFD;

bool is_high_surrogate(char32_t unit) {
  return unit >= 0xD800 && unit < 0xDC00;
}
bool is_low_surrogate(char32_t unit) {
  return unit >= 0xDC00 && unit < 0xE000;
}

bool has_whole_character(std::string_view bytes) {
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    const auto lead = static_cast<unsigned char>(bytes[at]);
    const std::size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 1;
    if (size > 1 && at + size <= bytes.size() && is_valid_utf8(bytes.substr(at, size))) return true;
  }
  return false;
}

}  // namespace

ReadEncoding find_encoding(std::string_view beginning) {
  if (beginning.starts_with("\xEF\xBB\xBF"sv)) return ReadEncoding::Utf8WithMark;
  if (beginning.starts_with("\xFF\xFE\0\0"sv)) return ReadEncoding::Utf8;  // UTF-32: not read
  if (beginning.starts_with("\xFF\xFE"sv)) return ReadEncoding::Utf16Little;
  if (beginning.starts_with("\xFE\xFF"sv)) return ReadEncoding::Utf16Big;
  return ReadEncoding::Utf8;
}

std::size_t mark_bytes(ReadEncoding encoding) {
  if (encoding == ReadEncoding::Utf8) return 0;
  return encoding == ReadEncoding::Utf8WithMark ? 3 : 2;
}

bool is_wide(ReadEncoding encoding) {
  return encoding == ReadEncoding::Utf16Little || encoding == ReadEncoding::Utf16Big;
}

bool is_binary(std::string_view beginning) {
  return !is_wide(find_encoding(beginning)) && beginning.substr(0, kBytesToJudge).contains('\0');
}

std::string decode_utf16(std::string_view bytes, bool is_big) {
  const auto unit_at = [&](std::size_t at) -> char32_t {
    const auto first = static_cast<unsigned char>(bytes[at]);
    const auto second = static_cast<unsigned char>(bytes[at + 1]);
    return is_big ? first << 8 | second : second << 8 | first;
  };
  std::string out;
  out.reserve(bytes.size());
  std::size_t at = 0;
  while (at + 2 <= bytes.size()) {
    const char32_t unit = unit_at(at);
    at += 2;
    if (is_high_surrogate(unit) && at + 2 <= bytes.size() && is_low_surrogate(unit_at(at))) {
      append_utf8(out, 0x10000 + ((unit - 0xD800) << 10) + (unit_at(at) - 0xDC00));
      at += 2;
    } else {
      append_utf8(out, unit >= 0xD800 && unit < 0xE000 ? kReplacement : unit);
    }
  }
  if (at < bytes.size()) append_utf8(out, kReplacement);
  return out;
}

ReadableText make_readable(std::string bytes) {
  if (is_valid_utf8(bytes)) return {std::move(bytes), ReadableText::As::Itself};
  if (has_whole_character(bytes)) return {mend_utf8(bytes), ReadableText::As::Mended};
  std::string text;
  text.reserve(bytes.size() + bytes.size() / 8);
  for (const char byte : bytes) append_utf8(text, static_cast<unsigned char>(byte));
  return {std::move(text), ReadableText::As::Latin1};
}

}  // namespace toolgate
