// See idna.h. Which code points are letters and marks is asked of PCRE2, which has Unicode's
// tables.
#include "schema/idna.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/pattern.h"

namespace toolgate {

namespace {

using Label = std::vector<std::uint32_t>;

Label decode_utf8(std::string_view text) {
  Label out;
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    std::uint32_t code = length == 1 ? lead : lead & (0x7FU >> length);
    for (std::size_t k = 1; k < length && i + k < text.size(); ++k) {
      code = code << 6U | (static_cast<unsigned char>(text[i + k]) & 0x3FU);
    }
    out.push_back(code);
    i += length;
  }
  return out;
}

void append_utf8(std::string& out, std::uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
    return;
  }
  const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  static constexpr unsigned char kLeads[] = {0, 0xC0, 0xE0, 0xF0};
  out += static_cast<char>(kLeads[more] | code >> (6 * more));
  for (int k = more - 1; k >= 0; --k) out += static_cast<char>(0x80U | (code >> (6 * k) & 0x3FU));
}

bool matches(const Pattern& pattern, std::uint32_t code) {
  std::string text;
  append_utf8(text, code);
  return pattern.match(text) == Pattern::Outcome::Match;
}

// RFC 5892's exceptions that are allowed although no letters, and those refused although letters.
bool is_exception(std::uint32_t code) {
  static constexpr std::uint32_t kAllowed[] = {0xDF,  0x3C2, 0x6FD, 0x6FE,  0xF0B,  0x3007, 0xB7,
                                               0x375, 0x5F3, 0x5F4, 0x30FB, 0x200C, 0x200D};
  return std::ranges::find(kAllowed, code) != std::end(kAllowed);
}

bool is_refused(std::uint32_t code) {
  static constexpr std::uint32_t kRefused[] = {0x640,  0x7FA,  0x302E, 0x302F, 0x3031,
                                               0x3032, 0x3033, 0x3034, 0x3035, 0x303B};
  return std::ranges::find(kRefused, code) != std::end(kRefused);
}

bool may_stand(std::uint32_t code) {
  if (code < 0x80) {
    return code == '-' || (code >= '0' && code <= '9') || (code >= 'a' && code <= 'z') ||
           (code >= 'A' && code <= 'Z');
  }
  static const auto letters =
      *Pattern::make("^[\\p{Ll}\\p{Lo}\\p{Lm}\\p{Lu}\\p{Mn}\\p{Mc}\\p{Nd}]$");
  return is_exception(code) || (!is_refused(code) && matches(*letters, code));
}

bool is_virama(std::uint32_t code) {
  static constexpr std::uint32_t kViramas[] = {0x94D,  0x9CD,  0xA4D,  0xACD,  0xB4D,  0xBCD,
                                               0xC4D,  0xCCD,  0xD4D,  0xDCA,  0xE3A,  0xF84,
                                               0x1039, 0x103A, 0x1714, 0x1734, 0x17D2, 0x1A60};
  return std::ranges::find(kViramas, code) != std::end(kViramas);
}

bool is_arabic_digit(std::uint32_t code) {
  return code >= 0x660 && code <= 0x669;
}
bool is_extended_arabic_digit(std::uint32_t code) {
  return code >= 0x6F0 && code <= 0x6F9;
}

// RFC 5892, appendix A.
bool stands_rightly(const Label& label, std::size_t i) {
  static const auto greek = *Pattern::make("^\\p{sc=Greek}$");
  static const auto hebrew = *Pattern::make("^\\p{sc=Hebrew}$");
  static const auto japanese = *Pattern::make("^[\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Han}]$");
  const std::uint32_t before = i > 0 ? label[i - 1] : 0;
  const std::uint32_t after = i + 1 < label.size() ? label[i + 1] : 0;
  switch (label[i]) {
    case 0xB7:
      return before == 'l' && after == 'l';
    case 0x375:
      return after != 0 && matches(*greek, after);
    case 0x5F3:
    case 0x5F4:
      return before != 0 && matches(*hebrew, before);
    case 0x30FB:
      return std::ranges::any_of(
          label, [](std::uint32_t code) { return code != 0x30FB && matches(*japanese, code); });
    case 0x200C:  // between joining letters too; Arabic ones are taken as such
      return is_virama(before) || (before >= 0x620 && before <= 0x7FF && after >= 0x620);
    case 0x200D:
      return is_virama(before);
    default:
      break;
  }
  if (is_arabic_digit(label[i])) return std::ranges::none_of(label, is_extended_arabic_digit);
  return true;
}

bool is_legal(const Label& label) {
  static const auto mark = *Pattern::make("^\\p{M}$");
  if (label.empty() || label.front() == '-' || label.back() == '-') return false;
  if (label.size() >= 4 && label[2] == '-' && label[3] == '-') return false;
  if (matches(*mark, label.front())) return false;
  for (std::size_t i = 0; i < label.size(); ++i) {
    if (!may_stand(label[i]) || !stands_rightly(label, i)) return false;
  }
  return true;
}

constexpr std::uint32_t kBase = 36;
constexpr std::uint32_t kLow = 1;
constexpr std::uint32_t kHigh = 26;

std::uint32_t adapt(std::uint32_t delta, std::uint32_t count, bool first) {
  delta = first ? delta / 700 : delta / 2;
  delta += delta / count;
  std::uint32_t k = 0;
  for (; delta > (kBase - kLow) * kHigh / 2; k += kBase) delta /= kBase - kLow;
  return k + (kBase - kLow + 1) * delta / (delta + 38);
}

std::uint32_t threshold(std::uint32_t k, std::uint32_t bias) {
  return k <= bias ? kLow : std::min(kHigh, k - bias);
}

std::uint32_t digit_value(char c) {
  if (c >= 'a' && c <= 'z') return static_cast<std::uint32_t>(c - 'a');
  if (c >= 'A' && c <= 'Z') return static_cast<std::uint32_t>(c - 'A');
  if (c >= '0' && c <= '9') return static_cast<std::uint32_t>(c - '0') + 26;
  return kBase;
}

std::optional<Label> decode_punycode(std::string_view text) {
  Label out;
  if (const auto dash = text.rfind('-'); dash != text.npos) {
    for (const char c : text.substr(0, dash)) out.push_back(static_cast<unsigned char>(c));
    text.remove_prefix(dash + 1);
  }
  std::uint64_t code = 128;
  std::uint64_t at = 0;
  std::uint32_t bias = 72;
  while (!text.empty()) {
    const std::uint64_t before = at;
    std::uint64_t weight = 1;
    for (std::uint32_t k = kBase;; k += kBase) {
      if (text.empty()) return std::nullopt;
      const std::uint32_t digit = digit_value(text.front());
      text.remove_prefix(1);
      if (digit >= kBase) return std::nullopt;
      at += digit * weight;
      const std::uint32_t limit = threshold(k, bias);
      if (digit < limit) break;
      weight *= kBase - limit;
      if (at > UINT32_MAX || weight > UINT32_MAX) return std::nullopt;
    }
    const auto count = static_cast<std::uint32_t>(out.size() + 1);
    bias = adapt(static_cast<std::uint32_t>(at - before), count, before == 0);
    code += at / count;
    at %= count;
    if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return std::nullopt;
    out.insert(out.begin() + static_cast<std::ptrdiff_t>(at), static_cast<std::uint32_t>(code));
    ++at;
  }
  return out;
}

// Bytes of the ASCII form, with its "xn--".
std::size_t encoded_length(const Label& label) {
  std::size_t length = 4;
  std::uint32_t handled = 0;
  for (const auto code : label) handled += code < 0x80 ? 1 : 0;
  length += handled + (handled > 0 ? 1 : 0);
  std::uint64_t delta = 0;
  std::uint32_t next = 128;
  std::uint32_t bias = 72;
  const std::uint32_t basic = handled;
  while (handled < label.size()) {
    std::uint32_t smallest = UINT32_MAX;
    for (const auto code : label) {
      if (code >= next) smallest = std::min(smallest, code);
    }
    delta += std::uint64_t{smallest - next} * (handled + 1);
    next = smallest;
    for (const auto code : label) {
      if (code < next) ++delta;
      if (code != next) continue;
      std::uint64_t q = delta;
      for (std::uint32_t k = kBase;; k += kBase) {
        ++length;
        const std::uint32_t limit = threshold(k, bias);
        if (q < limit) break;
        q = (q - limit) / (kBase - limit);
      }
      bias = adapt(static_cast<std::uint32_t>(delta), handled + 1, handled == basic);
      delta = 0;
      ++handled;
    }
    ++delta;
    ++next;
  }
  return length;
}

}  // namespace

bool is_international_label(std::string_view label) {
  if (label.size() > 252) return false;
  const Label codes = decode_utf8(label);
  return is_legal(codes) && encoded_length(codes) <= 63;
}

bool is_encoded_label(std::string_view encoded) {
  if (encoded.empty() || encoded.size() > 59) return false;
  const auto label = decode_punycode(encoded);
  const auto beyond = [](std::uint32_t code) { return code >= 0x80; };
  return label && std::ranges::any_of(*label, beyond) && is_legal(*label);
}

}  // namespace toolgate
