#include "base/trace_context.h"

#include <algorithm>
#include <span>

#include "base/header_text.h"
#include "base/ids.h"

namespace toolgate {
namespace {

constexpr std::size_t kParentSize = 55;  // 00-<32 digits>-<16 digits>-00
constexpr std::size_t kMostStateBytes = 512;
constexpr std::size_t kMostStateMembers = 32;
constexpr std::uint8_t kSampled = 1;

// Upper-case digits are malformed here, as the recommendation says.
std::optional<std::uint8_t> digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<std::uint8_t>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<std::uint8_t>(c - 'a' + 10);
  return std::nullopt;
}

bool read_hex(std::string_view text, std::span<std::uint8_t> out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto high = digit(text[2 * i]);
    const auto low = digit(text[2 * i + 1]);
    if (!high || !low) return false;
    out[i] = static_cast<std::uint8_t>(*high << 4U | *low);
  }
  return true;
}

bool is_zero(std::span<const std::uint8_t> bytes) {
  return std::ranges::all_of(bytes, [](std::uint8_t byte) { return byte == 0; });
}

bool is_key_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || std::string_view("_-*/@").contains(c);
}

bool is_state_member(std::string_view member) {
  const auto equals = member.find('=');
  if (equals == member.npos || equals == 0 || equals > 256) return false;
  const std::string_view key = member.substr(0, equals);
  const std::string_view value = member.substr(equals + 1);
  if (!std::ranges::all_of(key, is_key_character) || std::ranges::count(key, '@') > 1) return false;
  if (value.empty() || value.size() > 256) return false;
  return std::ranges::all_of(value, [](char c) { return c >= ' ' && c <= '~' && c != '='; });
}

template <class Id>
Id make_random() {
  Id id;
  do fill_random_bytes(id);
  while (is_zero(id));
  return id;
}

}  // namespace

std::optional<TraceContext> parse_trace_parent(std::string_view value) {
  value = trim_blanks(value);
  std::array<std::uint8_t, 1> version;
  std::array<std::uint8_t, 1> flags;
  TraceContext context;
  if (value.size() < kParentSize || value[2] != '-' || value[35] != '-' || value[52] != '-')
    return std::nullopt;
  if (!read_hex(value, version) || version[0] == 0xff) return std::nullopt;
  // A later version may have more behind it.
  if (value.size() > kParentSize && (version[0] == 0 || value[kParentSize] != '-'))
    return std::nullopt;
  if (!read_hex(value.substr(3), context.trace) || !read_hex(value.substr(36), context.span) ||
      !read_hex(value.substr(53), flags))
    return std::nullopt;
  if (is_zero(context.trace) || is_zero(context.span)) return std::nullopt;
  context.sampled = (flags[0] & kSampled) != 0;
  return context;
}

std::string write_trace_parent(const TraceContext& context) {
  std::string out = "00-";
  out.reserve(kParentSize);
  append_hex(out, context.trace.data(), context.trace.size());
  out += '-';
  append_hex(out, context.span.data(), context.span.size());
  out += context.sampled ? "-01" : "-00";
  return out;
}

std::string usable_trace_state(std::string_view joined) {
  std::string out;
  std::size_t members = 0;
  bool is_full = false;
  while (!joined.empty()) {
    const auto comma = std::min(joined.find(','), joined.size());
    const std::string_view member = trim_blanks(joined.substr(0, comma));
    joined.remove_prefix(std::min(comma + 1, joined.size()));
    if (member.empty()) continue;
    if (!is_state_member(member) || ++members > kMostStateMembers) return {};
    is_full = is_full || out.size() + 1 + member.size() > kMostStateBytes;
    if (is_full) continue;
    if (!out.empty()) out += ',';
    out += member;
  }
  return out;
}

std::string write_trace_headers(const TraceContext& context) {
  std::string out = "traceparent: " + write_trace_parent(context) + "\r\n";
  if (!context.state.empty()) out += "tracestate: " + context.state + "\r\n";
  return out;
}

TraceId make_trace_id() {
  return make_random<TraceId>();
}

SpanId make_span_id() {
  return make_random<SpanId>();
}

void append_hex(std::string& out, const std::uint8_t* bytes, std::size_t count) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (std::size_t i = 0; i < count; ++i) {
    out += kDigits[bytes[i] >> 4U];
    out += kDigits[bytes[i] & 15U];
  }
}

}  // namespace toolgate
