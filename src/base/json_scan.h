// Finds where a JSON string ends, many bytes at a time. Readers of JSON texts call it for each
// string they take or pass over: in a chat request nearly all bytes are inside strings.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

namespace toolgate {

enum class StringFault : std::uint8_t { None, NotClosed, ControlCharacter, InvalidUtf8 };

struct StringScan {
  const char* end = nullptr;  // behind the closing quote
  bool escaped = false;       // holds a backslash; what follows it is not checked
  StringFault fault = StringFault::None;
};

StringScan scan_long_string(const char* begin, const char* end);

// The ways of scanning that this machine can run, the one in use first; tests compare them.
using StringScanner = StringScan (*)(const char* begin, const char* end);
std::vector<StringScanner> string_scanners();

// `begin` stands behind the opening quote, `end` behind the text; nothing from there on is read.
inline StringScan scan_string(const char* begin, const char* end) {
  using Bytes = signed char __attribute__((ext_vector_type(16)));
  using Bits = bool __attribute__((ext_vector_type(16)));
  if (end - begin >= 16) {
    Bytes bytes;
    std::memcpy(&bytes, begin, sizeof bytes);
    const auto bits = [](auto lanes) {
      return std::bit_cast<std::uint16_t>(__builtin_convertvector(lanes, Bits));
    };
    // Signed, so that what is not ASCII counts as small.
    const std::uint32_t quote = bits(bytes == '"');
    const std::uint32_t other = bits((bytes == '\\') | (bytes < 0x20));
    if (quote != 0 && (other & (quote - 1) & ~quote) == 0)
      return {begin + std::countr_zero(quote) + 1};
  }
  return scan_long_string(begin, end);
}

}  // namespace toolgate
