#include "base/json_scan.h"

#include <simdjson.h>

namespace toolgate {
namespace {

using Bytes = signed char __attribute__((ext_vector_type(64)));
using Bits = bool __attribute__((ext_vector_type(64)));

// No function: a parameter of this width would depend on the vectors its caller may use.
#define TOOLGATE_BITS(lanes) __builtin_bit_cast(std::uint64_t, __builtin_convertvector(lanes, Bits))

// Which bytes a backslash before them takes the meaning from. `pending` says that the block before
// ended in such a backslash, and is set for the next one.
std::uint64_t escaped_by(std::uint64_t backslashes, std::uint64_t& pending) {
  constexpr std::uint64_t kEven = 0x5555555555555555;
  const std::uint64_t first = pending;
  backslashes &= ~first;
  const std::uint64_t starts = backslashes & ~(backslashes << 1);
  // A sum carries a run's start to the byte behind the run; a run is odd when start and that byte
  // differ in being even.
  unsigned long long over_even = 0;
  unsigned long long over_odd = 0;
  const std::uint64_t behind_even = __builtin_addcll(starts & kEven, backslashes, 0, &over_even);
  const std::uint64_t behind_odd = __builtin_addcll(starts & ~kEven, backslashes, 0, &over_odd);
  pending = over_odd;
  return first | (behind_even & ~backslashes & ~kEven) | (behind_odd & ~backslashes & kEven);
}

// A string's bytes that are not ASCII, from the first to the last.
struct Stretch {
  const char* begin = nullptr;
  const char* end = nullptr;

  void add(const char* block, std::uint64_t bits) {
    if (begin == nullptr) begin = block + std::countr_zero(bits);
    end = block + 64 - std::countl_zero(bits);
  }
  bool is_utf8() const {
    return begin == nullptr ||
           simdjson::validate_utf8(begin, static_cast<std::size_t>(end - begin));
  }
};

// Inlined into each of the functions below and compiled for their vectors.
[[gnu::always_inline]] inline StringScan scan_blocks(const char* begin, const char* end) {
  StringScan scan;
  Stretch beyond_ascii;
  std::uint64_t pending = 0;
  std::uint64_t seen_backslashes = 0;
  for (const char* at = begin;; at += sizeof(Bytes)) {
    const auto left = static_cast<std::size_t>(end - at);
    Bytes bytes;
    if (left >= sizeof bytes) [[likely]] {
      std::memcpy(&bytes, at, sizeof bytes);
    } else {
      bytes = 0;
      if (left > 0) std::memcpy(&bytes, at, left);
    }
    std::uint64_t quotes = TOOLGATE_BITS(bytes == '"');
    const std::uint64_t backslashes = TOOLGATE_BITS(bytes == '\\');
    // Signed, so that what is not ASCII counts as small.
    std::uint64_t small = TOOLGATE_BITS(bytes < 0x20);
    // Without a quote only a backslash at the very end matters.
    const std::uint64_t matters = quotes | pending | backslashes >> 63;
    if ((matters | small) == 0) {
      seen_backslashes |= backslashes;
      continue;
    }
    if (matters != 0) quotes &= ~escaped_by(backslashes, pending);
    const std::uint64_t inside = quotes != 0 ? (quotes - 1) & ~quotes
                                 : left < 64 ? (std::uint64_t{1} << left) - 1
                                             : ~0ULL;
    seen_backslashes |= backslashes & inside;
    small &= inside;
    if (small != 0) {
      const std::uint64_t high = TOOLGATE_BITS(bytes < 0) & inside;
      if (small != high) return {nullptr, false, StringFault::ControlCharacter};
      beyond_ascii.add(at, high);
    }
    if (quotes != 0) {
      scan.end = at + std::countr_zero(quotes) + 1;
      break;
    }
    if (left < sizeof bytes) return {nullptr, false, StringFault::NotClosed};
  }
  scan.escaped = seen_backslashes != 0;
  if (!beyond_ascii.is_utf8()) scan.fault = StringFault::InvalidUtf8;
  return scan;
}

StringScan scan_plain(const char* begin, const char* end) {
  return scan_blocks(begin, end);
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] StringScan scan_avx2(const char* begin, const char* end) {
  return scan_blocks(begin, end);
}

[[gnu::target("avx512bw,evex512")]] StringScan scan_avx512(const char* begin, const char* end) {
  return scan_blocks(begin, end);
}
#endif

}  // namespace

std::vector<StringScanner> string_scanners() {
  std::vector<StringScanner> scanners;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512bw")) scanners.push_back(scan_avx512);
  if (__builtin_cpu_supports("avx2")) scanners.push_back(scan_avx2);
#endif
  scanners.push_back(scan_plain);
  return scanners;
}

namespace {

const StringScanner kWidest = string_scanners().front();

}  // namespace

StringScan scan_long_string(const char* begin, const char* end) {
  return kWidest(begin, end);
}

}  // namespace toolgate
