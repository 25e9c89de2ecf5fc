// Surrogates travel as three bytes (ED A0..BF xx), which no valid UTF-8 contains.
#include "wire/text_carry.h"

#include <charconv>
#include <cstdint>

#include "base/utf8.h"

namespace toolgate {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

bool is_high(std::uint32_t unit) {
  return unit >= 0xD800 && unit < 0xDC00;
}
bool is_low(std::uint32_t unit) {
  return unit >= 0xDC00 && unit < 0xE000;
}

// The unit of \uXXXX at the start of `text`, or 0.
std::uint32_t escaped_unit(std::string_view text) {
  if (text.size() < 6 || !text.starts_with("\\u")) return 0;
  std::uint32_t unit = 0;
  const auto [end, error] = std::from_chars(text.data() + 2, text.data() + 6, unit, 16);
  return error == std::errc{} && end == text.data() + 6 ? unit : 0;
}

// The surrogate in three bytes at the start of `text`, or 0.
std::uint32_t encoded_surrogate(std::string_view text) {
  if (text.size() < 3 || text[0] != '\xED') return 0;
  const auto second = static_cast<std::uint8_t>(text[1]);
  const auto third = static_cast<std::uint8_t>(text[2]);
  if (second < 0xA0 || second > 0xBF || (third & 0xC0U) != 0x80) return 0;
  return 0xD000U | (second & 0x3FU) << 6U | (third & 0x3FU);
}

void append_surrogate(std::string& out, std::uint32_t unit) {
  out += '\xED';
  out += static_cast<char>(0x80U | ((unit >> 6U) & 0x3FU));
  out += static_cast<char>(0x80U | (unit & 0x3FU));
}

void append_pair(std::string& out, std::uint32_t high, std::uint32_t low) {
  const std::uint32_t point = 0x10000 + ((high - 0xD800) << 10U) + (low - 0xDC00);
  out += static_cast<char>(0xF0U | point >> 18U);
  out += static_cast<char>(0x80U | ((point >> 12U) & 0x3FU));
  out += static_cast<char>(0x80U | ((point >> 6U) & 0x3FU));
  out += static_cast<char>(0x80U | (point & 0x3FU));
}

std::size_t kept_back(std::string_view text) {
  if (text.size() >= 3 && is_high(encoded_surrogate(text.substr(text.size() - 3)))) return 3;
  return incomplete_utf8_tail(text);
}

}  // namespace

std::string unescape_lone_surrogates(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (std::size_t at = 0; at < json.size();) {
    const std::uint32_t unit = escaped_unit(json.substr(at));
    if (is_high(unit) && is_low(escaped_unit(json.substr(at + 6)))) {
      out += json.substr(at, 12);
      at += 12;
    } else if (is_high(unit) || is_low(unit)) {
      append_surrogate(out, unit);
      at += 6;
    } else {
      const std::size_t length = json[at] == '\\' ? 2 : 1;
      out += json.substr(at, length);
      at += length;
    }
  }
  return out;
}

std::string mend_text(std::string_view text) {
  if (is_valid_utf8(text)) return std::string(text);
  std::string joined;
  joined.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::uint32_t unit = encoded_surrogate(text.substr(at));
    if (unit == 0) {
      joined += text[at++];
      continue;
    }
    const std::uint32_t next = encoded_surrogate(text.substr(at + 3));
    const bool pair = is_high(unit) && is_low(next);
    if (pair)
      append_pair(joined, unit, next);
    else
      joined += kReplacement;
    at += pair ? 6 : 3;
  }
  return mend_utf8(joined);
}

std::string TextCarry::join(std::string_view piece) {
  if (tail_.empty() && is_valid_utf8(piece)) return std::string(piece);
  std::string text = std::move(tail_);
  text += piece;
  const std::size_t kept = kept_back(text);
  tail_ = text.substr(text.size() - kept);
  text.resize(text.size() - kept);
  return mend_text(text);
}

std::string TextCarry::flush() {
  if (tail_.empty()) return {};
  tail_.clear();
  return std::string(kReplacement);
}

}  // namespace toolgate
