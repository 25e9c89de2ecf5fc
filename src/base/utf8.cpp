// UTF-8 checks by the table of well-formed byte sequences (Unicode, table 3-7).
#include "base/utf8.h"

#include <cstdint>
#include <cstring>

namespace toolgate {
namespace {

struct Sequence {
  std::size_t length = 1;  // bytes looked at: the character, or the ill-formed part
  bool valid = false;
  bool cut = false;  // well-formed as far as the text goes
};

// How many bytes follow this first byte, and between which bounds the second one lies.
struct Lead {
  std::size_t following = 0;
  std::uint8_t low = 0x80;
  std::uint8_t high = 0xBF;
};

Lead lead_of(std::uint8_t byte) {
  if (byte >= 0xC2 && byte <= 0xDF) return {1};
  if (byte == 0xE0) return {2, 0xA0};
  if (byte == 0xED) return {2, 0x80, 0x9F};
  if (byte >= 0xE1 && byte <= 0xEF) return {2};
  if (byte == 0xF0) return {3, 0x90};
  if (byte == 0xF4) return {3, 0x80, 0x8F};
  if (byte >= 0xF1 && byte <= 0xF3) return {3};
  return {};
}

Sequence read_sequence(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  if (byte(0) < 0x80) return {1, true, false};
  Lead lead = lead_of(byte(0));
  if (lead.following == 0) return {};
  for (std::size_t i = 1; i <= lead.following; ++i) {
    if (i == text.size()) return {i, false, true};
    if (byte(i) < lead.low || byte(i) > lead.high) return {i, false, false};
    lead.low = 0x80;
    lead.high = 0xBF;
  }
  return {lead.following + 1, true, false};
}

// Where the first byte stands that is not ASCII.
std::size_t skip_ascii(std::string_view text, std::size_t from) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080U;
  for (; from + 8 <= text.size(); from += 8) {
    std::uint64_t block = 0;
    std::memcpy(&block, text.data() + from, 8);
    if ((block & kHighBits) != 0) break;
  }
  while (from < text.size() && static_cast<std::uint8_t>(text[from]) < 0x80) ++from;
  return from;
}

}  // namespace

bool is_valid_utf8(std::string_view text) {
  for (std::size_t at = skip_ascii(text, 0); at < text.size(); at = skip_ascii(text, at)) {
    const Sequence sequence = read_sequence(text.substr(at));
    if (!sequence.valid) return false;
    at += sequence.length;
  }
  return true;
}

std::string mend_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t ascii_end = skip_ascii(text, at);
    out.append(text.substr(at, ascii_end - at));
    at = ascii_end;
    if (at == text.size()) break;
    const Sequence sequence = read_sequence(text.substr(at));
    out.append(sequence.valid ? text.substr(at, sequence.length) : "\xEF\xBF\xBD");
    at += sequence.length;
  }
  return out;
}

std::size_t incomplete_utf8_tail(std::string_view text) {
  for (std::size_t length = 1; length <= 3 && length <= text.size(); ++length) {
    const std::string_view tail = text.substr(text.size() - length);
    if ((static_cast<std::uint8_t>(tail[0]) & 0xC0) == 0x80) continue;
    const Sequence sequence = read_sequence(tail);
    return sequence.cut ? length : 0;
  }
  return 0;
}

std::string_view first_characters(std::string_view text, std::size_t most) {
  text = text.substr(0, most);
  text.remove_suffix(incomplete_utf8_tail(text));
  return text;
}

}  // namespace toolgate
