// UTF-8 one character at a time, for text that may be broken anywhere.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace toolgate {

struct CodePoint {
  char32_t code = 0;
  std::size_t bytes = 1;
  bool valid = false;  // else `code` is the byte that does not belong there
};

// `at` is inside `text`.
inline CodePoint read_code_point(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t bytes = lead < 0xC2   ? 0
                            : lead < 0xE0 ? 2
                            : lead < 0xF0 ? 3
                            : lead < 0xF5 ? 4
                                          : 0;
  if (bytes == 0 || text.size() - at < bytes) return {lead, 1, false};
  char32_t code = lead & (0x7FU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return {lead, 1, false};
    code = code << 6U | (byte(i) & 0x3FU);
  }
  const bool overlong = (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000);
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (overlong || surrogate || code > 0x10FFFF) return {lead, 1, false};
  return {code, bytes, true};
}

inline void append_utf8(std::string& out, char32_t code) {
  const int more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  static constexpr unsigned char kLeads[] = {0, 0xC0, 0xE0, 0xF0};
  out += static_cast<char>(kLeads[more] | code >> (6 * more));
  for (int i = more - 1; i >= 0; --i) out += static_cast<char>(0x80U | (code >> (6 * i) & 0x3FU));
}

// As JavaScript counts characters. A byte that is no UTF-8 becomes a unit that nothing else has.
inline std::u16string to_utf16(std::string_view text) {
  std::u16string units;
  units.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = read_code_point(text, at);
    at += point.bytes;
    if (!point.valid) {
      units += static_cast<char16_t>(0xDC00 + point.code);
    } else if (point.code < 0x10000) {
      units += static_cast<char16_t>(point.code);
    } else {
      units += static_cast<char16_t>(0xD7C0 + (point.code >> 10U));
      units += static_cast<char16_t>(0xDC00 + (point.code & 0x3FFU));
    }
  }
  return units;
}

}  // namespace toolgate
