#include "tokens/base64.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"

namespace toolgate {
namespace {

// The value of each digit, both alphabets; -1 for anything else.
constexpr auto kDigits = [] {
  std::array<signed char, 256> values{};
  values.fill(-1);
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t i = 0; i < kAlphabet.size(); ++i)
    values[static_cast<unsigned char>(kAlphabet[i])] = static_cast<signed char>(i);
  values['-'] = 62;
  values['_'] = 63;
  return values;
}();

}  // namespace

std::string encode_base64(std::string_view bytes) {
  constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      out += k <= count ? kLetters[group >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

std::string decode_base64_prefix(std::string_view text, std::size_t max_digits) {
  std::string bytes;
  unsigned bits = 0;
  int have = 0;
  for (const char digit : text.substr(0, max_digits)) {
    const int value = kDigits[static_cast<unsigned char>(digit)];
    if (value < 0) break;
    bits = (bits << 6 | static_cast<unsigned>(value)) & 0xFFFF;
    have += 6;
    if (have < 8) continue;
    have -= 8;
    bytes.push_back(static_cast<char>(bits >> have & 0xFF));
  }
  return bytes;
}

std::size_t base64_bytes(std::string_view text) {
  while (text.ends_with('=')) text.remove_suffix(1);
  return text.size() / 4 * 3 + text.size() % 4 * 3 / 4;
}

std::optional<DataUrl> parse_data_url(std::string_view url) {
  constexpr std::string_view kScheme = "data:";
  if (!equal_ignoring_case(url.substr(0, kScheme.size()), kScheme)) return std::nullopt;
  url.remove_prefix(kScheme.size());
  // Between scheme and comma stand a type and a few parameters; more than that is no data URL.
  const std::size_t comma = url.substr(0, 1024).find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  const std::string_view head = url.substr(0, comma);
  constexpr std::string_view kBase64 = ";base64";
  const std::string_view tail = head.substr(head.size() - std::min(head.size(), kBase64.size()));
  return DataUrl{head.substr(0, head.find(';')), equal_ignoring_case(tail, kBase64),
                 url.substr(comma + 1)};
}

}  // namespace toolgate
